# Fresh machine: Python >= 3.10 with venv, a Rust toolchain (>= 1.89) and make. Everything else lands in .venv.
# The wheel is installed, not linked, so .venv/bin/airlink is what a user gets; it is rebuilt when a source changed.

PYTHON ?= python3
STUDY ?= tcp-pf
OUT ?= airlink-results/$(STUDY)
FUZZ_SECONDS ?= 600
FUZZ_PROFILE ?= fuzz
PYTEST_JOBS ?= auto
PYTHON_LOWEST ?= python3.10
NEEDED = $(shell sed -n '/^dependencies/,/^]/s/^ *\(".*"\),/\1/p' pyproject.toml)
RULES := tests/test_tidy.py tests/test_imports.py tests/test_python_imports.py tests/test_rust_imports.py
VENV := .venv
BIN := $(VENV)/bin
CARGO_TESTED := --workspace --exclude airlink-py  # an extension module finds its symbols in Python, not in a test binary
SOURCES := $(sort $(shell find crates python \( -name '*.rs' -o -name Cargo.toml -o -path 'python/airlink/*' \
             -o -path 'python/airlink_studies/*' \) -type f -not -name '*.pyc' -not -name '*.so')) Cargo.toml Cargo.lock pyproject.toml

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MPLBACKEND := Agg
.DELETE_ON_ERROR:
.PHONY: all help venv wheel reproduce test test-rust test-built test-python lint lint-rust lint-python fuzz fuzz-inputs sanitize bench validate golden golden-v3 wheel-v3 generate docs site deny workflows \
  lowest lowest-rust lowest-python clean FORCE

all: $(VENV)/.installed  ## what `make` alone does: airlink in .venv, and how to use it
	@printf '%s\n' '' 'airlink is installed in $(VENV). In each new terminal activate it first:' '' '    source $(BIN)/activate' '' \
	  'Then write a scenario, run it and draw it:' '' '    airlink init cell.toml' '    airlink run cell.toml' \
	  '    airlink plot flow airlink-results/first-cell-1 --user 0 --out flow.png' ''

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

venv: $(VENV)/.installed  ## the environment with airlink and what it needs to run

wheel: $(VENV)/.installed  ## the same; the wheel for this platform is in dist/

reproduce: $(VENV)/.installed  ## [Klein04] (TCP-PF): Table I beside ours, a verdict per claim, report.html (STUDY=name OUT=folder)
	$(BIN)/airlink reproduce $(STUDY) --out $(OUT)

test: test-rust test-python  ## the tests; the last line says which did not run, and how to run them

test-rust:
	cargo test --locked $(CARGO_TESTED)

test-built:
	cargo test --locked --no-run $(CARGO_TESTED)

# A file's tests stay in one process, which shares what they measure. PYTEST_JOBS=0: all in one process.
test-python: $(VENV)/.test-tools
	$(BIN)/python -W error -m pytest -n $(PYTEST_JOBS) --maxprocesses 8 --dist loadfile --no-loadscope-reorder \
	  $(addprefix --ignore=,$(RULES)) --doctest-modules --pyargs airlink airlink_studies tests

lint: lint-rust lint-python  ## rustfmt, clippy, rustdoc, ruff, mypy, stubtest, and the rules of STYLE.md and ARCHITECTURE.md

lint-rust: $(VENV)/.test-tools
	cargo fmt --all -- --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	$(BIN)/python tests/rust_docs.py

lint-python: $(VENV)/.test-tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict
	$(BIN)/python -m mypy.stubtest airlink._rust
	$(BIN)/python -W error -m pytest -q -o verbosity_assertions=2 $(RULES)

# FUZZ_PROFILE=test searches with the build of test-rust: as many checks, slower code, nothing to compile.
fuzz:  ## TCP under any fields, networks and packets for FUZZ_SECONDS=600; kept seeds first, other cases each time
	FUZZ_SECONDS=$(FUZZ_SECONDS) cargo test --locked --profile $(FUZZ_PROFILE) $(CARGO_TESTED) --test all tcp_fuzz:: -- --nocapture \
	  --test-threads=3

fuzz-inputs: $(VENV)/.test-tools  ## scenarios, settings, traces, scripts and results from a grammar for FUZZ_SECONDS=600
	$(BIN)/python tests/fuzz_inputs.py $(FUZZ_SECONDS) $(FUZZ_SEED)

# What is `unsafe` with threads: the environments' crew and their memory. Needs a nightly toolchain with miri and rust-src.
SANITIZED := --locked -q -p airlink-sim
sanitize:  ## environments under ThreadSanitizer, their threads under Miri, in several orders (nightly Rust)
	RUSTFLAGS=-Zsanitizer=thread CARGO_TARGET_DIR=target/thread-sanitizer \
	  cargo +nightly test $(SANITIZED) -Zbuild-std --target $$(rustc -vV | sed -n 's/^host: //p') environment
	MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-many-seeds=0..8" CARGO_TARGET_DIR=target/miri \
	  cargo +nightly miri test $(SANITIZED) --lib -- environment::crew

bench: ## workloads A, B and C beside their floor kernels, measured in one run
	cargo run --locked --release -p airlink-bench

validate: $(VENV)/.test-tools  ## the longer proofs, part by part (PART=name); ns-2 (installed if need be) and the kernel (as root) are asked again
	BIN=$(BIN) tests/validate

GOLDEN_TESTS := -m pytest -n $(PYTEST_JOBS) --maxprocesses 8 tests/test_golden.py

golden: $(VENV)/.test-tools  ## golden digests on this build and on an x86-64-v3 build (GOLDEN=renew: write them anew)
	$(BIN)/python $(GOLDEN_TESTS)
	@$(MAKE) golden-v3

# On the other build alone: those of this one are compared in test-python, too.
ifeq ($(shell grep -qw avx2 /proc/cpuinfo 2>/dev/null && echo yes),yes)
golden-v3: wheel-v3 $(VENV)/.test-tools
	GOLDEN= PYTHONPATH=target/v3/site $(BIN)/python $(GOLDEN_TESTS)

wheel-v3: $(VENV)/.made
	rm -rf target/v3/wheel target/v3/site
	RUSTFLAGS="-C target-cpu=x86-64-v3" CARGO_TARGET_DIR=target/v3 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
	  CARGO_PROFILE_RELEASE_DEBUG=0 $(BIN)/pip wheel -q --no-deps -w target/v3/wheel .
	$(BIN)/pip install -q --no-deps --target target/v3/site target/v3/wheel/*.whl
else
golden-v3 wheel-v3:
	@echo "golden digests on x86-64-v3: left out, this machine cannot run that build"
endif

generate: $(VENV)/.test-tools  ## writes what comes from declarations in Rust: scenario/sections.py, tables/generated.py, docs/results.md
	cargo run -q --locked -p airlink-sim --example declaration > target/declaration.json
	$(BIN)/python tests/generate_sections.py < target/declaration.json
	$(BIN)/python tests/generate_tables.py

docs: generate  ## writes docs/{scenario,results,rules}.md and the tables of docs/{validation,explain,statistics}.md anew
	$(BIN)/airlink check --schema --markdown --out docs/scenario.md
	$(BIN)/python tests/rules_page.py > docs/rules.md
	PYTHONPATH=tests $(BIN)/python -m validation.page
	PYTHONPATH=tests $(BIN)/python -m validation.coverage.page
	PYTHONPATH=tests $(BIN)/python tests/explain_page.py

# Which tutorials are executed: AIRLINK_SITE_NOTEBOOKS=all, first or none. Fewer than all also means one picture of the gallery.
site: $(VENV)/.site-tools  ## the site of docs/, offline: target/site/index.html (AIRLINK_SITE_NOTEBOOKS=all, first or none)
	$(BIN)/python docs/build_site.py

# DENY="licenses bans sources" needs no list of advisories from the network.
deny:  ## cargo deny: advisories, licences, versions and sources of the Rust dependencies
	cargo deny --locked check $(DENY)

workflows:  ## actionlint on .github/workflows (needs Go)
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -shellcheck= -pyflakes=

# What Cargo.toml and pyproject.toml promise, taken from there: `>=` becomes `==`. What these packages need is the newest.
LOWEST := target/lowest
RUST_LOWEST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
LOWEST_TESTS := $(addprefix tests/test_,cell_page.py cli.py fairness.py flow_view.py models_clamp.py plots.py report.py \
  result.py scenario.py statistics.py)

lowest: lowest-rust lowest-python  ## builds and tests with the lowest Rust, Python (PYTHON_LOWEST=python3.10) and dependencies

lowest-rust:
	rm -rf $(LOWEST)/rust && mkdir -p $(LOWEST)/rust && cp -r Cargo.toml Cargo.lock crates $(LOWEST)/rust
	cd $(LOWEST)/rust && RUSTC_BOOTSTRAP=1 cargo +$(RUST_LOWEST) update -q -Z direct-minimal-versions
	cd $(LOWEST)/rust && CARGO_TARGET_DIR=../build cargo +$(RUST_LOWEST) build --locked --workspace
	cd $(LOWEST)/rust && CARGO_TARGET_DIR=../build cargo +$(RUST_LOWEST) test --locked $(CARGO_TESTED)

# Old packages use what newer ones below them call deprecated.
lowest-python: $(VENV)/.installed
	rm -rf $(LOWEST)/venv && $(PYTHON_LOWEST) -m venv $(LOWEST)/venv
	sed -n 's/^ *"\([a-z0-9-]*\)>=\([0-9.]*\).*/\1==\2/p' pyproject.toml > $(LOWEST)/versions.txt
	$(LOWEST)/venv/bin/pip install -q -c $(LOWEST)/versions.txt "$$(echo dist/airlink-*.whl)[dask,pandas,polars,xarray]" pytest hypothesis scipy
	$(LOWEST)/venv/bin/python -m pytest -q -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning $(LOWEST_TESTS)

clean:  ## removes what was built here
	rm -rf $(VENV) target dist

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 10) else "airlink needs Python >= 3.10: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Groups of pyproject.toml are known from 25.1 on.
$(VENV)/.pip: $(VENV)/.made
	$(BIN)/python -m pip install -q --upgrade pip
	@touch $@

# The list itself is a prerequisite, so a deleted source also rebuilds.
$(VENV)/.sources: FORCE | $(VENV)/.made
	@printf '%s\n' $(SOURCES) | cmp -s - $@ || printf '%s\n' $(SOURCES) > $@

# Lines for a debugger would be stripped from the wheel again.
$(VENV)/.wheel: $(VENV)/.made $(VENV)/.sources $(SOURCES)
	rm -rf dist
	CARGO_PROFILE_RELEASE_DEBUG=0 $(BIN)/python -m pip wheel -q --no-deps -w dist .
	@touch $@

$(VENV)/.needed: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install -q $(NEEDED)
	@touch $@

# What airlink needs is fetched while it is compiled.
$(VENV)/.installed: $(VENV)/.made $(VENV)/.sources $(SOURCES)
	@$(MAKE) --no-print-directory -j2 $(VENV)/.wheel $(VENV)/.needed
	$(BIN)/python -m pip install -q --force-reinstall --no-deps dist/airlink-*.whl
	$(BIN)/python -m pip install -q dist/airlink-*.whl
	@touch $@

# What tests and site need beside the wheel, asked for once; the CI does so while the wheel is built.
$(VENV)/.groups: $(VENV)/.pip pyproject.toml
	$(BIN)/python -m pip install -q --group test --group docs
	@touch $@

$(VENV)/.test-tools: $(VENV)/.installed $(VENV)/.pip pyproject.toml
	[ $(VENV)/.groups -nt pyproject.toml ] || $(BIN)/python -m pip install -q --group test
	@touch $@

$(VENV)/.site-tools: $(VENV)/.installed $(VENV)/.pip pyproject.toml
	[ $(VENV)/.groups -nt pyproject.toml ] || $(BIN)/python -m pip install -q --group docs
	@touch $@

FORCE:
