# `make demo` and `make test` are all that a newcomer needs; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TORCH ?= default
export PYTHONUNBUFFERED := 1
unexport PYTHONDONTWRITEBYTECODE # a process that finds no bytecode compiles for 5 s what it imports

.PHONY: help setup demo demo-stop test test-long check lint types unit bench docs lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMP) ## environment in .venv, everything pinned by hash (TORCH=cpu leaves the CUDA libraries out)

$(STAMP): requirements.lock bootstrap.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v < (3, 14) else "clause needs Python 3.11 to 3.13, this is %d.%d; set PYTHON=python3.12 or the like" % v)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r bootstrap.lock
ifeq ($(TORCH),cpu)
	awk '/^(nvidia-|cuda-|torch==|triton==)/ {skip=1; next} /^[^ ]/ {skip=0} !skip' requirements.lock > $(VENV)/requirements.cpu.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r $(VENV)/requirements.cpu.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --torch-backend cpu "$$(sed -nE 's/^(torch==[0-9.]+).*/\1/p' requirements.lock | head -1)"
else
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
endif
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

demo: setup ## a real Neo4j, the sample graph, the API, and one question answered
	@$(BIN)/clause demo

demo-stop: setup ## stop what `make demo` started
	@$(BIN)/clause demo --stop

# Two processes of tests share two cores: a second thread of torch or BLAS would wait in a loop for the first.
unit test: export OMP_NUM_THREADS := 1

check: lint types unit ## lint, types and all unit tests but the slow ones

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: setup
	$(BIN)/mypy

unit: setup
	$(BIN)/python -m pytest tests/unit tests/architecture clause -q -n 2 -m "not integration and not long and not slow" --doctest-modules

test: lint types ## everything a pull request needs, with a real Neo4j and without Docker
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "not long" --doctest-modules --cov --cov-report=term --cov-fail-under=90

test-long: setup ## the long randomised runs
	CLAUSE_TEST_RANDOM=1 $(BIN)/python -m pytest -q -m "long or hypothesis"

bench: setup ## every row of the qualities table that applies
	@for row in coordinate subgraph navigate curate edges load http serve-start growth; do $(BIN)/clause bench $$row || exit 1; done

docs: setup ## the documentation site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

lock: setup ## resolve the dependencies again
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --quiet -o requirements.lock

clean: ## remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
