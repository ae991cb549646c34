# One word for each task; `make run` and `make test` do all the set-up themselves. Works with GNU make 3.81 (macOS) too.
VENV   := .venv
PY := $(VENV)/bin/python
KIBITZ := $(VENV)/bin/kibitz
CASES  ?=
PHOTOS ?=
ART    ?=
ARGS   ?=

.PHONY: help run test lint type check cases golden bench soak accuracy clean

help:  ## list the tasks
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

$(VENV)/ready-run: pyproject.toml tools/setup.sh
	@tools/setup.sh run

$(VENV)/ready-test: pyproject.toml tools/setup.sh
	@tools/setup.sh test

run: $(VENV)/ready-run  ## start Kibitz (ARGS="--source 0 --lan" is handed on)
	$(KIBITZ) run $(ARGS)

test: $(VENV)/ready-test  ## run every test (ARGS="tests/scorer -k ppuk" is handed on)
	$(PY) -m pytest $(ARGS)

lint: $(VENV)/ready-test  ## style and common mistakes
	$(PY) -m ruff check .

type: $(VENV)/ready-test  ## type hints
	$(PY) -m mypy

cases: $(VENV)/ready-run  ## the 330 worked rule cases through `kibitz judge`
	$(PY) tools/check/rules.py --kibitz $(KIBITZ) tests/data/rules/cases-*.jsonl

check: $(VENV)/ready-run  ## measure on data of your own: PHOTOS=folder ART=folder CASES="case folders"
	@PHOTOS="$(PHOTOS)" ART="$(ART)" CASES="$(CASES)" tools/check.sh

golden: $(VENV)/ready-test  ## write the golden files anew; review the diff
	KIBITZ_GOLDEN=write $(PY) -m pytest tests/golden tests/scorer/test_words.py $(ARGS)

bench: $(VENV)/ready-run  ## times on this machine
	$(KIBITZ) bench $(ARGS)

soak: $(VENV)/ready-test  ## 100,000 random games with the invariants on, 200 kills during play
	$(PY) -m tools.soak $(ARGS)

accuracy: $(VENV)/ready-run  ## write docs/accuracy.md anew: PHOTOS=folder ART=folder
	$(PY) -m tools.accuracy --photos "$(PHOTOS)" --art "$(ART)" $(ARGS)

clean:  ## remove what was built, the virtual environment too
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
