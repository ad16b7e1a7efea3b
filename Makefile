# make            builds .build-release/ckdb (says how it is linked)
# make demo       runs the main job on the sample data of Tests/Samples
# make test       passes the tests
# make transcripts   passes the tests of commands with the release build
# make bench      measures against rivals
# make fuzz-queries SECONDS=60   asks random queries of random records
# make fuzz TARGET=predicate SECONDS=60   gives a parser bytes that libFuzzer makes up
# make sanitize   passes the tests under AddressSanitizer: FILTER=CommandsTests for some suites
# make races      passes the tests that use threads under ThreadSanitizer
# make faults     makes stores fail in every way: ONLY="kills power-loss" for some of the ways
# make install    installs binary, man pages and completions below PREFIX
# make format     formats the sources; make lint checks them
# make generate   writes completions/ and man/ anew from the command table
# make pages      writes what the README and docs/ show anew, and the pictures
# make order      records anew which functions common commands call (needs valgrind)

PREFIX ?= /usr/local
DESTDIR ?=
SCRATCH := .build-release
BINARY := $(SCRATCH)/ckdb

CHECK := --explicit-target-dependency-import-check error
# Generics are specialized across our targets (public ones only: the compiler passes over what is
# marked package), and their metadata laid out by the compiler, as it does by itself on Apple's
# platforms: a short command is a fifth faster by it. Whether two accesses to a variable overlap is
# checked at run time by the builds for tests alone.
OPTIMIZATION := -Xswiftc -cross-module-optimization -Xswiftc -enforce-exclusivity=unchecked \
  -Xswiftc -Xfrontend -Xswiftc -prespecialize-generic-metadata
STATIC_LIBRARIES := $(foreach name,sqlite3 readline tinfo,\
  $(wildcard /usr/lib/*/lib$(name).a /usr/lib/lib$(name).a /usr/local/lib/lib$(name).a))
LINKING := $(if $(filter 3,$(words $(STATIC_LIBRARIES))),static,dynamic)
# Where the toolchain has lld, the functions that common commands call lie next to each other, and
# the program has no tables for unwinding (docs/performance.md). Names that the program no longer has
# are passed over.
LLD := $(or $(wildcard $(dir $(realpath $(shell command -v swiftc)))ld.lld),$(shell command -v ld.lld))
ORDER := Sources/ckdb/Linking/order.txt
LINK_lld := $(if $(LLD),-Xswiftc -use-ld=lld -Xlinker --no-warn-symbol-ordering \
  -Xlinker --symbol-ordering-file=$(abspath $(ORDER)) -Xlinker --no-eh-frame-hdr \
  -Xlinker $(abspath Sources/ckdb/Linking/sections.ld))
LINK_static := -Xswiftc -static-executable -Xlinker -ltinfo $(LINK_lld)
LINK_dynamic := --static-swift-stdlib
SAYS_static := fully static
SAYS_dynamic := with a static Swift library only (no static libsqlite3, libreadline and libtinfo)

# Copies the program by one write: it lies in the page cache in large pieces then, and each start
# takes fewer page faults (0.3 ms of 2.3). A running program is not disturbed.
copy = rm -f $(2) && dd if=$(1) of=$(2).new bs=67108864 2>/dev/null && chmod 755 $(2).new \
  && mv -f $(2).new $(2)

.PHONY: all order demo test transcripts sanitize races bench conformance fuzz-queries fuzz fuzz-collect faults install format lint generate pages setup clean

all: setup
	swift build -c release --product ckdb --scratch-path $(SCRATCH) $(CHECK) \
	  $(OPTIMIZATION) $(LINK_$(LINKING)) -Xlinker -s
	@$(call copy,$(SCRATCH)/release/ckdb,$(BINARY))
	@echo "made $(BINARY), $(SAYS_$(LINKING))"

# Of a program with its symbols.
order: setup
	swift build -c release --product ckdb --scratch-path $(SCRATCH) $(CHECK) \
	  $(OPTIMIZATION) $(LINK_static) -Xlinker -S
	sh Sources/ckdb/Linking/record-order $(abspath $(SCRATCH)/release/ckdb) > $(ORDER).new
	mv $(ORDER).new $(ORDER)

setup:
	@sh .ci/setup

demo: all
	@sh Tests/Samples/demo $(abspath $(BINARY))

test: setup
	swift build --build-tests $(CHECK)
	swift test --skip-build

# What the transcripts and the README show, and the tests of commands, with the release build.
transcripts: all
	swift build --build-tests $(CHECK)
	CKDB_PROGRAM=$(abspath $(BINARY)) swift test --skip-build \
	  --filter 'TranscriptTests|FixtureTests|SnapshotTests'

# Each in a scratch path of its own; leaks are not looked for, as readline and SQLite keep what they
# have to the end.
FILTER ?= Tests
sanitize: setup
	swift build --build-tests --sanitize address --scratch-path .build-sanitize
	ASAN_OPTIONS=detect_leaks=0 swift test --skip-build --sanitize address \
	  --scratch-path .build-sanitize --filter '$(FILTER)'

races: setup
	swift build --build-tests --sanitize thread --scratch-path .build-races
	swift test --skip-build --sanitize thread --scratch-path .build-races \
	  --filter 'ImportTests|ImportDifferentialTests|AssetTests|DirectoryTests|FixtureTests|ConcurrentRequests'

bench: all
	swift run -c release --scratch-path .build-bench Benchmarks $(abspath $(BINARY))

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -d $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	install -d $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(call copy,$(BINARY),$(DESTDIR)$(PREFIX)/bin/ckdb)
	install -m 644 man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 completions/ckdb.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ckdb
	install -m 644 completions/_ckdb $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ckdb
	install -m 644 completions/ckdb.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ckdb.fish
	@if [ -n "$(CKTOOL)" ]; then \
	  printf '%s\n' '#!/bin/sh' '# Runs what was written for cktool of Apple on the local store.' \
	    'case "$$1" in --version|version) exec "$$(dirname "$$0")/ckdb" version;; help) shift; set -- "$$@" --help;; esac' \
	    'exec "$$(dirname "$$0")/ckdb" cktool "$$@"' > $(DESTDIR)$(PREFIX)/bin/cktool && \
	  chmod 755 $(DESTDIR)$(PREFIX)/bin/cktool && echo "installed the wrapper cktool"; \
	fi

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests

lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

# Cases of other implementations, where CONFORMANCE has them.
CONFORMANCE ?= ../shared/conformance
conformance:
	CKDB_CONFORMANCE=$(CONFORMANCE) swift test --filter ConformanceTests

# Random queries of random records, for as long as SECONDS says.
SECONDS ?= 60
fuzz-queries: setup
	CKDB_FUZZ_SECONDS=$(SECONDS) swift test --filter 'DifferentialTests/fuzz'

# TARGET is a case of FuzzTarget; the inputs that led somewhere new stay in $(FUZZ)/corpus.
TARGET ?= predicate
FUZZ := .build-fuzz
fuzz: setup
	CKDB_FUZZ=1 swift build -c release --product Fuzz --scratch-path $(FUZZ) $(OPTIMIZATION) \
	  -Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld
	@mkdir -p $(FUZZ)/corpus/$(TARGET)
	$(FUZZ)/release/Fuzz expand $(TARGET) $(FUZZ)/corpus/$(TARGET)
	FUZZ_TARGET=$(TARGET) SWIFT_BACKTRACE=enable=off $(FUZZ)/release/Fuzz \
	  $(FUZZ)/corpus/$(TARGET) -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 \
	  -max_len=1024 -artifact_prefix=$(FUZZ)/$(TARGET)- -print_final_stats=1 $(FUZZ_OPTIONS)

# Saves the shortest inputs of a target that cover the most, for the suite.
fuzz-collect:
	rm -rf $(FUZZ)/merged && mkdir -p $(FUZZ)/merged
	FUZZ_TARGET=$(TARGET) SWIFT_BACKTRACE=enable=off $(FUZZ)/release/Fuzz -merge=1 -max_len=256 \
	  $(FUZZ)/merged $(FUZZ)/corpus/$(TARGET) 2>/dev/null
	$(FUZZ)/release/Fuzz collect $(TARGET) $(FUZZ)/merged

# A release build that is linked dynamically: the shim stands between it and the C library.
ONLY ?=
FAULTS := .build-faults
faults: setup
	swift build -c release --product ckdb --scratch-path $(FAULTS) --static-swift-stdlib $(OPTIMIZATION)
	swift build -c release --product Faults --scratch-path $(FAULTS) --static-swift-stdlib $(OPTIMIZATION)
	clang -shared -fPIC -O1 -Wall -o $(FAULTS)/faults.so Tests/Faults/Shim/faults.c -ldl
	$(FAULTS)/release/Faults $(abspath $(FAULTS)/release/ckdb) $(abspath $(FAULTS)/faults.so) $(ONLY)

generate:
	CKDB_GENERATE=1 swift test --filter GeneratedFiles

# The output in the pages, and the pictures of a session.
pages: all
	CKDB_GENERATE=1 swift test --filter PageTests
	python3 docs/images/record-session $(abspath $(BINARY))

clean:
	rm -rf .build $(SCRATCH) .build-sanitize .build-races .build-bench $(FAULTS) $(FUZZ)
