# The front door. `make demo` and `make test` are all a fresh Debian machine needs; the rest is for those who work here.
PRESET ?= release
PREFIX ?= /usr/local
JOBS := $(shell nproc)

.PHONY: all setup demo test bench validate docs install check-layout format clean

all: build/$(PRESET)/build.ninja
	@cmake --build build/$(PRESET) -j$(JOBS)
	@ln -sfn build/$(PRESET)/kinema kinema

build/%/build.ninja: CMakeLists.txt CMakePresets.json cmake/*.cmake
	@cmake --preset $* > build-$*.log 2>&1 || { cat build-$*.log; rm -f build-$*.log; exit 1; }
	@rm -f build-$*.log

setup:
	@scripts/setup.sh

demo: setup all
	@scripts/demo.sh

test: setup
	@scripts/test.sh

bench: all
	@./kinema bench

validate: all
	@./kinema validate --full

docs: all
	@scripts/docs.sh

install: all
	@cmake --install build/$(PRESET) --prefix $(PREFIX)

check-layout: all
	@scripts/check-layout.sh build/$(PRESET)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	@rm -rf build out kinema
