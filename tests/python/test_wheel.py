"""The wheel, in a virtual environment that knows nothing of the build."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("patchelf") is None, reason="patchelf is missing")

PROGRAM = """
import tasktwin
machine = tasktwin.load_machine("nvidia-h200")
graph = tasktwin.Graph.from_arrays([(0, 1)], time_ns=[1000, 2000])
print(tasktwin.simulate(graph, machine, tasktwin.Design("shared-queue")).makespan_ns)
print("cholesky" in tasktwin.shipped_scenarios(), tasktwin.__file__)
print(len(tasktwin.sweep("example", {"seed": [1, 2]}, "shared-queue")["rows"]))
"""


def test_pip_installs_it_with_all_that_it_needs(tmp_path):
    build = os.environ["TASKTWIN_BUILD"]
    made = subprocess.run(
        [sys.executable, "scripts/wheel.py", build, tmp_path, "0.0.1"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    wheel = made.stdout.strip()
    # NumPy is the system's: tests have no network.
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", venv], check=True)
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    pip = [venv / "bin" / "pip", "install", "--no-index", "--quiet", wheel]
    subprocess.run(pip, check=True, env=clean, cwd=tmp_path)
    result = subprocess.run([venv / "bin" / "python", "-c", PROGRAM], capture_output=True, text=True, check=False, env=clean, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    makespan, where, rows = result.stdout.splitlines()
    assert int(makespan) > 3000
    assert where.startswith("True " + str(venv))
    assert rows == "2"
    version = subprocess.run([venv / "bin" / "tasktwin", "--version"], capture_output=True, text=True, check=True, env=clean)
    assert version.stdout.startswith("tasktwin ")
    package = Path(where.removeprefix("True ")).parent
    for binary in (next(package.glob("_core*.so")), package / "bin" / "tasktwin"):
        needed = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
        assert "libsimgrid" in needed and "not found" not in needed
        for name, file in re.findall(r"(\S+) => (/\S+)", needed):
            of_glibc = re.match(r"lib(c|m|dl|rt|pthread|resolv|util)\.so", name)
            assert of_glibc or str(venv) in str(Path(file).resolve()), (name, file)
    taken = subprocess.run([venv / "bin" / "pip", "uninstall", "--yes", "--quiet", "tasktwin"], env=clean, check=False)
    assert taken.returncode == 0 and not package.exists()
