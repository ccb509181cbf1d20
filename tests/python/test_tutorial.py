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


def test_the_program_of_the_page_runs(capsys):
    for program in re.findall(r"```python\n(.*?)```", Path("docs/python.md").read_text(), re.DOTALL):
        exec(program, {})  # noqa: S102 - the page's own
    assert capsys.readouterr().out


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
