from collections import OrderedDict

import torch
from torch import nn

MODULES = """
AdaptiveAvgPool1d(3) AdaptiveAvgPool2d((3,None)) AdaptiveAvgPool3d(2) AdaptiveMaxPool1d(3,return_indices=True)
AdaptiveMaxPool2d(3) AdaptiveMaxPool3d((2,3,4)) AlphaDropout(0.2) AvgPool1d(3,2) AvgPool2d(3,2,1) AvgPool3d(2)
BCELoss() BCEWithLogitsLoss(pos_weight=torch.ones(2)) BatchNorm1d(3) BatchNorm2d(3,affine=False)
BatchNorm3d(3,track_running_stats=False,momentum=None) Bilinear(2,3,4) CELU(2.) CTCLoss(1,zero_infinity=True)
ChannelShuffle(2) CircularPad1d(2) CircularPad2d((1,0,1,1)) CircularPad3d(1) ConstantPad1d(2,1.5) ConstantPad2d(2,0)
ConstantPad3d(1,2) Conv1d(2,4,3) Conv2d(2,4,(3,5),2,1,bias=False) Conv3d(2,4,3,padding='same',padding_mode='replicate')
Conv2d(4,4,3,groups=2,dilation=2) ConvTranspose1d(2,4,3,output_padding=1,stride=2) ConvTranspose2d(4,2,3,groups=2)
ConvTranspose3d(2,4,3,2,1) CosineEmbeddingLoss(0.5) CosineSimilarity(dim=2) CrossEntropyLoss(torch.ones(3))
CrossMapLRN2d(3) Dropout(0.3,inplace=True) Dropout1d() Dropout2d(0.1) Dropout3d() ELU(1.5) Embedding(5,3,padding_idx=1)
Embedding(5,3,max_norm=1.,norm_type=1.,scale_grad_by_freq=True) EmbeddingBag(5,3,mode='sum') FeatureAlphaDropout()
Flatten(2)
Fold((4,5),2) FractionalMaxPool2d(2,output_size=3) FractionalMaxPool3d(2,output_ratio=(.5,.5,.5)) GELU('tanh')
GELU() GLU(1) GRU(3,4,2,bidirectional=True) GRUCell(3,4) GaussianNLLLoss() GroupNorm(2,4) Hardshrink(0.3) Hardsigmoid()
Hardswish() Hardtanh(-2.,2.) HingeEmbeddingLoss() HuberLoss(delta=2.) Identity(3,a=4) InstanceNorm1d(3)
InstanceNorm2d(3,affine=True) InstanceNorm3d(3,track_running_stats=True) KLDivLoss(log_target=True) L1Loss()
LPPool1d(2,3) LPPool2d(2,3,2) LPPool3d(2,3) LSTM(3,4,2,proj_size=2,dropout=0.1,batch_first=True) LSTM(3,4,bias=False)
LSTMCell(3,4,bias=False) LayerNorm((2,3)) LayerNorm(3,elementwise_affine=False) LayerNorm(3,bias=False)
LazyBatchNorm1d()
LazyConv2d(3,2) LazyConvTranspose1d(3,2) LazyInstanceNorm3d() LazyLinear(3,bias=False) LeakyReLU(0.2,True) Linear(2,3)
Linear(2,3,bias=False,dtype=torch.float64) LocalResponseNorm(2) LogSigmoid() LogSoftmax(1) MSELoss(reduction='sum')
MarginRankingLoss() MaxPool1d(3) MaxPool2d(3,2,1,ceil_mode=True) MaxPool3d((2,1,2),dilation=2) MaxUnpool1d(2)
MaxUnpool2d(2,2) MaxUnpool3d(2) Mish() MultiLabelMarginLoss() MultiLabelSoftMarginLoss() MultiMarginLoss(p=2)
MultiheadAttention(4,2) MultiheadAttention(4,2,bias=False,kdim=3,vdim=5) MultiheadAttention(4,2,add_bias_kv=True)
NLLLoss(torch.ones(3),ignore_index=1) PReLU(3) PairwiseDistance(1.) PixelShuffle(2) PixelUnshuffle(2) PoissonNLLLoss()
RMSNorm(3) RMSNorm((2,3),eps=1e-3,elementwise_affine=False) RNN(3,4,nonlinearity='relu') RNNCell(3,4) RReLU() ReLU(True)
ReLU6() ReflectionPad1d(2) ReflectionPad2d((1,2,0,1)) ReflectionPad3d(1) ReplicationPad1d(2) ReplicationPad2d(1)
ReplicationPad3d((1,1,0,0,1,2)) SELU() SiLU() Sigmoid() SmoothL1Loss(beta=.5) SoftMarginLoss() Softmax(-1) Softmax2d()
Softmin(0) Softplus(2,10) Softshrink(.2) Softsign() SyncBatchNorm(3) Tanh() Tanhshrink() Threshold(.1,20)
Transformer(4,2,1,1,8) TransformerDecoderLayer(4,2,8) TransformerEncoderLayer(4,2,8,norm_first=True,bias=False)
TransformerEncoder(nn.TransformerEncoderLayer(4,2,8,batch_first=True),2,nn.LayerNorm(4)) TripletMarginLoss(2.,swap=True)
TransformerDecoder(nn.TransformerDecoderLayer(4,2,8),2) TripletMarginWithDistanceLoss() Unflatten(1,(2,3)) Unfold(3,2)
Upsample(scale_factor=2,mode='bilinear') Upsample((3,4)) UpsamplingBilinear2d((3,4)) UpsamplingNearest2d(scale_factor=2)
ZeroPad1d(1) ZeroPad2d((1,0,2,1)) ZeroPad3d(1) AdaptiveLogSoftmaxWithLoss(4,10,[3,6]) Sequential() ModuleList()
ModuleList([nn.ReLU(),nn.ReLU(),nn.Linear(1,1)]) ModuleDict({'a':nn.ReLU()}) ParameterList([torch.ones(2)])
ParameterDict({'a':nn.Parameter(torch.ones(2))}) Sequential(OrderedDict(a=nn.Linear(1,2),b=nn.Sequential(nn.ReLU())))
"""
torch.manual_seed(0)
for text in MODULES.split():
    m = eval(f"nn.{text}", {"nn": nn, "torch": torch, "OrderedDict": OrderedDict})
    print(m)
    state = m.state_dict()
    if text.startswith("Lazy"):
        print(list(state))
        continue
    print([(k, tuple(v.shape), str(v.dtype)) for k, v in state.items()], len(list(m.buffers())))
    print([round(v.double().abs().sum().item(), 3) for v in state.values()])
