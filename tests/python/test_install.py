import os
import subprocess
import sys


def test_the_installed_package_is_imported_from_dist_packages(tmp_path):
    subprocess.run(
        ["cmake", "--install", os.environ["TASKTWIN_BUILD"], "--component", "python", "--prefix", tmp_path],
        check=True,
        capture_output=True,
    )
    folder = tmp_path / "lib/python3/dist-packages"
    files = {file.name.split(".")[0] + file.suffix for file in (folder / "tasktwin").iterdir()}
    assert files == {"__init__.py", "__init__.pyi", "_core.so", "py.typed"}
    result = subprocess.run(
        [sys.executable, "-B", "-c", "import tasktwin; print(tasktwin.__file__, tasktwin.__version__)"],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.startswith(str(folder))
