import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")


def test_the_tutorial_names_a_winner_and_draws(tmp_path):
    result = subprocess.run([sys.executable, "examples/python/tutorial.py", tmp_path], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "winner: " in result.stdout
    for name in ("makespans.png", "timeline.png"):
        picture = (tmp_path / name).read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 5000


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", Path(page).read_text(), re.DOTALL)


@pytest.mark.parametrize("page", ["docs/python.md", "docs/policies.md", "docs/intervals.md", "docs/estimate.md"])
def test_the_programs_of_the_page_run(page, capsys):
    assert blocks(page, "python")
    for program in blocks(page, "python"):
        exec(program, {})  # noqa: S102 - the page's own
        assert capsys.readouterr().out


def test_the_commands_of_the_page_run():
    for commands in blocks("docs/python.md", "sh"):
        script = "set -e\nmake() { :; }\n" + commands.replace("build/release", os.environ["TASKTWIN_BUILD"]).replace("python3", sys.executable)
        result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        assert result.stdout


def test_policies_shown_are_those_of_the_examples():
    examples = "".join(file.read_text() for file in Path("examples/policies").iterdir())
    assert len(blocks("docs/policies.md", "cpp")) >= 5
    for block in blocks("docs/policies.md", "cpp"):
        assert block in examples, block


def test_without_matplotlib_the_tutorial_says_what_to_install(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ModuleNotFoundError(\"No module named 'matplotlib'\", name='matplotlib')")
    result = subprocess.run(
        [sys.executable, "examples/python/tutorial.py", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
    )
    assert result.returncode == 1
    assert "needs matplotlib: pip install matplotlib" in result.stderr
    assert "Traceback" not in result.stderr
