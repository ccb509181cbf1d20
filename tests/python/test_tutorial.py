import subprocess
import sys

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
