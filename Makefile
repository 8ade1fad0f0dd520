# `make demo` and `make test` do everything on a fresh machine, set-up included.

PYTHON ?= python3
VENV := .venv
INSTALLED := $(VENV)/.installed

.PHONY: demo test test-slow test-all reproduce bench-gp clean

demo: $(INSTALLED)
	$(VENV)/bin/rankcut demo

# The paper's experiments: a quick look, or all of it with the sushi data (DATA=directory).
REPORT ?= report
reproduce: $(INSTALLED)
	$(VENV)/bin/python -m reproduction $(if $(DATA),--data $(DATA),--quick) --output $(REPORT)

test: $(INSTALLED)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/python -m pytest -q -n 2 --dist worksteal -m "not slow"
	@echo "Slow tests were left out: make test-slow runs them, make test-all runs all."

# Processes, clusters, browsers, whole reproductions.
test-slow: $(INSTALLED)
	$(VENV)/bin/python -m pytest -q -n 2 --dist worksteal -m slow

test-all: test test-slow

# GPflow says it needs NumPy 1 and works with NumPy 2: it is installed without what it asks for,
# beside rankcut, in an environment of its own.
bench-gp: .venv-gpflow/.installed
	TF_CPP_MIN_LOG_LEVEL=3 .venv-gpflow/bin/python benchmarks/gp.py
	.venv-gpflow/bin/python -m pytest -q tests/test_examples.py

.venv-gpflow/.installed: pyproject.toml
	test -x .venv-gpflow/bin/python || $(PYTHON) -m venv .venv-gpflow
	.venv-gpflow/bin/python -m pip install --quiet --editable '.[test]' tensorflow \
		'tensorflow-probability[tf]' check-shapes deprecated multipledispatch tabulate 'setuptools<81'
	.venv-gpflow/bin/python -m pip install --quiet --no-deps gpflow
	touch $@

$(INSTALLED): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rankcut needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	@echo "Setting up $(VENV), once: a minute or two"
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --editable '.[test]'
	touch $@

clean:
	rm -rf $(VENV) .venv-gpflow .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
