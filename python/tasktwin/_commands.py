"""What the command line does and the module does not itself: searches, sweeps, what-ifs and imports, by the executable."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._core import InputError, InternalError, RunError, Scenario, load_scenario

_PACKAGE = Path(__file__).parent
_NAME = "tasktwin.exe" if os.name == "nt" else "tasktwin"


def executable() -> str:
    """The command's executable: TASKTWIN_COMMAND in the environment, that of the wheel, of the build's folder, or of PATH."""
    stated = os.environ.get("TASKTWIN_COMMAND")
    if stated:
        return stated
    for place in (_PACKAGE / "bin" / _NAME, _PACKAGE.parent.parent / _NAME):
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    found = shutil.which(_NAME)
    if found is None:
        raise RunError("the executable 'tasktwin' is not found: install the program, or name it in TASKTWIN_COMMAND")
    return found


def _failure(code: int, message: str) -> Exception:
    message = message.strip().removeprefix("error: ")
    if code == 2:
        return InputError(message)
    return InternalError(message) if code == 3 else RunError(message or f"the command ended with exit code {code}")


def run(*arguments: str, progress: bool = False) -> str:
    """What `tasktwin ARGUMENTS` prints. With `progress` its progress and notes go to standard error. Ctrl-C ends it."""
    words = [executable(), *arguments] + ([] if progress else ["--quiet"])
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=None if progress else subprocess.PIPE, text=True) as process:
        try:
            out, errors = process.communicate()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
    if process.returncode != 0:
        raise _failure(process.returncode, errors or "the command failed; it has said why")
    return out


def _values(given: Any) -> str:
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    return ",".join(json.dumps(value) if isinstance(value, (bool, dict, list)) else str(value) for value in given)


def _vary(given: Mapping[str, Any] | Sequence[str]) -> list[str]:
    if isinstance(given, str):
        given = [given]
    texts = [f"{path}={_values(values)}" for path, values in given.items()] if isinstance(given, Mapping) else list(given)
    return [word for text in texts for word in ("--vary", text)]


def _options(**given: Any) -> list[str]:
    words: list[str] = []
    for name, value in given.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)):
            words += [word for one in value for word in (option, str(one))]
        else:
            words += [option, str(value)]
    return words


def _names(designs: str | Iterable[str] | None) -> str | None:
    return designs if designs is None or isinstance(designs, str) else ",".join(designs)


class _File:
    """A scenario as a file: the path or name that was given, or a document written to a folder that goes with this."""

    def __init__(self, scenario: str | os.PathLike[str] | Mapping[str, Any]) -> None:
        self._folder = None
        if isinstance(scenario, Mapping):
            self._folder = tempfile.TemporaryDirectory(prefix="tasktwin-")
            self.path = os.path.join(self._folder.name, "scenario.yaml")
            try:
                text = json.dumps(scenario)
            except TypeError as wrong:
                self._folder.cleanup()
                raise TypeError(f"scenario: {wrong}; it must be plain values, as a file has them") from None
            Path(self.path).write_text(text)
        elif isinstance(scenario, (str, os.PathLike)):
            self.path = os.fspath(scenario)
        else:
            raise TypeError(f"scenario: is a {type(scenario).__name__}; must be a path, a shipped scenario's name, or a file's contents as a dict")

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def search(
    scenario: str | os.PathLike[str] | Mapping[str, Any],
    vary: Mapping[str, Any] | Sequence[str],
    designs: str | Iterable[str] | None = None,
    *,
    method: str | None = None,
    budget: int | None = None,
    runs: int = 1,
    seed: int | None = None,
    jobs: int = 1,
    top: int | None = None,
    cost: str | None = None,
    results: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> dict[str, Any]:
    """The best design, values and parameters: `tasktwin search`. `vary` has values by path, such as {"designs.order": ["fifo", "lifo"]}."""
    with _File(scenario) as file:
        words = _vary(vary) + _options(
            designs=_names(designs), method=method, budget=budget, runs=runs, seed=seed, jobs=jobs, top=top, cost=cost,
            results=results, resume=resume,
        )
        return _result(run("search", file, *words, "--format", "json", progress=progress))


def sweep(
    scenario: str | os.PathLike[str] | Mapping[str, Any],
    vary: Mapping[str, Any] | Sequence[str],
    designs: str | Iterable[str] | None = None,
    *,
    runs: int = 1,
    jobs: int = 1,
    details: bool = False,
    progress: bool = False,
) -> dict[str, Any]:
    """Every combination of values under each design: `tasktwin sweep`."""
    with _File(scenario) as file:
        words = _vary(vary) + _options(designs=_names(designs), runs=runs, jobs=jobs, details=details)
        return _result(run("sweep", file, *words, "--format", "json", progress=progress))


def what_if(
    scenario: str | os.PathLike[str] | Mapping[str, Any],
    designs: str | Iterable[str] | None = None,
    *,
    seed: int | None = None,
    runs: int = 1,
    without: str | None = None,
    progress: bool = False,
    **changes: Any,
) -> list[dict[str, Any]]:
    """Effects of changes to a graph or captured program: `tasktwin simulate` with its options, such as as_="graph" or scale="gemm*=0.5".

    Gives the scenario as it is, and then each change.
    """
    with _File(scenario) as file:
        words = _options(designs=_names(designs), seed=seed, runs=runs, without=without, **changes)
        result = _result(run("simulate", file, *words, "--format", "json", progress=progress))
        return result if isinstance(result, list) else [result]


def import_scenario(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    progress: bool = False,
    **options: Any,
) -> Scenario:
    """Writes the scenario file `output` of files of another program, and reads it: `tasktwin scenario import` with its options."""
    given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    run("scenario", "import", *map(os.fspath, given), *_options(output=os.fspath(output), **options), progress=progress)
    return load_scenario(os.fspath(output))


def main() -> None:
    """The command line, of the wheel's executable."""
    import sys

    os.execv(executable(), ["tasktwin", *sys.argv[1:]])


def _result(text: str) -> Any:
    result = json.loads(text)
    for one in result if isinstance(result, list) else [result]:
        one.pop("format", None)
    return result
