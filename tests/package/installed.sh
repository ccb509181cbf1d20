#!/bin/sh
# installed.sh SOURCES BUILD_FOLDER: installs into a folder of its own; runs the program from there, builds and runs the examples by
# find_package and by pkg-config, both as docs/library.md has it, and configures them with SOURCES as a folder of their own build.
set -eu
sources=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/usr
unset TASKTWIN_DATA

cmake --install "$build" --prefix "$prefix" >/dev/null
mv "$prefix" "$work/moved"  # nothing may depend on where it was installed
prefix=$work/moved
cd "$work"
"$prefix/bin/tasktwin" simulate cholesky --designs shared-queue
"$prefix/bin/tasktwin" verify cholesky --designs shared-queue
cmp "$sources/gpu/own/interface.cuh" "$prefix/include/tasktwin/kernel.hpp"

# Without CUDA, which the simulator does not need, whatever the libraries were built with.
cmake -S "$sources/examples" -B found -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON >/dev/null
cmake --build found --parallel 2
ctest --test-dir found --output-on-failure
"$prefix/bin/tasktwin" simulate cholesky --designs shared-queue --policy found/liburgent_first.so

# The page's lines for those who do without CMake, of which the first makes a program and the second a policy.
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tasktwin.pc)")
export PKG_CONFIG_PATH
mkdir bin
printf '#!/bin/sh\nexec %s --define-variable=prefix=%s "$@"\n' "$(command -v pkg-config)" "$prefix" >bin/pkg-config
chmod +x bin/pkg-config
PATH=$work/bin:$PATH
# shellcheck disable=SC2016  # backquotes of Markdown
line() { grep -o '`c++ [^`]*`' "$sources/docs/library.md" | tr -d '`' | sed -n "$1p"; }
cp "$sources/examples/two_designs.cpp" mine.cpp
eval "$(line 1)"
./a.out
cp "$sources/examples/urgent_first.cpp" mine.cpp
eval "$(line 2)"
"$prefix/bin/tasktwin" simulate cholesky --designs shared-queue --policy libmine.so >by_pkg_config
"$prefix/bin/tasktwin" simulate cholesky --designs shared-queue --policy found/liburgent_first.so >by_cmake
[ "$(sed 1d by_pkg_config)" = "$(sed 1d by_cmake)" ]  # the first line names the policy
echo 'int nothing;' | c++ -shared -fPIC -x c++ - -o libwrong.so
if "$prefix/bin/tasktwin" simulate cholesky --designs shared-queue --policy libwrong.so 2>refusal; then exit 1; fi
grep -q 'does not define tasktwin_policy_abi' refusal

# The C program of docs/estimate.md, as it says.
sed -n '/^```c$/,/^```$/p' "$sources/docs/estimate.md" | sed '1d;$d' >estimate.c
# shellcheck disable=SC2046  # words of flags
cc estimate.c -o estimate $(pkg-config --cflags --libs tasktwin-c)
LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libtasktwin.so)") ./estimate | grep -q 'recordings say'

mkdir part
cat >part/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(part LANGUAGES CXX)
add_subdirectory($sources tasktwin EXCLUDE_FROM_ALL)
add_subdirectory($sources/examples examples)
END
cmake -S part -B part/build -DTASKTWIN_CUDA=OFF -DTASKTWIN_REPORT=OFF >/dev/null
