# Two commands on a fresh machine: `make demo` and `make test`. `make help` lists all.

PYTHON ?= python3
BIN := .venv/bin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
# The profile of `Cargo.toml` by which all is built (`make test PROFILE=ci`). Without one the extension
# is made for speed, and tests to be compiled quickly again.
PROFILE =
EXTENSION := $(if $(PROFILE),--profile=$(PROFILE) --no-default-features,--release)
TESTS := $(if $(PROFILE),--profile=$(PROFILE),)
# A module of the tools is then compiled where it is first used: most never are.
TOOLS := $(if $(PROFILE),--no-compile,)
# And the compiler is clippy's, which checks what it compiles: apart, that would be compiled again.
ifneq ($(PROFILE),)
export RUSTC_WORKSPACE_WRAPPER := clippy-driver
export RUSTFLAGS := -D warnings
endif
export VIRTUAL_ENV := $(CURDIR)/.venv
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help setup demo test test-rust test-python lint format generate docs figures bench bench-peers dist check-dist clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup: .venv/.sojourn ## Everything into .venv: the package, its dependencies, the tools

demo: setup ## Run the EQM study in its quick form: tables, figures, verdicts
	sojourn reproduce eqm --quick --out results/eqm-quick

test: lint test-rust test-python ## Linters, generated files, all tests

lint: setup
	cargo fmt --all --check
	$(if $(PROFILE),,cargo clippy --quiet --workspace --all-targets --no-default-features -- -D warnings)
	ruff format --check --quiet python tests tools benchmarks examples
	ruff check --quiet python tests tools benchmarks examples
	codespell -L ect,ned,taht,conext *.md docs/*.md docs/how-to docs/concepts examples python/sojourn
	{ $(BIN)/python tools/generate.py --check && $(BIN)/python tools/readme.py --check; } & \
		pyright --warnings && wait $$!

test-rust: setup
	cargo test --quiet $(TESTS) --workspace --no-default-features

test-python: setup
	pytest

format: setup ## Format all code
	cargo fmt --all
	ruff format --quiet python tests tools benchmarks examples
	ruff check --quiet --fix python tests tools benchmarks examples

generate: setup ## Write anew what is derived from the code: schema, reference pages, README
	$(BIN)/python tools/generate.py
	$(BIN)/python tools/readme.py

docs: setup ## The documentation as a site in site/, which opens from disk
	NO_MKDOCS_2_WARNING=1 mkdocs build --strict --quiet
	@echo "open site/index.html"

figures: setup ## Draw the figures of the documentation anew: disciplines, concepts
	$(BIN)/python tools/discipline_figures.py
	$(BIN)/python tools/concept_figures.py

bench: ## Time the benchmark cases and the parts of the hot loop; with instructions, if valgrind is installed
	$(PYTHON) benchmarks/run.py --instructions

bench-peers: ## The same cases in ns-2, in ns-3 and here: goodputs and ratios of speed
	dpkg --status ns2 libns3-dev > /dev/null || apt-get install --yes ns2 libns3-dev g++
	$(PYTHON) benchmarks/peers.py

dist: setup ## Wheel, optimised by a profile, and source distribution into dist/
	rm -rf dist target/wheel
	PIP_CONSTRAINT=constraints.txt PIP_QUIET=1 \
		maturin build --quiet --release --pgo --target-dir target/wheel --out dist
	maturin sdist --out dist

check-dist: dist ## Install both in clean environments outside of the repository, and use them
	$(BIN)/python tools/check_dist.py --extras

clean: ## Remove what was built
	rm -rf .venv target results site dist python/sojourn/_core*.so

.venv/.tools: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sojourn needs Python 3.11 or later")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade -c constraints.txt pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TOOLS) -c constraints.txt \
		--group dev
	touch $@

# The modules are compiled as pip does it for a wheel: where the environment keeps Python from writing
# what it compiles, every start would compile them anew.
.venv/.sojourn: .venv/.tools $(RUST)
	PIP_CONSTRAINT=constraints.txt PIP_QUIET=1 maturin develop --quiet $(EXTENSION)
	$(BIN)/python -m compileall -q python/sojourn
	touch $@
