"""`import torch` that leads to funcgrad: `install`, and `python -m funcgrad.torch`."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from funcgrad import torch as ours
from funcgrad.torch import programs


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if PyTorch, where it is installed, had not been imported; what a program changes is put back."""
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torch"}
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    yield
    ours.uninstall()
    sys.modules.update(kept)


def program(folder: Path, text: str, name: str = "script.py") -> str:
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return str(path)


def test_the_modules_are_the_same_under_the_name_torch() -> None:
    with ours.install():
        import torch
        import torch.nn.functional as functional
        from torch.optim.lr_scheduler import StepLR
        from torch.utils.data import DataLoader

        assert torch is ours
        assert functional is ours.nn.functional
        assert StepLR is ours.optim.lr_scheduler.StepLR
        assert DataLoader is ours.utils.data.DataLoader
        assert torch.__spec__.name == "funcgrad.torch"
        assert importlib.util.find_spec("torch.nn") is not None
    assert "torch" not in sys.modules
    assert not any(name.startswith("torch.") for name in sys.modules)


def test_modules_without_files_can_be_imported() -> None:
    with ours.install():
        import torch.backends.cuda.matmul as matmul
        import torch.backends.cudnn as cudnn
        import torch.cuda
        import torch.distributed as dist
        import torch.onnx

        assert torch.cuda is ours.cuda and matmul.allow_tf32 is False
        assert not torch.cuda.is_available() and not dist.is_available() and not torch.onnx.is_in_onnx_export()
        with cudnn.flags(enabled=False):
            assert not cudnn.enabled
        assert cudnn.enabled


def test_installing_twice_is_installing_once() -> None:
    with ours.install():
        with ours.install():
            pass
        assert importlib.import_module("torch") is ours
    ours.install()
    ours.uninstall()
    ours.uninstall()
    assert "torch" not in sys.modules


def test_pytorch_itself_keeps_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", type(sys)("torch"))
    with pytest.raises(ImportError, match="cannot take the name torch: PyTorch has been imported before"):
        ours.install()
    del sys.modules["torch"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("torch.optm", "No module named 'torch.optm': did you mean 'torch.optim'"),
        ("torch.nn.modules.linaer", "did you mean 'torch.nn.modules.linear'"),
        ("torch.zebra", "funcgrad.torch has no such module"),
        ("torch.backends.xnnpack", "funcgrad.torch has no such module"),
        ("torch.utils.tensorboard", "funcgrad.torch writes no logs for TensorBoard"),
        ("torch.utils.data.datapipes", "has no data pipes: use Dataset or IterableDataset"),
        ("torch.fx", "runs functions as they are"),
    ],
)
def test_a_module_that_is_not_there(name: str, text: str) -> None:
    with ours.install(), pytest.raises(ModuleNotFoundError, match=text) as caught:
        importlib.import_module(name)
    assert caught.value.name == name


@pytest.mark.parametrize(
    ("module", "name", "text"),
    [
        ("onnx", "export", "module 'torch.onnx' has no attribute 'export': funcgrad.torch writes no ONNX files"),
        ("distributed", "init_process_group", "funcgrad.torch runs in one process, without torch.distributed"),
        ("library", "custom_op", "has no registry of operators: write a torch.autograd.Function"),
        ("cuda", "nothing", "module 'torch.cuda' has no attribute 'nothing'$"),
    ],
)
def test_a_name_that_is_not_there(module: str, name: str, text: str) -> None:
    with pytest.raises(AttributeError, match=text):
        getattr(getattr(ours, module), name)
    assert name not in dir(getattr(ours, module))


def test_devices_that_are_not_there() -> None:
    assert repr(ours.cuda) == "<module 'torch.cuda'>"
    assert (ours.cuda.device_count(), ours.cuda.get_rng_state_all(), ours.cpu.current_device()) == (0, [], "cpu")
    assert isinstance(ours.cuda.OutOfMemoryError(), RuntimeError)
    with ours.cuda.device(0), ours.cuda.stream(None):
        pass
    for call, error, text in (
        (ours.cuda.current_device, AssertionError, "Torch not compiled with CUDA enabled"),
        (ours.cuda.Event, RuntimeError, "Tried to instantiate dummy base class Event"),
        (ours.accelerator.synchronize, RuntimeError, "Cannot access accelerator device when none is available."),
    ):
        with pytest.raises(error, match=text):
            call()


def test_marks_for_compilers_change_nothing() -> None:
    def f(x: int) -> int:
        return x + 1

    jit, compiler = ours.jit, ours.compiler
    for mark in (jit.script, jit.export, jit.unused, jit.ignore, jit.ignore(drop=True), jit.freeze, jit.interface):
        assert mark(f) is f
    assert jit.trace(f, (1,)) is f and jit.optimize_for_inference(f) is f
    assert jit.wait(jit.fork(f, 2)) == 3 and jit.annotate(int, 4) == 4 and jit.Attribute(5, int) == 5
    assert jit.isinstance(1, int) and not jit.is_scripting() and not jit.is_tracing()
    assert jit.set_fusion_strategy([]) == [] and not isinstance(f, (jit.ScriptFunction, jit.ScriptModule))
    for call in (lambda: jit.save(f, "x"), lambda: jit.load("x")):
        with pytest.raises(RuntimeError, match="has no TorchScript: use"):
            call()
    for mark in (compiler.allow_in_graph, compiler.assume_constant_result):
        assert mark(f) is f
    for same in (compiler.disable(f), compiler.disable()(f), compiler.set_stance("force_eager")(f)):
        assert same(1) == 2
    with compiler.set_stance("default"):
        assert not compiler.is_compiling() and "inductor" in compiler.list_backends()
    compiler.reset()
    compiler.cudagraph_mark_step_begin()


def test_the_version_of_the_package_can_be_asked_for() -> None:
    with ours.install():
        assert importlib.metadata.version("torch") == ours.__version__
        assert importlib.metadata.distribution("torch").files is None
        with pytest.raises(FileNotFoundError):
            importlib.metadata.distribution("torch").locate_file("x")
        assert importlib.metadata.version("numpy")


def test_a_script_runs_as_python_runs_it(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    program(tmp_path, "import torch\nONE = torch.ones(1)\n", "beside_it.py")
    path = program(
        tmp_path,
        """
        import sys
        import beside_it
        class A: pass
        print(sys.argv[1:], __name__, __file__ == sys.argv[0], __spec__, sys.path[0], beside_it.ONE)
        print(sys.modules["__main__"].A is A, A.__module__)
        if len(sys.argv) == 3:
            sys.exit(7)
        """,
    )
    with pytest.raises(SystemExit, match="7"):
        programs.main([path, "a", "-b"])
    assert capsys.readouterr().out == (
        f"['a', '-b'] __main__ True None {tmp_path.resolve()} tensor([1.])\nTrue __main__\n"
    )
    sys.modules.pop("beside_it")
    assert programs.main([path]) == 0
    sys.modules.pop("beside_it")


def test_a_module_and_a_package_run_by_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "a_package").mkdir()
    program(tmp_path / "a_package", "", "__init__.py")
    program(tmp_path / "a_package", "import sys, torch\nprint(__package__, sys.argv[1:])", "__main__.py")
    program(tmp_path, "print(__name__, __spec__.name, __file__)", "a_module.py")
    assert programs.main(["-m", "a_module"]) == programs.main(["-m", "a_package", "x"]) == 0
    assert capsys.readouterr().out == f"__main__ a_module {tmp_path / 'a_module.py'}\na_package ['x']\n"
    (tmp_path / "a_package" / "__main__.py").unlink()
    importlib.invalidate_caches()
    assert programs.main(["-m", "a_package"]) == programs.main(["-m", "no_such_module"]) == 1
    said = capsys.readouterr().err
    assert "'a_package' is a package and cannot be directly executed" in said
    assert "No module named no_such_module" in said


def test_a_folder_and_a_zip_file_run_their_main(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    main = program(folder, "import torch\nprint(torch.zeros(1))", "__main__.py")
    with zipfile.ZipFile(tmp_path / "program.zip", "w") as archive:
        archive.write(main, "__main__.py")
    assert programs.main([str(folder)]) == 0
    sys.path_importer_cache.clear()
    assert programs.main([str(tmp_path / "program.zip")]) == 0
    assert capsys.readouterr().out == "tensor([0.])\n" * 2


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("def f():\n    return 1 / 0\nf()", ["line 3, in <module>", "line 2, in f", "ZeroDivisionError"]),
        (
            "import torch.optm",
            ["line 1, in <module>", "ModuleNotFoundError: No module named 'torch.optm': did"],
        ),
        ("x = = 1", ["line 1\n", "SyntaxError: invalid syntax"]),
        ("raise KeyboardInterrupt", ["line 1, in <module>", "KeyboardInterrupt"]),
    ],
)
def test_a_traceback_is_that_of_the_program(
    text: str, lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = program(tmp_path, text)
    assert programs.main([path]) == (130 if "Keyboard" in text else 1)
    said = capsys.readouterr().err
    assert all(line in said for line in lines)
    assert said.count("File ") == said.count(path) == len(lines) - 1
    assert "funcgrad" not in said.replace(path, "").replace("funcgrad.torch has", "")


def test_there_is_no_such_program(capsys: pytest.CaptureFixture) -> None:
    assert programs.main(["no_such_file.py"]) == 2
    assert "can't open file 'no_such_file.py': No such file or directory" in capsys.readouterr().err
    assert programs.main([]) == programs.main(["-m"]) == 2
    assert "usage: python -m funcgrad.torch script.py" in capsys.readouterr().err
    assert programs.main(["--help"]) == 0
    assert "usage: python -m funcgrad.torch script.py" in capsys.readouterr().out


def test_a_program_and_the_processes_that_it_spawns(tmp_path: Path) -> None:
    """The command itself; a spawned process finds torch as well, when it imports the program."""
    path = program(
        tmp_path,
        """
        import multiprocessing
        import torch

        def double(x):
            return x * 2

        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(double, [torch.ones(1)]), torch.__name__)
        """,
    )
    command = [sys.executable, "-m", "funcgrad.torch", path]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("[tensor([2.])] funcgrad.torch\n", "", 0)


def test_a_small_program_loads_little(tmp_path: Path) -> None:
    """What it does not touch is loaded later: each of these took part of its start."""
    path = program(
        tmp_path,
        """
        import sys
        import torch
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (x * x).sum().backward()
        print(x.grad)
        houses = ("nn", "optim", "serialization", "amp", "distributions", "devices", "multiprocessing", "utils.data")
        for name in ("zipfile", "difflib", "ml_dtypes", "numpy.random", "multiprocessing", "scipy",
                     *(f"funcgrad.torch.{house}" for house in houses), "funcgrad.torch.autograd.gradcheck"):
            if name in sys.modules:
                print(name)
        """,
    )
    command = [sys.executable, "-m", "funcgrad.torch", path]
    plain = {name: value for name, value in os.environ.items() if name != "FUNCGRAD_TYPECHECK"}  # which loads more
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=plain)
    assert (ran.stdout, ran.stderr) == ("tensor([2., 4.])\n", "")


def test_reports_and_annotations() -> None:
    assert "NumPy" in ours.__config__.show() and "at::get_num_threads() : " in ours.__config__.parallel_info()
    assert isinstance(ours.device("cpu"), ours.types.Device) and ours.types._size
