"""What the documents promise is there: commands, make targets, links; and what is there is in the documents."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from webui import commands
from webui.cli import build_parser

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", commands.COMMANDS, ids=[c.name for c in commands.COMMANDS])
def test_every_command_is_in_the_readme_and_has_help(command: commands.Command) -> None:
    assert re.search(rf"`kibitz {re.escape(command.name)}[ `]", README), f"kibitz {command.name} is not in README.md"
    assert len(command.help) > 10


@pytest.mark.parametrize("command", commands.COMMANDS, ids=[c.name for c in commands.COMMANDS])
def test_every_option_has_help(command: commands.Command) -> None:
    parser = build_parser()
    for word in command.name.split():
        actions = [a for a in parser._actions if isinstance(getattr(a, "choices", None), dict)]
        parser = actions[0].choices[word]  # type: ignore[index, assignment]
    for action in parser._actions:
        assert action.help, f"{command.name}: {action.option_strings or action.dest} has no help"


def spoken() -> list[str]:
    """Command lines in the documents, placeholders filled in."""
    found = []
    for document in DOCUMENTS:
        for line in re.findall(r"`(kibitz [^`]+)`", document.read_text(encoding="utf-8")):
            line = line.replace("...", "").replace("[", "").replace("]", "").replace("GAME", "gostop").replace("RULESET", "classic")
            if shlex.split(line)[1] not in ("doctor:",):
                found.append(line)
    return sorted(set(found))


@pytest.mark.parametrize("line", spoken())
def test_command_lines_in_the_documents_are_understood(line: str) -> None:
    build_parser().parse_args(shlex.split(line)[1:])


def test_make_targets_are_documented_and_real() -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.M))
    for name in ("run", "test", "lint", "type", "check", "cases", "golden", "bench", "soak", "accuracy"):
        assert name in targets
    told = {word for line in re.findall(r"^make ([a-z ]+)", README, re.M) for word in line.split()}
    assert told <= targets, told - targets
    assert targets - {"help", "clean"} <= told, targets - told
    for script in re.findall(r"tools/[\w/]+\.(?:sh|py)", MAKEFILE):
        assert (ROOT / script).is_file(), script
    for module in re.findall(r"-m (tools\.\w+)", MAKEFILE):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module


@pytest.mark.parametrize("document", DOCUMENTS, ids=[str(d.relative_to(ROOT)) for d in DOCUMENTS])
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_version_has_an_entry_in_the_changelog() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changelog or f"## [{version}]" in changelog


def test_dependencies_are_bounded_and_torch_is_for_training_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for needed in [*project["dependencies"], *project["optional-dependencies"]["train"], *project["optional-dependencies"]["test"]]:
        assert re.search(r">=[\d.]+,<\d", needed), f"{needed} has no bounds"
    assert not any("torch" in d for d in [*project["dependencies"], *project["optional-dependencies"]["test"]])


@pytest.mark.parametrize("path", [*sorted((ROOT / "tools").glob("*.sh")), ROOT / ".ci" / "run"], ids=lambda p: p.name)
def test_scripts_can_be_run(path: Path) -> None:
    assert path.stat().st_mode & 0o111
    assert path.read_text(encoding="utf-8").startswith("#!")
