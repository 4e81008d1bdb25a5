# uv installs packages without bytecode. Python writes bytecode at the first import, and every later start of a process
# takes a third of the time. Some containers set this variable to keep their image small.
unexport PYTHONDONTWRITEBYTECODE
# deno keeps what it has checked here rather than in a home folder, and asks no server for a newer version of itself.
export DENO_DIR := $(CURDIR)/.deno
export DENO_NO_UPDATE_CHECK := 1

# `make` alone lists the targets: the text behind ## is what it shows.
.DEFAULT_GOAL := help
.PHONY: help _installed _whole setup setup-ingest run demo screenshots test test-engines lint migrate openapi workers bench lock sbom

help: ## list these targets
	@sed -n -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

_installed:
	@sh tools/setup.sh requirements-serve.lock

_whole:
	@sh tools/setup.sh requirements.lock

setup: _installed ## make .venv and install into it what serving needs (PYTHON=python3.12 picks the interpreter)
	@echo 'headgate: the command is .venv/bin/headgate; to call it as headgate in this shell:'
	@echo '  export PATH="$(CURDIR)/.venv/bin:$$PATH"'

setup-ingest: _whole ## install what `headgate ingest` needs too, Spark and a Java; the first ingest does it otherwise

run: setup ## serve on http://127.0.0.1:8000, with a Postgres of its own unless HEADGATE_DATABASE_URL names one
	@.venv/bin/headgate serve

demo: export HEADGATE_DEMO_MINUTES ?= 240
demo: setup ## as run, with two topologies to look at on http://127.0.0.1:8000/ui/; one runs for 4 h and can be loaded
	@.venv/bin/headgate demo && .venv/bin/headgate serve

migrate: _installed ## bring the database up to date
	@.venv/bin/headgate migrate

openapi: _installed ## write openapi.yaml anew from the app
	@.venv/bin/headgate openapi > openapi.yaml.new && mv openapi.yaml.new openapi.yaml

test: ## install what the tests need, then run the linters and every test (PYTEST_ARGS="-k name" picks some)
	@sh tools/need_programs.sh chromium curl libatomic.so.1=libatomic1
	@sh tools/setup.sh requirements-dev.lock
	@$(MAKE) --no-print-directory lint
	.venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

test-engines: ## run the tests on real engines: Flink, Prometheus, Spark, Kafka's client (0.4 GB more; PYTEST_ARGS picks some)
	@sh tools/need_programs.sh prometheus
	@sh tools/setup.sh requirements-engines.lock
	@# They measure real engines by the clock; what another program may have disturbed is measured once more, all of it.
	.venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder tests/engines $(PYTEST_ARGS) || \
	.venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder tests/engines $(PYTEST_ARGS)

lint: ## check format, lint rules and types of Python and JavaScript, and import contracts
	@sh tools/setup.sh requirements-dev.lock
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/deno fmt --check --quiet
	.venv/bin/deno lint --quiet
	.venv/bin/deno check --quiet --no-remote --no-npm app/pages/dashboard

workers: _whole ## pack what executors of a Spark cluster need of Python into build/headgate-workers.zip
	@.venv/bin/python tools/pack_workers.py build/workers.new && mv build/workers.new build/headgate-workers.zip
	@echo 'headgate: build/headgate-workers.zip is for --worker-archive (docs/ingest.md)'

screenshots: ## make the pictures of the documentation anew
	@sh tools/need_programs.sh chromium
	@sh tools/setup.sh requirements-dev.lock
	SCREENSHOTS=1 .venv/bin/pytest -q tests/app/pages/dashboard/test_screenshot.py

bench: ## print what things cost, as ratios measured side by side (BENCH="name ..." picks some)
	@sh tools/need_programs.sh wrk chromium
	@sh tools/setup.sh requirements-dev.lock
	.venv/bin/python -m benchmarks $(BENCH)

lock: _installed ## make the lock files anew after a change in pyproject.toml (UPGRADE=--upgrade takes the newest of all)
	@sh tools/lock.sh $(UPGRADE)

sbom: _installed ## write sbom.json: every package of requirements.lock with its version and hashes, as CycloneDX
	@.venv/bin/python tools/make_sbom.py requirements.lock > sbom.json
