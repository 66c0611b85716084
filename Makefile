# `make help` lists what can be made. A target is listed when a `## text` follows
# its name, so that adding one is adding one line.

GO        ?= go
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS    = -s -w -X main.version=$(VERSION)
PLATFORMS  = linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64
LINT       = bin/tools/golangci-lint

# The programs are static: they run wherever their kernel runs.
export CGO_ENABLED ?= 0

.DEFAULT_GOAL := help

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build the server and the client into bin/
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ $(PROGRAMS)
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -tags mcp -o bin/svc-mcp ./cmd/svc

PROGRAMS = $(patsubst %/main.go,./%,$(wildcard cmd/svc/main.go cmd/svcd/main.go))

.PHONY: run
run: build ## build and start the service here; everything it keeps is in ./svcd-data
	@exec bin/svcd serve $(ARGS)

.PHONY: demo
demo: build ## start the service, generate a project before your eyes and leave it in a folder (FOLDER=, PROMPT=)
	@FOLDER='$(FOLDER)' PROMPT='$(PROMPT)' scripts/demo.sh

.PHONY: test
test: ensure-tools lint vet-platforms test-short ## everything that has to pass: formatting, linters, all platforms, all tests but the long ones
	@echo; echo "Left out because they are long; make test-long runs them:"
	@grep -rhoE --include='*_test.go' 'needs\.Long\(t, "[^"]*' . | sed 's/.*"/  - /' | sort

# The race detector watches what runs in the test's own process. Where that is
# little (programs that are started, other people's compilers) it only costs time;
# `make test-long` has it there as well. Nowhere does it watch the C of SQLite, whose
# connections are lent to one goroutine at a time: that would be half of its cost.
NO_RACE = cmd/svc|deploy.*|examples/.*|internal/testkit/cluster|internal/engine/template(/stack)?
UNRACED = $$($(GO) list ./... | grep -E '/svc/($(NO_RACE))$$')
RACED   = $$($(GO) list ./... | grep -vE '/svc/($(NO_RACE))$$')
RACE    = CGO_ENABLED=1 $(GO) test -race -gcflags=modernc.org/sqlite/lib=-race=false
# The tests of the console start a server that is watched as they are.
BESIDE  = $$($(GO) -C tests list ./... | grep -v '/tests/console$$')

# Tests wait as well as work, so that three packages at a time keep two cores busy.
.PHONY: test-short
test-short: ## run all tests but the long ones
	$(RACE) -p 3 -timeout 20m $(RACED)
	$(GO) test -p 3 -timeout 20m $(UNRACED)
	cd tests && $(RACE) -parallel 6 -timeout 20m ./console
	$(GO) -C tests test -p 3 -parallel 4 -timeout 20m $(BESIDE)

.PHONY: test-race
test-race: ## run with the race detector what test-short runs without it
	$(RACE) -count 1 -timeout 30m $(UNRACED)
	cd tests && $(RACE) -count 1 -parallel 4 -timeout 30m $(BESIDE)

# It is built first, so that a signal to make's child reaches it.
RUN_LONG = $(GO) -C tests build -o ../bin/tools/long ./long && cd tests && exec env

.PHONY: test-long
test-long: ## run the long tests: kills, faults, clusters, galleries, mutants, race detector everywhere (ONLY=name, SAMPLE=minutes, SEED=, KILLS=, FAULTS=, OUTAGE=)
	@$(RUN_LONG) ONLY='$(ONLY)' SAMPLE='$(SAMPLE)' SEED='$(SEED)' KILLS='$(KILLS)' FAULTS='$(FAULTS)' OUTAGE='$(OUTAGE)' LIST='$(LIST)' ../bin/tools/long

.PHONY: ci
ci: ## run what has to pass before a change is taken
	@.ci/run

.PHONY: bench
bench: ## measure beside peers and write tests/bench/RESULTS.md (ONLY=name, ROUNDS=7)
	@scripts/ensure-tools.sh bench
	$(GO) -C tests run ./bench -rounds $(or $(ROUNDS),7) $(if $(ONLY),$(ONLY),-o bench/RESULTS.md)

.PHONY: eval
eval: ## try a model or an agent with seventy sentences and judge what it makes (ARGS='--engine anthropic', FLAGS='-only go')
	$(GO) -C tests run ./eval $(FLAGS) -- $(ARGS)

.PHONY: torture
torture: ## kill the server hundreds of times under load, and break everything under a cluster (KILLS=500, FAULTS=10)
	@$(RUN_LONG) ONLY='kills|faults|full-disk' KILLS=$(or $(KILLS),500) FAULTS=$(or $(FAULTS),10) ../bin/tools/long

.PHONY: cluster
cluster: build ## start three servers behind a balancer on PostgreSQL, S3 and three NATS, here, until Ctrl-C (ARGS=flags of svcd)
	@scripts/ensure-tools.sh cluster
	@$(GO) -C tests build -o ../bin/tools/cluster ./cluster
	@exec bin/tools/cluster -svcd bin/svcd -svc bin/svc -- $(ARGS)

.PHONY: cluster-test
cluster-test: ## hold a cluster to what it promises: processes, roles, the client, viewers (some minutes; make test-long ONLY=cluster has more)
	@$(RUN_LONG) ONLY='^cluster(-scripts|-follow)?$$' ../bin/tools/long

.PHONY: fuzz
fuzz: ## run every fuzz test for a while (FUZZTIME=10m, ONLY=name)
	@FUZZTIME='$(FUZZTIME)' ONLY='$(ONLY)' scripts/fuzz.sh

.PHONY: lint
lint: tools ## check formatting (gofumpt) and run go vet and the linters
	$(GO) vet ./...
	$(GO) -C tests vet ./...
	$(LINT) run --allow-parallel-runners ./...
	$(GO) vet -tags mcp ./cmd/svc
	$(LINT) run --allow-parallel-runners --build-tags mcp ./cmd/svc
	cd tests && ../$(LINT) run --allow-parallel-runners ./...

.PHONY: fmt
fmt: tools ## format all Go code
	$(LINT) fmt ./...
	cd tests && ../$(LINT) fmt ./...

VET_PLATFORMS = $(PLATFORMS:%=vet-%)

.PHONY: vet-platforms $(VET_PLATFORMS)
vet-platforms: $(VET_PLATFORMS) ## vet the client for every platform it is made for (make snapshot builds it for them)

$(VET_PLATFORMS): vet-%:
	@echo "vet cmd/svc for $*"
	@GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) $(GO) vet $(CLIENT)
	@GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) $(GO) vet -tags mcp ./cmd/svc ./internal/mcp

CLIENT = ./cmd/svc ./client/... ./internal/workdir/... ./internal/bundle/bundlezip ./internal/web/api .

.PHONY: notices
notices: ## write the licences of everything that is linked into cmd/*/NOTICES.txt
	$(GO) run ./deploy/release/notices

.PHONY: tools
tools: $(LINT) ## build the linter from tools/lint into bin/tools

$(LINT): tools/lint/go.mod tools/lint/go.sum
	@echo "building the linter (once, some minutes)"
	@mkdir -p $(@D)
	cd tools/lint && $(GO) build -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

.PHONY: ensure-tools
ensure-tools: ## install the programs that some tests use, where that is possible
	@scripts/ensure-tools.sh

GORELEASER = bin/tools/goreleaser

.PHONY: snapshot
snapshot: $(GORELEASER) ## make a release from what is here: archives, Debian packages, SBOMs and sums in dist/ (KEY=file signs the sums)
	$(GORELEASER) release --snapshot --clean
	@$(SIGN)

.PHONY: release
release: $(GORELEASER) ## make the release of the tag that is checked out, with signed sums (KEY=file)
	@[ -n "$(KEY)" ] || { echo "KEY=file names the secret key; make release-key makes one" >&2; exit 2; }
	$(GORELEASER) release --clean
	@$(SIGN)

SIGN = $(if $(KEY),scripts/sign-release.sh sign '$(KEY)' dist,echo "not signed: KEY=file names the secret key")

.PHONY: release-tools
release-tools: ## install what a release is signed with
	@CI=true scripts/ensure-tools.sh release

.PHONY: release-key
release-key: ## make the key that releases are signed with (KEY=file); its public half goes into README.md
	@scripts/sign-release.sh make '$(KEY)'

.PHONY: release-check
release-check: $(GORELEASER) ## check the release configuration and what operators install (deploy/)
	$(GORELEASER) check
	$(GO) test ./deploy/...

$(GORELEASER): tools/release/go.mod tools/release/go.sum
	@echo "building goreleaser (once, some minutes)"
	@mkdir -p $(@D)
	cd tools/release && $(GO) build -o ../../$@ github.com/goreleaser/goreleaser/v2
	@touch $@

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist
