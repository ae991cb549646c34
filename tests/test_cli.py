"""The command line: help for everything, one plain line for every error, the right exit status, never a traceback."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from scorer.errors import KibitzError
from scorer.match import Match
from scorer.store import Store
from webui import cli, commands, libraries, work
from webui.cli import main

ROOT = Path(__file__).parents[1]
NAMES = [c.name for c in commands.COMMANDS]

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def kibitz(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Say:
    """Runs a command in this process, in an empty folder and home; exit status, standard output, standard error."""
    monkeypatch.setenv("KIBITZ_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KIBITZ_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)

    def say(*argv: object) -> tuple[int, str, str]:
        status = main([str(a) for a in argv])
        out, err = capsys.readouterr()
        return status, out, err

    return say


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(kibitz: Say, name: str) -> None:
    status, out, err = kibitz(*name.split(), "--help")
    assert status == 0
    assert err == ""
    assert out.startswith(f"usage: kibitz {name}")
    for line in out.split("options:")[1].splitlines():
        assert not line.startswith("  --") or line.rstrip() != line or len(line.split()) > 1


def test_help_lists_every_command(kibitz: Say) -> None:
    status, out, _ = kibitz("--help")
    assert status == 0
    for name in NAMES:
        assert f"    {name.split()[0]} " in out


def test_no_command_prints_the_help_and_is_an_error(kibitz: Say) -> None:
    status, out, err = kibitz()
    assert (status, out) == (2, "")
    assert err.startswith("usage: kibitz")


def test_version(kibitz: Say) -> None:
    status, out, _ = kibitz("--version")
    assert status == 0
    assert out.startswith("kibitz ")


UNUSABLE_ARGUMENTS = [
    (["nope"], "invalid choice"),
    (["run", "--port", "x"], "not a whole number"),
    (["run", "--port", "70000"], "from 1 to 65535"),
    (["run", "--players", "0"], "from 1 to 7"),
    (["run", "--game", "chess"], "invalid choice"),
    (["read"], "PICTURE"),
    (["read", "--copies", "0", "a.jpg"], "1 or more"),
    (["deck"], "COMMAND"),
    (["enrol", "a.jpg"], "--name"),
    (["export", "1", "--csv", "--jsonl"], "not allowed"),
]


@pytest.mark.parametrize(("argv", "word"), UNUSABLE_ARGUMENTS, ids=[" ".join(a) for a, _ in UNUSABLE_ARGUMENTS])
def test_unusable_arguments_give_one_line(kibitz: Say, argv: list[str], word: str) -> None:
    status, out, err = kibitz(*argv)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert word in err
    assert "--help" in err


# ---------------------------------------------------------------- unusable input: what is wrong, where, the mend


def picture(path: Path) -> Path:
    cv2.imwrite(str(path), np.full((120, 160, 3), 90, np.uint8))
    return path


def clip(path: Path) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 25, (160, 120))
    for _ in range(3):
        writer.write(np.zeros((120, 160, 3), np.uint8))
    writer.release()
    return path


def torn(path: Path) -> Path:
    path.write_bytes(picture(path).read_bytes()[:300])
    return path


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


UNKNOWN_KEY = 'game = "gostop"\nname = "ours"\nextends = "classic"\n[rules]\ntarget_for_too = 3\n'

UNUSABLE: list[tuple[str, Callable[[Path], list[object]], tuple[str, ...]]] = [
    ("missing camera", lambda d: ["run", "--source", "99"], ("camera 99", "is not there", "plug it in")),
    ("camera address", lambda d: ["run", "--source", "http://127.0.0.1:1/video"], ("refuses", "start the camera app")),
    ("missing clip", lambda d: ["run", "--source", "no.mp4"], ("no.mp4", "give a camera")),
    ("empty clip", lambda d: ["run", "--source", written(d / "no.mp4", "")], ("no.mp4", "is empty", "again")),
    ("torn JPEG", lambda d: ["read", torn(d / "torn.jpg")], ("torn.jpg", "again")),
    ("no picture", lambda d: ["read", d / "gone.jpg"], ("gone.jpg",)),
    ("a folder", lambda d: ["read", d], ("read",)),
    ("unknown deck", lambda d: ["read", "--deck-name", "aunts", picture(d / "a.png")], ("aunts", "enrol")),
    ("unknown ruleset", lambda d: ["rules", "gostop", "clasic"], ("clasic", "classic")),
    ("unknown ruleset key", lambda d: ["rules", "gostop", written(d / "ours.toml", UNKNOWN_KEY)], ("ours.toml", "target_for_too")),
    ("the same at the table", lambda d: ["run", "--source", clip(d / "c.mp4"), "--ruleset", written(d / "ours.toml", UNKNOWN_KEY)],
     ("ours.toml", "target_for_too")),
    ("unknown language", lambda d: ["rules", "gostop", "--lang", "xx"], ("xx", "en")),
    ("no cases", lambda d: ["judge", "no.jsonl"], ("no.jsonl",)),
    ("no session", lambda d: ["export", "4"], ("no game", "kibitz run")),
    ("odd session", lambda d: ["export", "yesterday"], ("yesterday", "last")),
    ("no log", lambda d: ["import", "no.jsonl"], ("no.jsonl",)),
    ("log without form", lambda d: ["import", written(d / "x.jsonl", '{"a": 1}\n')], ("x.jsonl", "line 1")),
    ("table missing", lambda d: ["run", "--source", clip(d / "c.mp4"), "--table", "no.json"], ("no.json",)),
    ("table of another form", lambda d: ["run", "--source", clip(d / "c.mp4"), "--table", written(d / "t.json", "{")], ("t.json",)),
    ("measure nothing", lambda d: ["measure", d / "nothing"], ("nothing",)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "argv", "words"), UNUSABLE, ids=[u[0] for u in UNUSABLE])
def test_unusable_input_says_what_to_do(
    kibitz: Say, tmp_path: Path, name: str, argv: Callable[[Path], list[object]], words: tuple[str, ...]
) -> None:
    status, out, err = kibitz(*argv(tmp_path))
    assert status == 2, err
    assert out == ""
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    assert "fault of Kibitz itself" not in err
    for word in words:
        assert word in err


@pytest.fixture
def spoilt_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the models that the reader takes for its own."""
    folder = tmp_path / "models"
    shutil.copytree(ROOT / "models", folder, ignore=shutil.ignore_patterns("*.py", "__pycache__", "*.pt"))
    import vision.files
    import vision.net

    real = vision.files.shipped

    def shipped(*parts: str) -> Path:
        return folder.joinpath(*parts[1:]) if parts[0] == "models" else real(*parts)

    for module in (vision.files, vision.net):
        monkeypatch.setattr(module, "shipped", shipped)
    return folder


SPOILT = [
    ("zero-byte model", lambda f: f.write_bytes(b""), "empty"),
    ("wrong sha256", lambda f: f.write_bytes(f.read_bytes()[:-1] + b"x"), "sha256"),
    ("missing model", lambda f: f.unlink(), "missing"),
]


@pytest.mark.parametrize(("name", "spoil", "word"), SPOILT, ids=[s[0] for s in SPOILT])
def test_spoilt_models_are_named(
    kibitz: Say, spoilt_models: Path, tmp_path: Path, name: str, spoil: Callable[[Path], object], word: str
) -> None:
    spoil(spoilt_models / "pose.onnx")
    status, _, err = kibitz("read", "--json", picture(tmp_path / "a.png"))
    assert status == 2
    assert err.count("\n") == 1, err
    assert "pose.onnx" in err
    assert word in err
    status, out, _ = kibitz("doctor", "--json", "--port", free_port())
    assert status == 1
    said = [f for f in json.loads(out) if f["state"] == "wrong" and "pose.onnx" in f["words"]]
    assert len(said) == 1
    assert said[0]["mend"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # cheroot leaves an unbound socket behind
def test_busy_port(kibitz: Say, tmp_path: Path, busy_port: int) -> None:
    status, _, err = kibitz("run", "--source", clip(tmp_path / "c.mp4"), "--port", busy_port)
    assert status == 2
    assert err.count("\n") == 1, err
    assert str(busy_port) in err
    assert "--port" in err
    status, out, _ = kibitz("doctor", "--json", "--port", busy_port)
    assert status == 1
    assert any(f["what"] == "port" and f["state"] == "wrong" for f in json.loads(out))


# ---------------------------------------------------------------- faults, pipes, imports


FAULTS = [
    (KibitzError("x", "it is\n  broken: mend it"), 2, "kibitz doctor: it is broken: mend it\n"),
    (FileNotFoundError(2, "No such file or directory", "a.txt"), 2, "kibitz doctor: a.txt: no such file"),
    (PermissionError(13, "Permission denied", "a.txt"), 2, "kibitz doctor: a.txt: permission denied"),
    (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), 2, "UTF-8"),
    (ImportError("libGL.so.1: cannot open shared object file: No such file or directory"), 2, "sudo apt-get install -y libgl1"),
    (ImportError("libgthread-2.0.so.0: cannot open shared object file: No such file"), 2, "libglib2.0-0"),
    (ImportError("libxcb.so.1: cannot open shared object file: No such file"), 2, "libxcb1"),
    (ImportError("libodd.so.3: cannot open shared object file: No such file"), 2, "libodd"),
    (ModuleNotFoundError("No module named 'cv2'", name="cv2"), 2, "pip install opencv-python"),
    (ModuleNotFoundError("No module named 'webui.gone'", name="webui.gone"), 70, "KIBITZ_DEBUG"),
    (ZeroDivisionError("division by zero"), 70, "a fault of Kibitz itself, ZeroDivisionError: division by zero"),
    (AssertionError(), 70, "AssertionError"),
    (KeyboardInterrupt(), 130, ""),
]


@pytest.mark.parametrize(("fault", "status", "words"), FAULTS, ids=[repr(f[0])[:50] for f in FAULTS])
def test_faults_in_words(kibitz: Say, monkeypatch: pytest.MonkeyPatch, fault: BaseException, status: int, words: str) -> None:
    def broken(args: object) -> int:
        raise fault

    changed = [replace(c, work=broken) if c.name == "doctor" else c for c in commands.COMMANDS]
    monkeypatch.setattr(commands, "COMMANDS", tuple(changed))
    got, _, err = kibitz("doctor")
    assert got == status
    assert words in err
    assert err.count("\n") == (1 if words else 0)
    if isinstance(fault, Exception):
        monkeypatch.setenv("KIBITZ_DEBUG", "1")
        with pytest.raises(type(fault)):
            kibitz("doctor")


def run(*argv: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "webui.cli", *map(str, argv)], cwd=ROOT, text=True, timeout=60, **options)  # type: ignore[call-overload, no-any-return]


def test_a_reader_that_has_enough_is_no_error() -> None:
    done = subprocess.run(
        f"'{sys.executable}' -m webui.cli rules gostop | head -1; echo ${{PIPESTATUS[0]}}", cwd=ROOT, shell=True, executable="/bin/bash",
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "0"


def test_the_command_line_starts_without_the_heavy_libraries() -> None:
    heavy = "('cv2', 'flask', 'onnxruntime', 'numpy')"
    code = f"import sys, webui.cli; webui.cli.build_parser(); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


def test_judging_and_rules_need_no_heavy_library() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('cv2', 'flask', 'onnxruntime', 'numpy')))\n"
        "from webui.cli import main; sys.exit(main(['judge', 'tests/data/rules/cases-gostop.jsonl']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    assert len(done.stdout.splitlines()) == 134


def test_a_case_that_cannot_be_judged_leaves_status_1() -> None:
    done = run("judge", "-", input='{"id": "a", "game": "gostop"}\n', capture_output=True)
    assert done.returncode == 1
    assert json.loads(done.stdout)["id"] == "a"


def test_missing_libraries_are_all_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def lacking(name: str) -> object:
        if name == "cv2":
            raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")
        if name == "flask":
            raise ModuleNotFoundError("No module named 'flask'", name="flask")
        return object()

    monkeypatch.setattr(libraries.importlib, "import_module", lacking)
    assert libraries.main() == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "libgl1" in lines[0]
    assert "flask" in lines[1]


def test_work_names_are_real() -> None:
    """Every command's work is a function of webui.work."""
    for command in commands.COMMANDS:
        assert getattr(work, command.work.__name__) is command.work
    assert cli.UNUSABLE == 2


# ---------------------------------------------------------------- export and import


def test_a_game_is_exported_imported_and_the_same(kibitz: Say, tmp_path: Path) -> None:
    match = Match(game="gostop", ruleset="classic", players=("A", "B"), dealer="A", options={})
    data = tmp_path / "games"
    data.mkdir()
    with Store(data / "games.sqlite", now_ms=1) as store:
        session = store.create(match, 1)
    status, log, _ = kibitz("export", session, "--data", data)
    assert status == 0
    assert len(log.splitlines()) == len(match.events)
    file = tmp_path / "evening.jsonl"
    status, out, _ = kibitz("export", "last", "--jsonl", "--out", file, "--data", data)
    assert (status, out, file.read_text()) == (0, "", log)
    status, out, _ = kibitz("import", file, "--data", data)
    assert status == 0
    assert out.startswith(f"session {session + 1}:")
    assert kibitz("export", session + 1, "--data", data)[1] == log
    assert kibitz("export", file)[1] == log
    assert kibitz("export", data / "games.sqlite")[1] == log
    status, table, _ = kibitz("export", "last", "--csv", "--data", data)
    assert status == 0
    assert table.startswith("deal,dealer,")
    assert kibitz("export", 99, "--data", data)[0] == 2


def test_rules_list_and_words(kibitz: Say) -> None:
    status, out, _ = kibitz("rules")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(commands.GAMES)
    status, out, _ = kibitz("rules", "gostop", "matgo-2p", "--lang", "ko")
    assert status == 0
    assert out.startswith("고스톱")
