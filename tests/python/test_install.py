import os
import subprocess
import sys
from pathlib import Path

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
        "_checks.py",
        "_commands.py",
        "_core.so",
        "_intervals.py",
        "_networks.py",
        "_pickling.py",
        "_plots.py",
        "_worded.py",
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


@pytest.mark.parametrize(
    "module, why",
    [
        ("_core.cpython-39-x86_64-linux-gnu.so", "is built for Python 3.9, this is Python 3."),
        (None, "'make python' builds it"),
    ],
)
def test_a_module_of_another_python_says_so(tmp_path, module, why):
    package = tmp_path / "tasktwin"
    package.mkdir()
    (package / "__init__.py").write_text(Path("python/tasktwin/__init__.py").read_text())
    if module:
        (package / module).touch()
    result = subprocess.run(
        [sys.executable, "-B", "-c", "import tasktwin"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert why in result.stderr.splitlines()[-1]


def test_a_python_without_numpy_says_so(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')\n")
    result = subprocess.run(
        [sys.executable, "-B", "-c", "import tasktwin"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "tasktwin needs NumPy" in result.stderr.splitlines()[-1]
