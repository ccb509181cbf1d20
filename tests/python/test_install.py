import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("prefix", ["usr", "usr/local"])
def test_the_package_is_installed_where_debian_s_python_looks(tmp_path, prefix):
    subprocess.run(
        ["cmake", "--install", os.environ["TASKTWIN_BUILD"], "--component", "python", "--prefix", tmp_path / prefix],
        check=True,
        capture_output=True,
    )
    version = "python3" if prefix == "usr" else f"python3.{sys.version_info.minor}"
    folder = tmp_path / prefix / "lib" / version / "dist-packages"
    files = {file.name.split(".")[0] + file.suffix for file in (folder / "tasktwin").iterdir()}
    assert files == {
        "__init__.py",
        "__init__.pyi",
        "_commands.py",
        "_core.so",
        "_intervals.py",
        "_networks.py",
        "_pickling.py",
        "_plots.py",
        "errors.csv",
        "py.typed",
    }
    result = subprocess.run(
        [sys.executable, "-B", "-c", "import tasktwin; print(tasktwin.__file__, tasktwin.__version__)"],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.startswith(str(folder))
