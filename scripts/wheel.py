"""wheel.py BUILD_FOLDER OUTPUT_FOLDER VERSION: the Python package as a wheel that pip installs from its file on a bare system: the module, the
executable, the shared libraries they need (glibc excepted), scenarios and recordings. Run by the Python that the module was built for."""

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

# What glibc owns must match the machine's kernel and loader, what the driver owns its kernel module; Python is there.
LEFT_OUT = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|cuda|nvidia-.*|python3.*))\.so")

METADATA = """Metadata-Version: 2.1
Name: tasktwin
Version: {version}
Summary: Predicts how a task graph runs under a schedule design
License: Apache-2.0
Requires-Python: >=3.{minor},<3.{next_minor}
Requires-Dist: numpy
Provides-Extra: plots
Requires-Dist: matplotlib; extra == "plots"
Provides-Extra: networks
Requires-Dist: networkx; extra == "networks"

Task graphs under schedule designs, predicted and measured. docs/python.md of the sources has the manual.
"""


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def libraries(binary):
    """The shared libraries that it needs, and those need, as files."""
    found = {}
    for line in run("ldd", binary).splitlines():
        if "not found" in line:
            sys.exit(f"wheel: {binary}: {line.strip()}")
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match and not LEFT_OUT.match(match[1]):
            found[match[1]] = Path(match[2])
    return found


def data_files(package):
    """Scenarios, machines and recordings, as `data/scenarios` and `data/verify` of the package."""
    for root, suffixes in (("scenarios", {".yaml"}), ("verify/recorded", {".json", ".jsonl", ".gz"}), ("verify/public", None)):
        for file in sorted(Path(root).rglob("*")):
            if file.is_file() and (suffixes is None or file.suffix in suffixes):
                target = package / "data" / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)


def fill(folder, build):
    package = folder / "tasktwin"
    package.mkdir(parents=True)
    for file in sorted((build / "python" / "tasktwin").iterdir()):
        if file.suffix in {".csv", ".py", ".pyi", ".so", ".typed"}:
            shutil.copy(file, package)
    (package / "bin").mkdir()
    shutil.copy(build / "tasktwin", package / "bin")
    kept = folder / "tasktwin.libs"
    kept.mkdir()
    for binary, path in ((next(package.glob("_core*.so")), "$ORIGIN/../tasktwin.libs"), (package / "bin" / "tasktwin", "$ORIGIN/../../tasktwin.libs")):
        for name, file in libraries(binary).items():
            if not (kept / name).exists():
                shutil.copy(file, kept / name)
        run("strip", "--strip-unneeded", binary)
        run("patchelf", "--force-rpath", "--set-rpath", path, binary)
    for library in kept.iterdir():  # those with a path of their own do not look at that of whom needs them
        library.chmod(0o644)
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", library)
    data_files(package)


def record(folder, name):
    """RECORD: every file with its hash and size."""
    lines = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{file.relative_to(folder)},sha256={digest},{len(content)}\n")
    (folder / name).write_text("".join(lines) + f"{name},,\n")


def main(build, output, version):
    minor = sys.version_info.minor
    tag = f"cp3{minor}-cp3{minor}-linux_{sysconfig.get_platform().removeprefix('linux-')}"
    folder = build / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    fill(folder, build)
    info = folder / f"tasktwin-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA.format(version=version, minor=minor, next_minor=minor + 1))
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: tasktwin\nRoot-Is-Purelib: false\nTag: {tag}\n")
    (info / "entry_points.txt").write_text("[console_scripts]\ntasktwin = tasktwin._commands:main\n")
    shutil.copy("LICENSE", info)
    record(folder, f"{info.name}/RECORD")
    output.mkdir(parents=True, exist_ok=True)
    wheel = output / f"tasktwin-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            described = zipfile.ZipInfo(str(file.relative_to(folder)), (1980, 1, 1, 0, 0, 0))  # the same bytes each time
            described.external_attr = (0o100755 if file.stat().st_mode & 0o100 else 0o100644) << 16
            described.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(described, file.read_bytes())
    print(wheel)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
