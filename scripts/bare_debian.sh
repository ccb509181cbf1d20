#!/bin/sh
# bare_debian.sh WHEEL: installs the wheel with pip where nothing else is: in a root of Debian's base packages, Python and NumPy, made of apt's packages in a
# folder of its own and removed afterwards. Simulates there, and checks that shared objects find all but glibc in the wheel. As root.
set -eu
wheel=$(realpath "$1")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/debs/partial" "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64"
chmod 755 "$root"
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done

: >"$root/nothing-installed"
# shellcheck disable=SC2046
apt-get -qq -y -o Dir::State::status="$root/nothing-installed" -o Dir::Cache::archives="$root/debs" -o APT::Install-Recommends=false -o Debug::NoLocking=1 \
  --download-only install base-files base-passwd bash coreutils dash debianutils diffutils dpkg findutils grep gzip hostname init-system-helpers libc-bin \
  login mawk mount ncurses-base ncurses-bin passwd perl-base sed sysvinit-utils tar util-linux python3 python3-pip python3-venv python3-numpy
for package in "$root"/debs/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink; done
cp "$wheel" "$root/tmp/"

cat >"$root/tmp/try.py" <<'END'
import re, subprocess, sys
from pathlib import Path
import tasktwin

machine, design = tasktwin.load_machine("nvidia-h200"), tasktwin.Design("static-queues")
graph = tasktwin.Graph.from_arrays([(0, 1), (0, 2), (1, 3), (2, 3)], time_ns=[4000, 6000, 5000, 3000])
estimate = tasktwin.Estimate(graph, machine, design)
before = estimate.run()
assert before == tasktwin.simulate(graph, machine, design).makespan_ns
estimate.set_time(1, 20000)
assert estimate.run() > before
assert len(tasktwin.sweep("example", {"seed": [1, 2]}, "shared-queue")["rows"]) == 2
package = Path(tasktwin.__file__).parent
for binary in [*package.glob("_core*.so"), package / "bin" / "tasktwin"]:
    for name, file in re.findall(r"(\S+) => (\S+)", subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout):
        of_glibc = re.match(r"lib(c|m|dl|rt|pthread|resolv|util)\.so", name)
        assert of_glibc or str(package.parent) in str(Path(file).resolve()), (binary, name, file)
print(tasktwin.__version__, "of", package, "predicts", before, "ns")
END
cat >"$root/tmp/try.sh" <<'END'
mknod /dev/null c 1 3
mknod /dev/urandom c 1 9
dpkg --force-depends --install /debs/base-passwd*.deb /debs/base-files*.deb >/tmp/log 2>&1
dpkg --force-depends --install /debs/*.deb >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
python3 -m venv --system-site-packages /venv
/venv/bin/pip install --quiet --no-index /tmp/tasktwin-*.whl
echo "Debian $(cat /etc/debian_version), $(dpkg --list | grep -c "^ii") packages"
cd /tmp && /venv/bin/python try.py
/venv/bin/tasktwin simulate example --designs shared-queue | tail -n 3
END
# The loader finds what is beside an executable by /proc.
unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp \
  DEBIAN_FRONTEND=noninteractive sh -e /tmp/try.sh' "$root"
