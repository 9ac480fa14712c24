# Surefoot. `make help` lists the targets; each sets up what it needs, once, in .venv.
# Arguments: PYTHON=python3.12  NUMBER=1000000 (fuzz)  KILLS=1000 (soak)  NAME=engine (bench, reproduce)

PYTHON ?= python3
JOBS ?= 2
NUMBER ?= 10000
KILLS ?= 100
BENCH ?= engine
NAME ?=

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.surefoot-ready
BLENDER := .venv-blender
BLENDER_STAMP := $(BLENDER)/.surefoot-ready
EXTRAS := dev,gym,studio,video

# One thread in the linear algebra library: results do not depend on the machine, and two workers do not fight for cores.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow check bench docs screenshots fuzz soak rig-table bench-retarget transformations skills blender reproduce clean

help:
	@echo "make demo            the main job on built-in material; leaves a picture in out/"
	@echo "make test            ruff, mypy and the quick tests"
	@echo "make check           ruff and mypy alone"
	@echo "make test-slow       the tests that take minutes"
	@echo "make docs            the pictures of the documentation, its links and its examples"
	@echo "make screenshots     the studio's pictures in docs/images, taken in a headless Chromium"
	@echo "make bench           speed beside the bare engine's               [BENCH=engine]"
	@echo "make fuzz            mutated files of every format                [NUMBER=10000]"
	@echo "make soak            kills and resumes                            [KILLS=100]"
	@echo "make rig-table       every real skeleton rigged, judged and drawn"
	@echo "make bench-retarget  every real clip on another body, judged"
	@echo "make skills          the learned skills that come with the package, learned again"
	@echo "make transformations real clips on other ground and other bodies, judged and drawn"
	@echo "make blender         Blender's Python module in .venv-blender: the judge of what is exported"
	@echo "make reproduce       a published figure, ours beside theirs       NAME=..."
	@echo "make clean           remove everything that can be made again"

$(STAMP): pyproject.toml
	@$(PYTHON) .ci/make_venv.py $(VENV)
	@echo "installing Surefoot and what it needs into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --editable ".[$(EXTRAS)]"
	@touch $@

demo: $(STAMP)
	@$(BIN)/surefoot demo

check: $(STAMP)
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/ruff format --check --quiet . || { echo "some files are not formatted: $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/mypy --no-error-summary

test: check
	@$(BIN)/python -m pytest --quiet --numprocesses $(JOBS)

test-slow: $(STAMP)
	@$(BIN)/python -m pytest --quiet --numprocesses $(JOBS) -m slow

docs: $(STAMP)
	@$(BIN)/surefoot demo --out out/hero.png
	@cp out/hero.png docs/images/hero.png
	@test ! -e src/surefoot/material/sheets.py || $(BIN)/python -m surefoot.material.sheets --out docs/images
	@$(MAKE) --no-print-directory screenshots
	@$(BIN)/python -m pytest --quiet tests/test_docs.py

screenshots: $(STAMP)
	@$(BIN)/python -m tests.studio.screenshots --out docs/images

bench: $(STAMP)
	@$(BIN)/surefoot bench $(BENCH)

fuzz: $(STAMP)
	@$(BIN)/python -m tests.fuzz --number $(NUMBER)

soak: $(STAMP)
	@$(BIN)/python -m tests.soak --kills $(KILLS)

rig-table: $(STAMP)
	@$(BIN)/python -m benchmarks.rig_table

bench-retarget: $(STAMP)
	@$(BIN)/python -m benchmarks.retarget

skills: $(STAMP)
	@$(BIN)/surefoot learn humanoid/walk --character humanoid --iterations 5 --out src/surefoot/material/skills/humanoid-walk.surefoot

transformations: $(STAMP)
	@$(BIN)/python -m benchmarks.transformations --images docs/images

reproduce: $(STAMP)
	@$(BIN)/surefoot reproduce $(NAME)

# Blender pins Python 3.11 and an old NumPy, so it lives apart; tests that need it skip where it is absent.
blender: $(BLENDER_STAMP)

$(BLENDER_STAMP):
	@$(PYTHON) .ci/make_venv.py --only 3.11 $(BLENDER)
	@echo "installing Blender's Python module into $(BLENDER) (once; about 370 MB)"
	@$(BLENDER)/bin/python -m pip install --quiet bpy
	@$(BLENDER)/bin/python -c "import bpy; print('Blender', bpy.app.version_string)" || { \
	  echo "Blender's module does not start; on Debian: apt-get install -y libegl1 libgl1 libsm6 libxfixes3 libxi6 libxkbcommon0 libxrender1 libxxf86vm1"; exit 1; }
	@touch $@

clean:
	rm -rf $(VENV) $(BLENDER) out build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis MUJOCO_LOG.TXT
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
