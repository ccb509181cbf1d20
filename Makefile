# The front door. `make help` lists the targets.
BUILD := build/release
WERROR := $(if $(CI),ON,OFF)

# nvcc where the CUDA Toolkit puts it, if PATH does not have it. Without any the GPU executors are left out.
export CUDACXX ?= $(or $(shell command -v nvcc),$(firstword $(wildcard /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc)))

CXX_FILES = $(shell find models scenarios sim gpu verify python tests -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh')
CPP_FILES = $(shell find models scenarios sim gpu verify python tests -name '*.cpp')

.DEFAULT_GOAL := help
.PHONY: help setup configure build demo test picture bench bundle docs format lint clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

demo: build  ## predict a decode step and a Cholesky factorisation, and hold both against the GPU or its recordings
	@mkdir -p out
	$(BUILD)/tasktwin verify scenarios/llama-1b-decode.yaml scenarios/cholesky.yaml --trace out/trace.json

test: export TASKTWIN_PACKAGES := packages.txt packages-test.txt
test: build  ## all tests, or those of one label: make test LABEL=unit
	@sh scripts/test.sh $(BUILD) $(LABEL)

build: configure  ## the executable build/release/tasktwin, and the tests
	cmake --build $(BUILD)

configure: setup
	@cmake --preset release -DTASKTWIN_WERROR=$(WERROR) >/dev/null

setup:
	@sh scripts/setup.sh

picture: build  ## draw docs/pictures/ anew, predicted above measured
	@sh scripts/pictures.sh $(BUILD)/tasktwin docs/pictures

bench: build  ## simulated tasks per second, beside a bare binary heap, and what Python adds
	$(BUILD)/tasktwin_bench
	ctest --test-dir $(BUILD) -C Bench -L bench --verbose

bundle: build  ## bundle/: a folder that runs on a GPU node with only the driver
	@sh scripts/bundle.sh $(BUILD) bundle

docs: configure  ## the generated parts of docs/: designs, machines, accuracy
	cmake --build $(BUILD) --target docs_reference

format:  ## clang-format every file
	@command -v clang-format >/dev/null || { echo "clang-format is missing: apt-get install clang-format" >&2; exit 1; }
	@clang-format -i $(CXX_FILES)

lint: configure  ## clang-tidy every file (16, the first that reads the compiler's ranges)
	@command -v clang-tidy-16 >/dev/null || { echo "clang-tidy-16 is missing: apt-get install clang-tidy-16" >&2; exit 1; }
	@printf '%s\n' $(CPP_FILES) | xargs -n 1 -P $(shell nproc) clang-tidy-16 --quiet --extra-arg=-Wno-unknown-warning-option -p $(BUILD)

clean:  ## remove everything made here
	rm -rf build bundle out
