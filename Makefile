# Every step of the project; `make` lists them. Each runs in a fresh clone, and again without harm.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3.11
BIN := .venv/bin
# Runs a command on the samples, which have a home, a schema and a target folder of their own.
SAMPLES := $(BIN)/python -m watershed.samples
DBT := $(BIN)/dbt
export DBT_PROFILES_DIR := profiles
# dbt writes its log and results here, and nothing elsewhere; commands on the samples have another folder.
TARGET := $(or $(DBT_TARGET_PATH),target)
export DBT_LOG_PATH := $(TARGET)

.PHONY: help setup run samples build test proof test-kafka test-crash test-cluster test-iceberg browser lint lint-python lint-sql lint-dbt unit e2e histories fuzz serve docs report
.PHONY: bench lock clean

help: ## Show the steps
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: .venv/.complete ## Make .venv with everything pinned, and fetch the Delta jars

.venv/.complete: requirements.lock pyproject.toml
	@PYTHON="$(PYTHON)" sh scripts/setup.sh

run: setup ## Land the samples, build, show the tables
	@echo "Starting Spark ..."
	@STARTED=$$(date +%s) $(SAMPLES) $(BIN)/watershed with-server $(BIN)/python scripts/run_samples.py

samples: setup ## A shell with a server on the tables of the samples, until exit
	@$(SAMPLES) $(BIN)/watershed with-server bash

build: setup ## Build from landed messages; starts a server if none runs
	@$(BIN)/watershed with-server $(BIN)/python scripts/build.py

# Two workers: one with the server, the other for tests without one.
test: setup ## Required before each change: lint, tests without a server, the samples on one; PROOF=1 adds the proof
	@$(BIN)/pytest --numprocesses 2 -m "$(if $(PROOF),not proof and not kafka or proof and not rare,not proof and not kafka)"

# Two workers, each with a server of its own.
proof: setup ## The long tests: histories in every delivery, kills, replay; PROOFS=FILE.. runs only these
	@$(BIN)/pytest --numprocesses 2 -m "proof and not rare" $(PROOFS)

test-kafka: setup ## Landing from a real Kafka broker: traps, kills; KILLS=40 SEED=7 for more
	@WATERSHED_KILLS=$(or $(KILLS),4) WATERSHED_SEED=$(or $(SEED),1) $(BIN)/pytest -m kafka -s

test-crash: setup ## Kills of the server, dbt and both landings during queries; KILLS=40 SEED=7 for more
	@WATERSHED_KILLS=$(or $(KILLS),10) WATERSHED_SEED=$(or $(SEED),1) $(BIN)/pytest -m crash -s

test-cluster: setup ## Standalone cluster and YARN: an executor killed in a build; two servers with one bucket and metastore
	@sh scripts/shared.sh
	@$(BIN)/pytest -m cluster -s

test-iceberg: setup ## The samples, concurrent builds, typed snapshots and maintenance with Iceberg tables
	@WATERSHED_FILE_FORMAT=iceberg $(BIN)/pytest $(addprefix tests/python/e2e/,test_pipeline.py test_builds_at_once.py \
		test_generated_snapshots.py test_maintenance.py)

browser: ## Install Chromium for the tests of pages, if there is none (apt-get)
	@sh scripts/browser.sh

lint: lint-python lint-sql lint-dbt ## SQL, YAML and Python rules

lint-python: setup
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

lint-sql: setup
	@$(BIN)/sqlfluff lint models samples/models tests --disable-progress-bar

lint-dbt: setup
	@$(SAMPLES) $(DBT) --quiet parse --target-path target && $(BIN)/dbt-bouncer run --config-file dbt-bouncer.yml

unit: setup ## The tests that need no server
	@$(BIN)/pytest -m "not e2e and not kafka"

e2e: setup ## The tests that need a server, dbt's unit tests among them
	@$(BIN)/pytest -m "e2e and not rare"

histories: setup ## Hundreds of generated histories in every format, in 1, 2, 7 and 50 runs (more than an hour)
	@WATERSHED_PROOF=1 $(BIN)/pytest -m e2e -k delivery

fuzz: setup ## Parsers with generated input; make fuzz FUZZ="--seconds 3600 --seed 7"; a failure becomes a test
	@PYTHONPATH=tests/python $(BIN)/python -m fuzz.run $(FUZZ)

serve: setup ## The Thrift server in the foreground
	@$(BIN)/watershed serve

# A target folder of its own: dbt would overwrite the results of the last build, which the report shows.
docs: setup ## The docs site on 127.0.0.1:8080, until Ctrl-C: pages, and dbt docs of models and lineage
	@$(BIN)/watershed with-server $(DBT) docs generate --target-path $(TARGET)/docs \
		&& $(BIN)/python scripts/build_docs.py $(TARGET)/docs
	@echo "The docs site: http://127.0.0.1:8080/ (stop with Ctrl-C)"
	@$(BIN)/python -m http.server 8080 --bind 127.0.0.1 --directory $(TARGET)/docs/site

report: setup ## The health report of all sources: one HTML page, report.html in target/
	@$(BIN)/watershed with-server $(BIN)/watershed report

bench: setup ## Load 1,000,000 messages and an increment, next to a Spark job written by hand and DuckDB
	@$(BIN)/python -m benchmarks.blob

lock: setup ## Rewrite requirements.lock from pyproject.toml
	@$(BIN)/pip install --quiet uv && $(BIN)/uv pip compile pyproject.toml --group dev --generate-hashes \
		--python-version 3.11 --universal --no-header --no-strip-extras --quiet --output-file requirements.lock

clean: ## Remove all output: data (also of the samples), .venv, target
	rm -rf .venv .watershed .watershed-samples target logs *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
