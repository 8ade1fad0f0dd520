# `make demo` and `make test` do everything on a fresh machine, set-up included.

PYTHON ?= python3
VENV := .venv
# One environment; each step adds to it: what the demo needs, what tests need, the fuzzers.
DEMO := $(VENV)/.installed-demo
INSTALLED := $(VENV)/.installed-test
DOCS := $(VENV)/.installed-docs
# Compiled modules are kept, whatever the environment says: tests start many processes.
export PYTHONDONTWRITEBYTECODE :=
# Tests run in two processes: more threads for linear algebra would only wait for each other.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
PYTEST := -m pytest -q -n 2 --dist worksteal
PIP := $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check

# A page in the browser on which files are dropped and answers appear: make open FILE=votes.csv
open: $(DEMO)
	$(VENV)/bin/rankcut open $(FILE)

.PHONY: demo open docs pictures stories test test-quick check-types test-slow test-all test-oldest coverage explore reproduce bench-gp clean

demo: $(DEMO)
	$(VENV)/bin/rankcut demo
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		$(VENV)/bin/python -m webbrowser "file://$(CURDIR)/demo.html"; fi

# The paper's experiments: a quick look, or all of it with the sushi data (DATA=directory), which
# goes on where it was interrupted.
REPORT ?= report
reproduce: $(INSTALLED)
	$(VENV)/bin/python -m reproduction $(if $(DATA),--data $(DATA),--quick) --output $(REPORT)

test: $(INSTALLED)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	@$(MAKE) --no-print-directory -j 2 check-types test-quick
	@echo "Slow tests were left out: 'make test-slow' runs them, 'make test-all' runs both;"
	@echo "'make test-oldest' tests the oldest versions, 'make explore' tries random input."

# Types are checked while tests start.
check-types: $(INSTALLED)
	$(VENV)/bin/mypy

test-quick: $(INSTALLED)
	$(ONE_THREAD) $(VENV)/bin/python $(PYTEST) -m "not slow"

# Processes, clusters, browsers, whole reproductions.
test-slow: $(INSTALLED)
	$(ONE_THREAD) $(VENV)/bin/python $(PYTEST) -m slow

test-all: test test-slow

# What no test reaches, module by module, and a page of it; compiled loops are left out.
coverage: $(INSTALLED)
	$(ONE_THREAD) $(VENV)/bin/python -m coverage run -m pytest -q -m "not slow" -p no:cacheprovider
	$(VENV)/bin/python -m coverage report
	$(VENV)/bin/python benchmarks/record.py tested_lines

# The lower bounds of pyproject.toml, exactly, in an environment of their own.
test-oldest: .venv-oldest/.installed
	$(ONE_THREAD) .venv-oldest/bin/python $(PYTEST) -m "not slow" -p no:cacheprovider

.venv-oldest/.installed: pyproject.toml
	test -x .venv-oldest/bin/python || $(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet uv
	.venv-oldest/bin/python -m uv pip install --quiet --python .venv-oldest/bin/python \
		--resolution lowest-direct --editable '.[test]'
	touch $@

# The site, in build/site: open build/site/index.html. Warnings are errors.
docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --strict --quiet
	@echo "Open build/site/index.html"

# The pictures that the README and its pages show, drawn again; RANKCUT_DATA names real data.
pictures: $(DEMO)
	$(VENV)/bin/python docs/draw.py

# The stories with real data, whose directory RANKCUT_DATA names, told again.
stories: $(DEMO)
	$(VENV)/bin/python docs/tell.py

# Random examples and mutated files, for SECONDS in all.
SECONDS ?= 600
explore: $(INSTALLED)
	$(VENV)/bin/python tests/fuzz/explore.py --seconds $(SECONDS)

# GPflow says it needs NumPy 1 and works with NumPy 2: it is installed without what it asks for,
# beside rankcut, in an environment of its own.
bench-gp: .venv-gpflow/.installed
	TF_CPP_MIN_LOG_LEVEL=3 .venv-gpflow/bin/python -m benchmarks.gp.gp
	.venv-gpflow/bin/python -m pytest -q tests/test_examples.py

.venv-gpflow/.installed: pyproject.toml
	test -x .venv-gpflow/bin/python || $(PYTHON) -m venv .venv-gpflow
	.venv-gpflow/bin/python -m pip install --quiet --editable '.[test]' tensorflow \
		'tensorflow-probability[tf]' check-shapes deprecated multipledispatch tabulate 'setuptools<81'
	.venv-gpflow/bin/python -m pip install --quiet --no-deps gpflow
	touch $@

$(DEMO): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rankcut needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	@echo "Setting up $(VENV), once"
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[app]'
	@echo "Compiling the loops, once"
	$(VENV)/bin/rankcut demo -o - > $(VENV)/demo.html 2> $(VENV)/demo.log
	touch $@

$(INSTALLED): $(DEMO)
	@echo "Adding to $(VENV) what tests need, once: a minute or two"
	$(PIP) --editable '.[test]'
	touch $@

$(DOCS): $(DEMO)
	$(PIP) --editable '.[docs]'
	touch $@

clean:
	rm -rf build $(VENV) .venv-gpflow .venv-oldest .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
