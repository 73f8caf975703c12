# What a developer types. Each target does its own set-up.

SWIFT ?= swift
# A program with the Swift library inside runs on a board without Swift.
RELEASE = $(SWIFT) build -c release --static-swift-stdlib
RELEASE_BIN = $(shell $(RELEASE) --show-bin-path)

# Recordings of people, which are not part of the project.
RECORDINGS ?= ../shared/recordings

.PHONY: all setup build built test lint format embedded demo bench train accuracy accuracy-check check-libgpiod2 clean

all: build

setup:
	@sh scripts/setup.sh

build: setup
	$(RELEASE)

test: setup
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --parallel
	@python3 -m unittest discover --start-directory scripts

lint: setup
	@python3 scripts/lint-imports.py
	@$(SWIFT) format lint --strict --configuration .swift-format --parallel --recursive Package.swift Sources Tests
	@echo "format: as .swift-format has it"

format:
	@$(SWIFT) format --in-place --configuration .swift-format --parallel --recursive Package.swift Sources Tests

embedded: setup
	@sh scripts/embedded.sh

check-libgpiod2:
	@sh scripts/check-libgpiod2.sh

# Standard output is the demo's and the benchmark's own.
built:
	@$(MAKE) --no-print-directory build >&2

demo: built
	@$(RELEASE_BIN)/anicca demo $(DEMO)

bench: built
	@python3 scripts/bench.py $(RELEASE_BIN)

# What the classifier's constants were made with, and whether they still are what the training makes.
train: setup
	@sh scripts/train.sh "$(RECORDINGS)"

# The table of docs/accuracy.md, from the models of make train.
accuracy: built
	@python3 scripts/accuracy.py $(RELEASE_BIN)/anicca "$(RECORDINGS)" .build/training/held-out

accuracy-check: built
	@python3 scripts/accuracy.py --check $(RELEASE_BIN)/anicca "$(RECORDINGS)" .build/training/held-out

clean:
	rm -rf .build
