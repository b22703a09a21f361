# What people type; the work is done by swift and by the scripts.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
STATIC = .build/static
BINARY = $(STATIC)/release/runic

# What 'make bench' does: sizes of the bulk works, runs of each, where the table goes.
RECORDS ?= 100000
REQUESTS ?= 100000
DEVICES ?= 100
RUNS ?= 7
RESULTS ?= Benchmarks/RESULTS.md

.PHONY: build demo test check bench install uninstall clean

# One static program that needs nothing of Swift where it runs.
build:
	./scripts/bootstrap build
	$(SWIFT) build -c release --product runic --scratch-path $(STATIC) -Xswiftc -static-executable

demo: build
	./scripts/demo.sh $(BINARY)

# One release build, then all the tests.
test:
	./scripts/bootstrap test
	$(SWIFT) build -c release --build-tests -Xswiftc -enable-testing
	$(SWIFT) test -c release -Xswiftc -enable-testing --disable-xctest --skip-build

check:
	./scripts/check

# runic beside its peers and plain C; RECORDS=100000,1000000 REQUESTS=1000000 for the large sizes.
bench: build
	./scripts/bootstrap bench
	python3 Benchmarks/bench.py --runic $(BINARY) --records $(RECORDS) --requests $(REQUESTS) \
		--devices $(DEVICES) --runs $(RUNS) --output $(RESULTS)

install: build
	./scripts/install.sh $(BINARY) "$(DESTDIR)$(PREFIX)"

uninstall:
	./scripts/install.sh --remove "$(DESTDIR)$(PREFIX)"

clean:
	rm -rf .build
