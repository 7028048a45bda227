# check: loss.item() < 20
import torch
import torch.nn as nn

torch.manual_seed(1)
START, STOP = 3, 4


def argmax(vec):
    _, idx = torch.max(vec, 1)
    return idx.item()


def log_sum_exp(vec):
    m = vec[0, argmax(vec)]
    mb = m.view(1, -1).expand(1, vec.size()[1])
    return m + torch.log(torch.sum(torch.exp(vec - mb)))


class BiLSTM_CRF(nn.Module):
    def __init__(self, v, n=5, e=5, h=4):
        super().__init__()
        self.n, self.h = n, h
        self.word_embeds = nn.Embedding(v, e)
        self.lstm = nn.LSTM(e, h // 2, num_layers=1, bidirectional=True)
        self.hidden2tag = nn.Linear(h, n)
        self.transitions = nn.Parameter(torch.randn(n, n))
        self.transitions.data[START, :] = -10000
        self.transitions.data[:, STOP] = -10000

    def init_hidden(self):
        return (torch.randn(2, 1, self.h // 2), torch.randn(2, 1, self.h // 2))

    def _forward_alg(self, feats):
        init = torch.full((1, self.n), -10000.0)
        init[0][START] = 0.0
        fv = init
        for feat in feats:
            alphas = []
            for nt in range(self.n):
                emit = feat[nt].view(1, -1).expand(1, self.n)
                trans = self.transitions[nt].view(1, -1)
                alphas.append(log_sum_exp(fv + trans + emit).view(1))
            fv = torch.cat(alphas).view(1, -1)
        return log_sum_exp(fv + self.transitions[STOP])

    def _get_lstm_features(self, s):
        self.hidden = self.init_hidden()
        out, self.hidden = self.lstm(self.word_embeds(s).view(len(s), 1, -1), self.hidden)
        return self.hidden2tag(out.view(len(s), self.h))

    def _score(self, feats, tags):
        score = torch.zeros(1)
        tags = torch.cat([torch.tensor([START], dtype=torch.long), tags])
        for i, feat in enumerate(feats):
            score = score + self.transitions[tags[i + 1], tags[i]] + feat[tags[i + 1]]
        return score + self.transitions[STOP, tags[-1]]

    def neg_log_likelihood(self, s, tags):
        feats = self._get_lstm_features(s)
        return self._forward_alg(feats) - self._score(feats, tags)

    def viterbi(self, feats):
        bp = []
        fv = torch.full((1, self.n), -10000.0)
        fv[0][START] = 0
        for feat in feats:
            b, v = [], []
            for nt in range(self.n):
                nv = fv + self.transitions[nt]
                best = argmax(nv)
                b.append(best)
                v.append(nv[0][best].view(1))
            fv = (torch.cat(v) + feat).view(1, -1)
            bp.append(b)
        term = fv + self.transitions[STOP]
        best = argmax(term)
        path = [best]
        for b in reversed(bp):
            best = b[best]
            path.append(best)
        path.pop()
        return term[0][best], path[::-1]

    def forward(self, s):
        return self.viterbi(self._get_lstm_features(s))


model = BiLSTM_CRF(6)
opt = torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=1e-4)
sent, tags = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 1, 2, 2])
with torch.no_grad():
    print(len(model(sent)[1]))
for epoch in range(3):
    model.zero_grad()
    loss = model.neg_log_likelihood(sent, tags)
    loss.backward()
    opt.step()
with torch.no_grad():
    print(model(sent)[1], loss.item() > 0)
