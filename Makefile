# Two commands do everything: `make demo` and `make test`. Both first install what they need and is missing, into .venv
# only.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
DEMO_READY := .venv/ready-for-demo

.PHONY: demo docs test test-next-slicer lint soak panel screenshots clean environment

demo: $(DEMO_READY)
	$(BIN)/noisylabelseg demo --out demo-output --force

# The panel never shares a process with torch, in Slicer or here, so its tests run in one of their own.
test: environment lint
	$(BIN)/python -m pytest Testing/Host Testing/widget
	$(BIN)/python -m pytest --ignore=Testing/Host --ignore=Testing/widget

# The tests of the scene on the next Slicer, in an environment of its own, without torch.
NEXT := build/next-slicer
test-next-slicer:
	test -x $(NEXT)/bin/python || $(PYTHON) -m venv $(NEXT)
	$(NEXT)/bin/python -m pip install --quiet --disable-pip-version-check slicer-core==5.13.31053.0 vtk==9.6.2 \
		numpy scipy SimpleITK pydicom highdicom joblib rich rich-argparse pytest hypothesis
	$(NEXT)/bin/python -m pytest Testing/scene

soak: environment
	$(BIN)/python -m pytest -m soak

panel: environment
	cd Testing/Host && ../../$(BIN)/python -m slicerhost

# Every picture of docs/pictures; needs chromium, to picture a report.
PANELS := annotators each adjudication hidden conflict signed expected training agreement revealed one-class
screenshots: environment
	$(BIN)/python -m benchmarks.scene_pictures docs/pictures
	cd Testing/Host && ../../$(BIN)/python -m slicerhost.pictures ../../build/pictures --train
	cd Testing/Host && ../../$(BIN)/python -m slicerhost.states ../../build/pictures
	for name in $(PANELS); do cp build/pictures/panel-$$name.png docs/pictures/; done
	$(BIN)/python -m benchmarks.printed_pictures docs/pictures
	$(BIN)/python -m benchmarks.accuracy_pictures docs/pictures

# The documentation site, in build/site; a warning is an error.
docs: environment
	$(BIN)/mkdocs build --strict

lint: environment
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

clean:
	rm -rf .venv build demo-output *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

environment: $(READY)

# The stamp is newer than these files when what is installed is what they ask for.
$(READY): requirements.lock requirements-torch.txt pyproject.toml .ci/system-packages
	bash .ci/system-packages
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing PyTorch and the other packages into .venv: a download of some gigabytes, which takes minutes."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-torch.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(READY) $(DEMO_READY)

$(DEMO_READY): requirements-demo.lock requirements-torch.txt pyproject.toml .ci/system-packages
	bash .ci/system-packages demo
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing PyTorch and the other packages into .venv: a download of some gigabytes, which takes minutes."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-torch.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		--requirement requirements-demo.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(DEMO_READY)
