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

.PHONY: build demo test check bench install uninstall dist deb man clean

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

# One tarball, and a Debian package of the same files, in dist/; made twice, they are the same bytes.
dist: build
	./scripts/dist.sh $(BINARY) dist

deb: build
	./scripts/deb.sh $(BINARY) dist

# The man pages and completions that lie in the repository, from the descriptions of the commands.
man:
	$(SWIFT) build --product runic
	rm -f docs/man/*.[17]
	mkdir -p docs/man
	.build/debug/runic __man docs/man
	.build/debug/runic completion bash > completions/runic.bash
	.build/debug/runic completion zsh > completions/_runic
	.build/debug/runic completion fish > completions/runic.fish

clean:
	rm -rf .build
