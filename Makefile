# Two commands for a fresh machine, each sets itself up: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint coverage bench paper clean

demo: .venv/demo.stamp
	$(BIN)/python -m nkmeans.demo

test: .venv/dev.stamp lint
	$(BIN)/python -m pytest

lint: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The kernels as plain Python, so that coverage sees their lines. Slow, and not part of the tests.
coverage: .venv/dev.stamp
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/kernels tests/cluster tests/summarize \
		tests/test_denoise.py tests/test_assign.py tests/test_survey.py \
		--cov=nkmeans --cov-report=term-missing

# About an hour; nothing else may run. DATA is the folder of benchmarks/real.py.
bench: .venv/dev.stamp
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/quality.py
	$(BIN)/python benchmarks/corners.py
	$(BIN)/python benchmarks/evidence.py
	$(BIN)/python benchmarks/choices.py
	$(BIN)/python benchmarks/methods.py
	$(BIN)/python benchmarks/choosing.py $(if $(DATA),--data $(DATA))
	$(BIN)/python benchmarks/shell.py
	$(BIN)/python -m pip install --quiet dask-ml
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/billion.py
	$(if $(DATA),$(BIN)/python benchmarks/real.py --data $(DATA))
	$(if $(DATA),$(BIN)/python benchmarks/scores.py --data $(DATA))
	$(BIN)/python benchmarks/tables.py

# The paper's experiments, resumable; DATA is a folder of data files, or they are downloaded.
paper: .venv/dev.stamp
	$(BIN)/nkmeans bench all --out docs/results/paper $(if $(DATA),--data $(DATA))

clean:
	rm -rf .venv demo-output

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo.stamp: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[all]'
	touch $@

.venv/dev.stamp: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ .venv/demo.stamp
