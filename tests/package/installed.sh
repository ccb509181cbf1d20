#!/bin/sh
# installed.sh SOURCES BUILD_FOLDER: installs into a folder of its own; runs the program from there, builds and runs the examples by
# find_package and by pkg-config, and configures them with SOURCES as a folder of their own build.
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

cmake -S "$sources/examples" -B found -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug >/dev/null
cmake --build found --parallel 2
ctest --test-dir found --output-on-failure
"$prefix/bin/tasktwin" simulate cholesky --designs shared-queue --policy found/liburgent_first.so

package=$(find "$prefix" -name tasktwin.pc)
flags=$(PKG_CONFIG_PATH=$(dirname "$package") pkg-config --define-prefix --cflags --libs tasktwin)
# shellcheck disable=SC2086  # one word a flag
c++ "$sources/examples/two_designs.cpp" $flags -o two_designs
./two_designs

mkdir part
cat >part/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(part LANGUAGES CXX)
add_subdirectory($sources tasktwin EXCLUDE_FROM_ALL)
add_subdirectory($sources/examples examples)
END
cmake -S part -B part/build -DTASKTWIN_CUDA=OFF -DTASKTWIN_REPORT=OFF >/dev/null
