# SPDX-License-Identifier: MIT
# A thin front of CMake and CTest. `make test` and `make bench` are all the set-up there is; `make help` lists the rest.

BUILD      ?= build
JOBS       ?= $(shell nproc)
PREFIX     ?= /usr/local
BENCH_ARGS ?=

configure = cmake --preset $(1) -B $(BUILD)/$(1) -Wno-dev --log-level=NOTICE
build     = $(configure) && cmake --build $(BUILD)/$(1) --parallel $(JOBS)
ctest     = ctest --test-dir $(BUILD)/$(1) --output-on-failure --no-tests=error --parallel $(JOBS)
MAIN      = --label-exclude '^(headers|install|tools|model|fuzz)$$'
# The stress shapes run as installed and under the sanitizers.
CALM      = --label-exclude '^(headers|install|tools|model|fuzz|stress)$$'
SECONDS   ?= 60

.PHONY: help packages test test-release test-debug test-clang test-asan test-tsan check-long stress bench install clean

help:
	@echo 'make test                 build and test: gcc, clang, and under the sanitizers'
	@echo 'make test-PRESET          one of them: release, debug, clang, asan, tsan'
	@echo 'make check-long           what takes longer: many random operations, tests under Valgrind'
	@echo 'make stress               shared arenas under stress, SECONDS=$(SECONDS) for each shape and mode'
	@echo 'make bench                measure beside the peers; BENCH_ARGS="--quick AllocTest" picks'
	@echo 'make install              build and install to PREFIX, $(PREFIX) unless given'
	@echo 'make clean                remove $(BUILD)/'

packages:
	@cmake/install-packages.sh

# One after the other: each uses all processors by itself, and the summaries stay apart.
test: packages
	@$(MAKE) --no-print-directory test-release
	@$(MAKE) --no-print-directory test-debug
	@$(MAKE) --no-print-directory test-clang
	@$(MAKE) --no-print-directory test-asan
	@$(MAKE) --no-print-directory test-tsan

test-release: packages
	@echo '== release: everything'
	@$(call build,release)
	@$(call ctest,release)

# Not again: how the headers compile, what is installed, and the memory tools on the library as it is installed.
test-debug test-clang: test-%: packages
	@echo '== $*: the main tests'
	@$(call build,$*)
	@$(call ctest,$*) $(CALM)

test-asan test-tsan: test-%: packages
	@echo '== $*: the main tests'
	@$(call build,$*)
	@$(call ctest,$*) $(MAIN)

check-long: packages
	@$(call build,release)
	@$(call ctest,release) --build-config long --label-regex '^long$$'

stress: packages
	@$(call build,release)
	@python3 tests/stress/run.py $(BUILD)/release/tests/stress/stress --seconds $(SECONDS)

bench: packages
	@$(call build,release)
	@$(BUILD)/release/bin/isthmus bench $(BENCH_ARGS)

# Asks for no packages: what it needs is a part of what `make test` does, and the configuration names it.
install:
	@$(call configure,release) -DCMAKE_INSTALL_PREFIX='$(PREFIX)' && cmake --build $(BUILD)/release --parallel $(JOBS)
	@cmake --install $(BUILD)/release

clean:
	rm -rf $(BUILD)
