# The front door. `make help` lists the targets.
BUILD := build/release
PREFIX := /usr/local
PUBLIC := public
VERSION := $(shell sed -n 's/^project.tasktwin VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# In CI warnings are errors, headers are precompiled, since its compiler cache may be empty, code is compiled quickly, and kernels, which
# nothing runs there, to PTX alone.
SETTINGS = -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DTASKTWIN_WERROR=$(if $(CI),ON,OFF) \
  $(if $(CI),-DTASKTWIN_PRECOMPILED_HEADERS=ON -DCMAKE_CUDA_ARCHITECTURES=90-virtual \
  -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG')

# nvcc where the CUDA Toolkit puts it, if PATH does not have it. Without any the GPU executors are left out.
export CUDACXX ?= $(or $(shell command -v nvcc),$(firstword $(wildcard /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc)))

FOLDERS := models scenarios sim c gpu verify python tests examples
CXX_FILES = $(shell find $(FOLDERS) -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh')
CPP_FILES = $(shell find $(FOLDERS) -name '*.cpp')

.DEFAULT_GOAL := help
.PHONY: help setup configure build python tests demo test count referee picture sanitize threads fuzz nightly faults checks bench install package wheel release bundle docs format lint check clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

demo: build  ## predict a decode step and a Cholesky factorisation, and hold both against the GPU or its recordings
	@mkdir -p out
	$(BUILD)/tasktwin verify scenarios/llama-1b-decode.yaml scenarios/cholesky.yaml --trace out/trace.json

test: export TASKTWIN_PACKAGES := packages.txt packages-test.txt
test: tests  ## all tests, or those of one label: make test LABEL=unit
	@sh scripts/test.sh $(BUILD) $(LABEL)

build: configure  ## the executable build/release/tasktwin alone
	cmake --build $(BUILD) --target tasktwin

tests: configure
	cmake --build $(BUILD) --target tests

python: configure  ## the Python package build/release/python/tasktwin, for Debian's python3
	cmake --build $(BUILD) --target tasktwin_python

configure: setup
	@cmake --preset release $(SETTINGS) >/dev/null

setup:
	@sh scripts/setup.sh

count:  ## lines and files of product, tests, pages and data
	@sh scripts/count.sh

referee: build  ## docs/referee.md: what others measured, predicted; fetches their files into PUBLIC (public/) where there is a network
	@python3 scripts/fetch_public.py $(BUILD)/tasktwin $(PUBLIC)
	@sh scripts/docs.sh $(BUILD)/tasktwin docs/referee.md

picture: build  ## draw docs/pictures/ anew, predicted above measured
	@sh scripts/pictures.sh $(BUILD)/tasktwin docs/pictures

sanitize: setup  ## the unit tests of models, scenarios and sim under the address and undefined-behaviour sanitizers
	@sh scripts/sanitize.sh asan

threads: setup  ## the same under the thread sanitizer
	@sh scripts/sanitize.sh tsan

fuzz: setup  ## each fuzzer for 30 s, or so many as it says: make fuzz FOR=300
	@sh scripts/fuzz.sh $(or $(FOR),30)

nightly: setup  ## each fuzzer for five minutes, sanitizers, 500 kills, the same bytes by all compilers, searches against trying everything
	@sh scripts/nightly.sh $(BUILD)

faults: build  ## faults of a GPU, on one: bodies that fault, hang or leave their buffers, memory that runs out, kills
	@sh scripts/gpu_faults.sh $(BUILD)/tasktwin

checks: build  ## compute-sanitizer's four tools over every executor, on a GPU
	@sh scripts/gpu_sanitizers.sh $(BUILD)/tasktwin

bench: configure  ## simulated tasks per second, beside a bare binary heap, from file to answer, of estimates, and what Python adds
	cmake --build $(BUILD) --target tasktwin_bench tasktwin_answer_bench tasktwin_estimate_bench
	$(BUILD)/tasktwin_bench
	$(BUILD)/tasktwin_answer_bench
	$(BUILD)/tasktwin_estimate_bench
	ctest --test-dir $(BUILD) -C Bench -L bench --verbose

install: configure  ## the executable, its data and the libraries, under PREFIX (/usr/local)
	cmake --build $(BUILD)
	cmake --install $(BUILD)

package: export TASKTWIN_PACKAGES := packages.txt packages-package.txt
package: PREFIX := /usr
package: configure  ## Debian packages of the program and of the libraries, in build/release/packages
	cmake --build $(BUILD)
	@cd $(BUILD) && cpack
	@ls $(BUILD)/packages/*.deb

wheel: configure  ## the Python package with all that it needs, as build/release/wheel-out/tasktwin-*.whl, which pip installs
	cmake --build $(BUILD) --target tasktwin tasktwin_python
	@/usr/bin/python3 scripts/wheel.py $(BUILD) $(BUILD)/wheel-out $(VERSION)

release: package wheel bundle  ## release/: packages, wheel, bundle and sources of this commit, with checksums
	@sh scripts/release.sh $(BUILD) bundle release

bundle: build  ## bundle/: a folder that runs on a GPU node with only the driver
	$(if $(CUDACXX),cmake --build $(BUILD) --target tasktwin_gpu_tests)
	@sh scripts/bundle.sh $(BUILD) bundle

docs: configure  ## the generated parts of docs/ and the README: named designs, docs/reference/, accuracy
	cmake --build $(BUILD) --target docs_reference
	@python3 scripts/errors.py $(BUILD)/tasktwin

format:  ## clang-format every file
	@command -v clang-format >/dev/null || { echo "clang-format is missing: apt-get install clang-format" >&2; exit 1; }
	@clang-format -i $(CXX_FILES)

lint: configure  ## each header compiled alone, and clang-tidy (16, the first that reads the compiler's ranges) on every file
	cmake --build $(BUILD) --target tasktwin_headers_alone
	@sh scripts/tidy.sh $(CPP_FILES)

check: export TASKTWIN_PACKAGES := packages.txt packages-lint.txt
check: setup  ## format and clang-tidy of what differs from the commit BASE
	@sh scripts/check_changes.sh $(BASE)

clean:  ## remove everything made here
	rm -rf build bundle release out
