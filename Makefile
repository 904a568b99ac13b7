# The commands of mlir-scan. `make help` lists them. The build itself is CMake's;
# this file installs what is missing and calls it.

BUILD  ?= build
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
PYTHON := .venv/bin/python
# CMake finds itself by the first, pip its cache by the second: an empty environment
# has neither.
export PATH := $(or $(PATH),/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
export HOME := $(or $(HOME),$(shell getent passwd $$(id -u) | cut -d: -f6))

.DEFAULT_GOAL := help
.PHONY: help setup build check check-all wheel demo format lint asan debug clean
# The targets share build folders: never run two at once.
.NOTPARALLEL:

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

setup: ## install what the build and the tests need (Debian packages, .venv)
	@scripts/bootstrap.sh

build: setup ## build everything in build/
	@scripts/build.sh release $(BUILD) $(JOBS)

debug: setup ## build everything without optimisation in build-debug/
	@scripts/build.sh debug build-debug $(JOBS)

check: build ## build, run every test, end with the counts
	@$(PYTHON) scripts/run_tests.py $(BUILD) --jobs $(JOBS) $(if $(FILTER),--filter '$(FILTER)')

check-all: build ## the same, with all cases of the tests that run a sample of them
	@$(PYTHON) scripts/run_tests.py $(BUILD) --all --jobs $(JOBS) $(if $(FILTER),--filter '$(FILTER)')

wheel: build ## a wheel for Python with LLVM and MLIR inside, in dist/, tested
	@cmake --build $(BUILD) --target scan_core_static scan_core_stub -- -j$(JOBS)
	@$(PYTHON) -m pip wheel -q --no-index --no-build-isolation --no-deps \
	  --disable-pip-version-check -w dist ./python \
	  --config-settings=cmake.define.SCAN_STATIC_BUILD=$(abspath $(BUILD)) \
	  --config-settings=build-dir=$(abspath $(BUILD))/wheel
	@$(PYTHON) scripts/check_wheel.py dist

demo: build ## lower the RG-LRU to PTX, run it on the CPU, compare; train with it in Python
	@$(PYTHON) scripts/demo.py $(BUILD)

asan: ## run every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/bootstrap.sh --asan
	@scripts/build.sh asan build-asan $(JOBS)
	@$(PYTHON) scripts/run_tests.py build-asan --every --jobs $(JOBS) $(if $(FILTER),--filter '$(FILTER)')

format: ## rewrite the C++ sources in the project's format
	@scripts/bootstrap.sh --lint
	@scripts/lint.sh format

lint: ## format, clang-tidy on what differs from main (ALL=1: everything), layering
	@scripts/bootstrap.sh --lint
	@scripts/build.sh release $(BUILD) $(JOBS)
	@ALL='$(ALL)' scripts/lint.sh check $(BUILD) $(JOBS)

clean: ## remove what was built (not .venv)
	rm -rf build build-debug build-asan build-wheel dist
