# Halfhour. `make help` lists what there is; `make run` is all a newcomer needs.
# No target but `test`, `test-all` and `ci` needs root or any system package beside Python 3.11 and make.
MAKEFLAGS += --no-print-directory
PY := .venv/bin/python
LOCK := .venv/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url
# Extra arguments for pytest, the benchmark or the show: make test ARGS="-k board"
ARGS ?=

.PHONY: help setup run test test-all lint types bench lock messages migrations ci show-1
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

setup: ## Make .venv with everything the tests and checks need
	@scripts/venv dev

run: ## Start Halfhour with its drill fleet on http://127.0.0.1:8000 (PORT, HALFHOUR_DATA)
	@scripts/venv run
	@exec env -u PYTHONDONTWRITEBYTECODE $(PY) manage.py up --demo

test: setup ## Install what the tests need, then run every tier (ARGS="-m browser" for one)
	@scripts/system-packages
	$(PY) -m pytest $(ARGS)

test-all: setup ## The tests and the long runs beside them
	@scripts/system-packages
	$(PY) -m pytest --long --require-tiers $(ARGS)

lint: setup ## ruff, import-linter, shellcheck where it is installed
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	.venv/bin/lint-imports --no-cache
	@if command -v shellcheck >/dev/null; then shellcheck .ci/run scripts/* diagnostics/nodekit/install diagnostics/nodekit/wrappers/*; fi

types: setup ## mypy --strict
	SECRET_KEY=types-only $(PY) -m mypy

bench: setup ## What a visit costs us, beside OpenSSH
	$(PY) -m tests.bench $(ARGS)

lock: setup ## Resolve requirements*.in into the hashed locks
	$(LOCK) requirements-bootstrap.in -o requirements-bootstrap.lock
	$(LOCK) requirements-dev.in -o requirements-dev.lock
	$(LOCK) requirements.in -c requirements-dev.lock -o requirements.lock

messages: setup ## Collect the texts to translate into locale/ (needs gettext)
	SECRET_KEY=messages-only $(PY) manage.py makemessages -l zh_Hans --no-location --ignore .venv --ignore var

migrations: setup ## Write the migrations the models ask for: make migrations ARGS="-n why fleet"
	SECRET_KEY=migrations-only $(PY) manage.py makemigrations --skip-checks $(ARGS)

ci: lint types ## What must pass before anything lands
	@$(MAKE) test ARGS="--require-tiers --durations=30"

show-1: setup ## Prove each line of "Must show" (ARGS="--only 2")
	@scripts/system-packages
	$(PY) -m tests.show.show_1 $(ARGS)
