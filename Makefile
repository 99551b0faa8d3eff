# Everything happens in .venv; nothing is installed outside this folder.
# Each step leaves a stamp, so that a target is quick when nothing has changed.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
SHELL := /bin/bash

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
STAMPS := $(VENV)/stamps
# What the engine is measured beside, apart from all that it is made of.
PEERS := $(VENV)/peers
PEER_VERSIONS := scripts/bench_peers/constraints.txt
# Builds find maturin and the generators here first.
export PATH := $(CURDIR)/$(BIN):$(PATH)

# The newest Python that has wheels of everything we need, or: make PYTHON=/path/to/python
PYTHON ?= $(shell scripts/find_python.sh)

PYPROJECTS := pyproject.toml proto/pyproject.toml clients/python/pyproject.toml clients/cli/pyproject.toml
RUST := Cargo.toml $(wildcard Cargo.lock) $(shell find rust_core/engine rust_core/wire rust_core/bindings -name '*.rs' -o -name Cargo.toml)

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: cargo $(STAMPS)/run ## play a whole match over gRPC and tell every event
	@$(BIN)/ginrummy demo $(ARGS)

.PHONY: play
play: cargo $(STAMPS)/run ## play against a bot (ARGS="--ruleset solo --lang ru")
	@$(BIN)/ginrummy play $(ARGS)

.PHONY: serve
serve: cargo $(STAMPS)/run ## start a server (ARGS="--port 50051 --data-dir DIR")
	@$(BIN)/ginrummy-server $(ARGS)

# A worker that crashes ends the run: with loadfile, xdist 3.8 waits for ever for the one after it.
.PHONY: test
test: cargo $(STAMPS)/run $(STAMPS)/dev ## run every test
	cargo test --quiet $(if $(FAIL_ON_SKIP),-- --include-ignored)
	$(BIN)/pytest --numprocesses auto --dist loadfile --max-worker-restart 0 $(if $(FAIL_ON_SKIP),--fail-on-skip) $(ARGS)

.PHONY: check
check: lint test ## everything that has to pass before a change is merged

.PHONY: lint
lint: cargo $(STAMPS)/run $(STAMPS)/dev
	cargo fmt --check
	cargo clippy --quiet --workspace --exclude ginrummy-bindings --all-targets -- -D warnings
	cargo clippy --quiet --package ginrummy-bindings -- -D warnings
	cargo fmt --check --manifest-path rust_core/wire/generator/Cargo.toml
	cargo fmt --check --manifest-path rust_core/bench/Cargo.toml
	cargo clippy --quiet --manifest-path rust_core/bench/Cargo.toml --all-targets --features arena -- -W clippy::pedantic -D warnings
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy --no-error-summary
	MYPYPATH=proto:service $(BIN)/stubtest ginrummy.engine._core
	$(BIN)/lint-imports --no-logo
	$(BIN)/buf format --diff --exit-code proto
	$(BIN)/buf lint proto
	scripts/check_breaking.sh

.PHONY: fmt
fmt: $(STAMPS)/dev ## format all code
	cargo fmt
	$(BIN)/ruff check --quiet --fix-only
	$(BIN)/ruff format --quiet
	$(BIN)/buf format --write proto

.PHONY: proto
proto: cargo $(STAMPS)/dev ## generate the code of the API anew
	$(BIN)/python scripts/generate_stubs.py

.PHONY: crash
crash: cargo $(STAMPS)/run $(STAMPS)/dev ## kill the server under 100 matches, and look for anything lost (ARGS="--kills 50")
	$(BIN)/python -m tests.faults.crash_run $(ARGS)

.PHONY: secrecy
secrecy: cargo $(STAMPS)/run $(STAMPS)/dev ## compare 100,000 positions of matches that differ in what is hidden
	$(BIN)/python -m tests.secrecy.run $(ARGS)

.PHONY: soak
soak: cargo $(STAMPS)/run $(STAMPS)/dev ## play 10,000 matches against a server and tell how its memory grows
	$(BIN)/python scripts/soak.py $(ARGS)

.PHONY: fuzz
fuzz: FOR ?= 300
fuzz: cargo $(STAMPS)/run $(STAMPS)/dev ## try any bytes on a server and any commands on the engine (FOR=300 seconds)
	PROPTEST_CASES=$$(( $(FOR) * 200 )) cargo test --quiet --test fuzz
	FUZZ_S=$(FOR) $(BIN)/pytest -q tests/hostile/test_fuzz.py

.PHONY: load
load: cargo $(STAMPS)/run $(STAMPS)/load ## load a server of its own for a minute (ARGS="--matches 200 --report load.html")
	@$(BIN)/ginrummy-load $(ARGS)

.PHONY: bench-service
bench-service: cargo $(STAMPS)/run ## measure a move and fan-out beside a bare gRPC server (ARGS="--rounds 5")
	PYTHONPATH=scripts $(BIN)/python -m bench_service $(ARGS)

.PHONY: bench-analysis
bench-analysis: cargo $(STAMPS)/run ## measure what the service adds to the engine's answers about many hands (ARGS="--rounds 9")
	$(BIN)/python scripts/bench_analysis.py $(ARGS)

.PHONY: bench-grpc
bench-grpc: cargo $(STAMPS)/run ## compare releases of grpcio and event loops under the bare server (ARGS="--rounds 8")
	PYTHONPATH=scripts $(BIN)/python -m bench_grpc $(ARGS)

.PHONY: bench-scale
bench-scale: cargo $(STAMPS)/run ## measure what a server costs with 10,000 matches (ARGS="--only memory,startup")
	PYTHONPATH=scripts $(BIN)/python -m bench_scale $(ARGS)

.PHONY: bench
bench: | cargo ## measure the engine (its own workspace; ARGS go to criterion)
	cd rust_core/bench && cargo bench -- $(ARGS)

.PHONY: bench-counts
bench-counts: $(STAMPS)/venv | cargo ## count the engine's instructions (needs valgrind; ARGS=--record keeps them)
	$(BIN)/python scripts/bench_counts.py $(ARGS)

# What the arena's results need: not built for anything else.
ARENA := --manifest-path rust_core/bench/Cargo.toml --release --features arena

.PHONY: arena
arena: | cargo ## play bots against each other (ARGS="--one expert --two marjj --games 1300")
	@cargo run --quiet $(ARENA) --bin arena -- $(ARGS)

.PHONY: arena-test
arena-test: | cargo ## test the arena: its players, its results and what they say
	cargo test --quiet $(ARENA) --test arena

.PHONY: bench-peers
bench-peers: cargo $(STAMPS)/run $(STAMPS)/peers ## measure the engine's Python calls beside OpenSpiel's and RLCard's
	@PYTHONPATH=service:scripts $(PEERS)/bin/python -m bench_peers $(ARGS)

.PHONY: dist
dist: $(STAMPS)/venv | cargo ## build the five wheels and install them where no Rust is
	scripts/build_wheels.sh $(BIN)/python dist

.PHONY: image-check
image-check: cargo $(STAMPS)/run ## do the image's steps without a container engine (Linux, as root)
	$(BIN)/python scripts/check_image.py

.PHONY: clean
clean: ## remove everything that was built
	rm -rf $(VENV) target rust_core/bench/target dist
	find service -name '_core*.so' -delete

# ------------------------------------------------------------------ set-up

.PHONY: cargo
cargo:
	@scripts/need_cargo.sh

# An environment that can build and install the packages of this tree.
$(STAMPS)/venv: pyproject.toml constraints.txt scripts/find_python.sh
	@[ -n "$(PYTHON)" ] || scripts/find_python.sh --explain
	@echo "setting up $(VENV)"
	@[ -x $(BIN)/python ] || "$(PYTHON)" -m venv $(VENV)
	@$(PIP) install --constraint constraints.txt --upgrade pip
	@$(PIP) install --constraint constraints.txt --group build
	@mkdir -p $(STAMPS) && touch $@

# The packages without Rust, editable, with what they need to run.
$(STAMPS)/pure: $(STAMPS)/venv $(PYPROJECTS)
	@$(PIP) install --constraint constraints.txt --no-build-isolation \
		--editable proto --editable clients/python --editable clients/cli
	@touch $@

# The server with the engine, in the release profile that pyproject.toml names.
$(STAMPS)/run: $(STAMPS)/pure $(RUST) | cargo
	@echo "building the engine"
	@$(PIP) install --constraint constraints.txt --no-build-isolation --editable .
	@touch $@

# The load test, whose pictures need more than a game does.
$(STAMPS)/load: $(STAMPS)/pure clients/loadtest/pyproject.toml
	@$(PIP) install --constraint constraints.txt --no-build-isolation --editable clients/loadtest
	@touch $@

# The tools of `make check`.
$(STAMPS)/dev: $(STAMPS)/load
	@$(PIP) install --constraint constraints.txt --group dev
	@touch $@

# OpenSpiel and RLCard with what they need (RLCard runs pip when it is imported). They find the
# engine in the source tree.
$(STAMPS)/peers: $(STAMPS)/venv $(PEER_VERSIONS)
	@echo "installing the peers"
	@$(BIN)/python -m venv --clear $(PEERS)
	@$(PIP) --python $(PEERS) install --constraint $(PEER_VERSIONS) \
		--build-constraint $(PEER_VERSIONS) open_spiel rlcard
	@touch $@
