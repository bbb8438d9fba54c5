# Needs Python 3.11, 3.12 or 3.13 and make; everything else is installed into .venv by the first target that needs it.
# Another interpreter: make demo PYTHON=python3.12
VENV := .venv
BIN := $(VENV)/bin
DEMO := lasso_rate
SEEDS := 3
CONSTRAINT := --constraint constraints.txt
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check $(CONSTRAINT)
# One process a core: threads of linear algebra beside them would wait for each other.
PYTEST = PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal

SUPPORTED = import sys; sys.exit(0 if (3, 11) <= sys.version_info[:2] < (3, 14) else 1)
PYTHON ?= $(shell for one in python3 python3.13 python3.12 python3.11 python; do \
	"$$one" -c '$(SUPPORTED)' >/dev/null 2>&1 && echo "$$one" && exit; done; echo python3)

.PHONY: help demo test test-pages test-store test-newest test-all lint format types docs ledger figures constants reference mutants all clean

help:
	@echo "make demo         run the experiment $(DEMO): table, verdict, figure"
	@echo "make test         run the tests but for the slow ones"
	@echo "make test-pages   run every command and every example that a page shows"
	@echo "make test-all     run all tests"
	@echo "make test-store   run the tests of store, commands and report, for a further Python: VENV=.venv-3.12 PYTHON=python3.12"
	@echo "make test-newest  run the tests with the newest version of everything, in an environment of its own"
	@echo "make lint         ruff: rules and formatting (make format mends what it can)"
	@echo "make types        mypy"
	@echo "make docs         build the documentation site: build/docs/index.html"
	@echo "make ledger       run all experiments and write results/ledger.*"
	@echo "make figures      draw the publication figures of paper_figures from the measurements in results"
	@echo "make constants    measure what the advisor predicts, and renew the constants of its predictions"
	@echo "make reference    run all experiments at SEEDS=3 seeds and on held-out grids; renew the ledger, results/reference and paper_figures"
	@echo "make mutants      plant falsehoods in copies of the code; a verdict must notice each"
	@echo "make all          lint, types, all tests, the site, all experiments, the ledger"
	@echo "make clean        remove .venv, caches and build products; results stay"

demo: $(VENV)/.installed
	@$(BIN)/python -m dprepro +experiment=$(DEMO)
	@echo "figure: $(CURDIR)/results/$(DEMO)/figure.png"

test: $(VENV)/.installed-dev
	@$(PYTEST)

test-pages: $(VENV)/.installed-dev
	@$(PYTEST) -m 'pages and not slow' tests/documentation

# What differs between versions of Python: the store, the commands, what they write. For a further interpreter:
# make test-store VENV=.venv-3.12 PYTHON=python3.12
test-store: $(VENV)/.installed-test
	@$(PYTEST) tests/engine tests/command tests/report

test-newest:
	@rm -rf $(VENV)-newest
	@$(MAKE) --no-print-directory VENV=$(VENV)-newest CONSTRAINT= test

test-all: $(VENV)/.installed-dev
	@$(PYTEST) -m ''

lint: $(VENV)/.installed-dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

format: $(VENV)/.installed-dev
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

types: $(VENV)/.installed-dev
	@$(BIN)/mypy

docs: $(VENV)/.installed-dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs --quiet build --strict --config-file docs/mkdocs.yml
	@echo "site: $(CURDIR)/build/docs/index.html"

ledger: $(VENV)/.installed-dev
	@code=0; $(BIN)/python -m dprepro -m '+experiment=glob(*)' || code=$$?; \
	[ $$code -gt 2 ] || $(BIN)/python -m dprepro ledger || code=$$?; exit $$code

figures: $(VENV)/.installed
	@$(BIN)/python -m paper_figures

# before the ledger: what is measured with other constants is measured again
constants: $(VENV)/.installed-dev
	@$(BIN)/python -m dprepro +experiment=advice
	@$(BIN)/python -m dprepro advise --renew

reference: constants ledger
	@$(BIN)/python -m dprepro stability seeds=$(SEEDS)
	@$(BIN)/python -m dprepro heldout
	@$(BIN)/python -m dprepro reference
	@$(BIN)/python -m docs.walkthroughs
	@$(BIN)/python -m paper_figures
	@$(BIN)/python -m docs.pictures
	@$(BIN)/python -m docs.articles
	@$(BIN)/python -m docs.release

mutants: $(VENV)/.installed-dev
	@$(BIN)/python -m mutants

all:
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory types
	@$(MAKE) --no-print-directory test-all
	@$(MAKE) --no-print-directory docs
	@$(MAKE) --no-print-directory ledger

clean:
	rm -rf $(VENV) $(VENV)-* build dist .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.venv:
	@"$(PYTHON)" -c '$(SUPPORTED)' 2>/dev/null || { \
		echo "dprepro needs Python 3.11, 3.12 or 3.13; $(PYTHON) is: $$("$(PYTHON)" --version 2>&1 | head -n 1). Choose another: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -m venv --clear $(VENV) || { \
		echo "$(PYTHON) cannot make virtual environments; on Debian and Ubuntu install the package python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.installed: $(VENV)/.venv pyproject.toml constraints.txt
	@echo "installing dprepro and what it needs into $(VENV); the first time this takes a minute or two"
	@$(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.venv pyproject.toml constraints.txt
	@echo "installing dprepro and what its tests need into $(VENV); the first time this takes a minute or two"
	@$(PIP_INSTALL) --editable '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-dev: $(VENV)/.venv pyproject.toml constraints.txt
	@echo "installing dprepro and its development tools into $(VENV); the first time this takes a minute or two"
	@$(PIP_INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/.installed-test $(VENV)/.installed
