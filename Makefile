# What people type; the work is done by swift and by the scripts.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
STATIC = .build/static
BINARY = $(STATIC)/release/runic

.PHONY: build demo test check install uninstall clean

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

install: build
	./scripts/install.sh $(BINARY) "$(DESTDIR)$(PREFIX)"

uninstall:
	./scripts/install.sh --remove "$(DESTDIR)$(PREFIX)"

clean:
	rm -rf .build
