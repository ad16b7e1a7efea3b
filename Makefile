# make            builds .build-release/ckdb
# make demo       runs the main job on the sample data of Tests/Samples
# make test       runs the tests: prints what failed, and the runner's closing lines
# make test-clients  builds and tests a package that depends on the Swift library
# make server     builds the server, .build-release/ckdb-serve, and the client of other servers,
#                 .build-release/ckdb-remote, next to the tool
# make test-server   tests the server over HTTP, with clients in Python
# make bench-server   measures the server against nginx and PostgreSQL (needs wrk)
# make soak MINUTES=60   loads the server for a long time, with kills: does anything grow?
# make setup      installs the packages that the build needs, as make demo and make test do
# make install    installs binary, man pages and completions below PREFIX
# make install-server   installs the server below PREFIX, next to the tool
# make deb        makes a Debian package of the static binary in .build-dist
# make deb-server   makes the Debian package of the server
# make dist       makes a tarball of the static binary in .build-dist, prints its SHA-256
# make transcripts   runs the tests of commands with the release build
# make bench      measures against rivals
# make bench-library   measures the Swift library against GRDB
# make fuzz-queries SECONDS=60   asks random queries of random records
# make fuzz TARGET=predicate SECONDS=60   gives a parser bytes that libFuzzer makes up
# make sanitize   runs the tests under AddressSanitizer: FILTER=CommandsTests for some suites
# make races      runs the tests that use threads under ThreadSanitizer
# make faults     makes stores fail in every way: ONLY="kills power-loss" for some of the ways
# make format     formats the sources; make lint checks them
# make generate   writes completions/ and man/ anew from the command table
# make pages      writes what the README and docs/ show anew, and the pictures
# make documentation   makes the DocC pages of the Swift library in .build-docc
# make order      records anew which functions common commands call (needs valgrind)
#
# Each step of a build prints one line, and all that it printed when it fails. V=1 prints commands
# and their output.

PREFIX ?= /usr/local
DESTDIR ?=
V ?= 0
SCRATCH := .build-release
DIST := .build-dist
BINARY := $(SCRATCH)/ckdb

CHECK := --explicit-target-dependency-import-check error
# Generics are specialized across our targets (public ones only: the compiler passes over what is
# marked package), and their metadata laid out by the compiler, as it does by itself on Apple's
# platforms: a short command is a fifth faster by it. Whether two accesses to a variable overlap is
# checked at run time by the builds for tests alone.
OPTIMIZATION := -Xswiftc -cross-module-optimization -Xswiftc -enforce-exclusivity=unchecked \
  -Xswiftc -Xfrontend -Xswiftc -prespecialize-generic-metadata
# The linker drops the functions that the program does not call: each has a section of its own, and
# public ones are not kept for programs that are linked later.
CALLED := -Xswiftc -Xfrontend -Xswiftc -function-sections \
  -Xswiftc -Xfrontend -Xswiftc -internalize-at-link
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
SAYS_dynamic := a static Swift library only: no static libsqlite3, libreadline and libtinfo

# Commands are compiled small (Package.swift).
export CKDB_SMALL := 1

# How steps and tests print, and the steps that several targets share.
STEP := @V=$(V) sh .ci/quietly
REPORT := @V=$(V) sh .ci/test-report
# Debug builds of ours are optimized: tests run millions of times what they test, and take a third of
# the time.
TESTED := -Xswiftc -O
BUILD_TESTS = $(STEP) SWIFT tests swift build --build-tests $(CHECK) $(TESTED)
RUN_TESTS := $(REPORT) .build/tests.log

.PHONY: all order demo test test-clients server test-server server-tests soak bench-server install-server deb-server transcripts sanitize races bench bench-library \
  conformance fuzz-queries fuzz fuzz-collect faults install deb dist check-static format lint \
  generate pages documentation needed setup clean

# The program is copied by one write: it lies in the page cache in large pieces then, and each start
# takes fewer page faults (0.3 ms of 2.3). A ckdb that runs is not disturbed.
all: needed
	@echo 'Building $(BINARY): two to five minutes the first time, in silence; V=1 shows all.'
	$(STEP) SWIFT 'ckdb ($(SAYS_$(LINKING)))' \
	  swift build -c release --product ckdb --scratch-path $(SCRATCH) $(CHECK) \
	  $(OPTIMIZATION) $(CALLED) $(LINK_$(LINKING)) -Xlinker -s
	$(STEP) COPY $(BINARY) sh -c 'rm -f $(BINARY) && \
	  dd if=$(SCRATCH)/release/ckdb of=$(BINARY).new bs=67108864 && \
	  chmod 755 $(BINARY).new && mv -f $(BINARY).new $(BINARY)'
	$(if $(filter-out all,$(MAKECMDGOALS)),,@echo \
	  "Next: 'make demo' shows what it does, 'make install PREFIX=\$$HOME/.local' installs it.")

# The server, and the client of other servers, are fast rather than small. They lie next to the tool,
# which runs them.
SERVED := .build-server
SERVER := $(SCRATCH)/ckdb-serve
REMOTE := $(SCRATCH)/ckdb-remote
BUILD_SERVER = env -u CKDB_SMALL $(SERVER_$(LINKING)) swift build -c release --traits Server \
  --scratch-path $(SERVED) $(CHECK) $(OPTIMIZATION) --static-swift-stdlib -Xlinker -s
SERVER_static := CKDB_STATIC_SERVER=1
SERVER_dynamic :=
server: needed
	@echo 'Building $(SERVER): five to ten minutes the first time, in silence; V=1 shows all.'
	$(STEP) SWIFT 'ckdb-serve ($(SAYS_$(LINKING)))' $(BUILD_SERVER) --product ckdb-serve
	$(STEP) SWIFT ckdb-remote $(BUILD_SERVER) --product ckdb-remote
	$(STEP) COPY $(SERVER) sh -c 'mkdir -p $(SCRATCH) && rm -f $(SERVER) $(REMOTE) && \
	  cp $(SERVED)/release/ckdb-serve $(SERVER) && cp $(SERVED)/release/ckdb-remote $(REMOTE)'

# Of a program with its symbols.
order: needed
	$(STEP) SWIFT 'ckdb (with its symbols)' \
	  swift build -c release --product ckdb --scratch-path $(SCRATCH) $(CHECK) \
	  $(OPTIMIZATION) $(CALLED) $(LINK_static) -Xlinker -S
	$(STEP) ORDER $(ORDER) sh -c 'sh Sources/ckdb/Linking/record-order \
	  $(abspath $(SCRATCH)/release/ckdb) > $(ORDER).new && mv $(ORDER).new $(ORDER)'

# Lists the packages that are missing; setup installs them.
needed:
	@sh .ci/setup

setup:
	@V=$(V) sh .ci/setup install

demo:
	@V=$(V) sh .ci/setup install
	@$(MAKE) --no-print-directory all
	@sh Tests/Samples/demo $(abspath $(BINARY))

test:
	@V=$(V) sh .ci/setup install tests
	$(STEP) CHECK 'scripts and packages' sh .ci/check
	$(BUILD_TESTS)
	$(RUN_TESTS) swift test --skip-build

# A package of a user outside of this one, next to packages that must not notice it.
test-clients: needed
	@mkdir -p .build
	@echo '  SWIFT   clients: a minute or two the first time, in silence'
	$(REPORT) .build/clients.log env CLIENTS='$(CLIENTS)' sh .ci/clients

# The tool of the tests, next to the server as it is installed.
PYTHON := $(SERVED)/python
PROGRAMS := $(SERVED)/programs
test-server: server-tests
	@CKDB_PROGRAM=$(abspath $(PROGRAMS)/ckdb) $(PYTHON)/bin/python -m pytest Tests/Server -q \
	  -p no:cacheprovider --numprocesses 2 --durations 5 $(PYTEST)

# A long load on the server.
MINUTES ?= 60
soak: server-tests
	@CKDB_PROGRAM=$(abspath $(PROGRAMS)/ckdb) $(PYTHON)/bin/python Tests/Server/soak.py $(MINUTES)

# Two rivals, a million rows and an asset of a gigabyte: five minutes.
bench-server: server-tests
	@CKDB_PROGRAM=$(abspath $(PROGRAMS)/ckdb) $(PYTHON)/bin/python Tests/Server/bench.py $(ROWS)

server-tests:
	@V=$(V) sh .ci/setup install server
	@$(MAKE) --no-print-directory server
	$(STEP) SWIFT 'ckdb for the tests' swift build --product ckdb $(CHECK) $(TESTED)
	$(STEP) PYTHON $(PYTHON) sh -c 'python3 -m venv $(PYTHON) && \
	  $(PYTHON)/bin/pip install --quiet --requirement Tests/Server/requirements.txt'
	$(STEP) COPY $(PROGRAMS) sh -c 'rm -rf $(PROGRAMS) && mkdir -p $(PROGRAMS) && \
	  cp .build/debug/ckdb $(SERVER) $(REMOTE) $(PROGRAMS)'

# What the transcripts and the README show, and the tests of commands, with the release build.
transcripts: all
	$(BUILD_TESTS)
	$(RUN_TESTS) env CKDB_PROGRAM=$(abspath $(BINARY)) swift test --skip-build \
	  --filter 'TranscriptTests|FixtureTests|SnapshotTests'

# Each in a scratch path of its own; leaks are not looked for, as readline and SQLite keep what they
# have to the end.
FILTER ?= Tests
sanitize: needed
	$(STEP) SWIFT 'tests (AddressSanitizer)' \
	  swift build --build-tests --sanitize address --scratch-path .build-sanitize $(TESTED)
	$(REPORT) .build-sanitize/tests.log env ASAN_OPTIONS=detect_leaks=0 swift test --skip-build \
	  --sanitize address --scratch-path .build-sanitize --filter '$(FILTER)'

THREADED := ImportTests|ImportDifferentialTests|AssetTests|DirectoryTests|FixtureTests|CloudKit(Testing)?Tests
races: needed
	$(STEP) SWIFT 'tests (ThreadSanitizer)' \
	  swift build --build-tests --sanitize thread --scratch-path .build-races $(TESTED)
	$(REPORT) .build-races/tests.log env TSAN_OPTIONS=suppressions=$(CURDIR)/.ci/races.suppressions \
	  swift test --skip-build --sanitize thread \
	  --scratch-path .build-races --filter '$(THREADED)|ConcurrentRequests'

bench: all
	$(STEP) SWIFT Benchmarks \
	  swift build -c release --product Benchmarks --scratch-path .build-bench
	@.build-bench/release/Benchmarks $(abspath $(BINARY))

bench-library: all
	$(STEP) SWIFT LibraryBenchmarks env -u CKDB_SMALL CKDB_PATH='$(CURDIR)' swift build \
	  -c release --package-path Tests/Client --scratch-path .build-client --product LibraryBenchmarks
	@.build-client/release/LibraryBenchmarks $(abspath $(BINARY)) $(ROWS)

# What packages hold: .ci/package/tree lays it out, for all of them.
install: all
	@rm -rf $(DIST)/tree
	$(STEP) TREE $(DIST)/tree sh .ci/package/tree $(BINARY) $(DIST)/tree
	@cp .ci/package/install.sh $(DIST)/tree
	@DESTDIR='$(DESTDIR)' sh $(DIST)/tree/install.sh '$(PREFIX)'
ifneq ($(CKTOOL),)
	@install -m 755 .ci/package/cktool $(DESTDIR)$(PREFIX)/bin/cktool
	@echo "installed the wrapper $(DESTDIR)$(PREFIX)/bin/cktool"
endif

# The server, next to a tool that is installed already or comes with 'make install'.
install-server: server
	@mkdir -p '$(DESTDIR)$(PREFIX)/bin'
	@install -m 755 $(SERVER) '$(DESTDIR)$(PREFIX)/bin/ckdb-serve'
	@install -m 755 $(REMOTE) '$(DESTDIR)$(PREFIX)/bin/ckdb-remote'
	@echo 'installed $(DESTDIR)$(PREFIX)/bin/ckdb-serve and ckdb-remote'

deb-server: check-static server
	@sh .ci/package/deb-server $(SERVER) $(DIST)

deb: check-static all
	@sh .ci/package/deb $(BINARY) $(DIST)
	@if command -v lintian >/dev/null; then lintian --allow-root --fail-on error \
	  $(DIST)/ckdb_$$(sh .ci/package/version)-*.deb; fi

dist: check-static all
	@sh .ci/package/dist $(BINARY) $(DIST)

check-static:
	@[ $(LINKING) = static ] || { echo 'A package needs a fully static binary. Install the static' \
	  'libraries of SQLite, readline and ncurses: on Debian, libsqlite3-dev, libreadline-dev and' \
	  'libncurses-dev.' >&2; exit 1; }

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests

lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

# DocC's warnings, such as links to what does not exist, are errors.
DOCC := .build-docc
documentation:
	$(STEP) SYMBOLS $(DOCC) sh -c 'rm -rf $(DOCC)/graphs && mkdir -p $(DOCC)/graphs && \
	  swift build --scratch-path $(DOCC)/build --target CloudKitTesting \
	  -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc $(DOCC)/graphs'
	@for module in CloudKit CloudKitTesting; do \
	  mkdir -p $(DOCC)/$$module && cp $(DOCC)/graphs/$$module.symbols.json $(DOCC)/$$module; \
	  V=$(V) sh .ci/quietly DOCC $$module docc convert Sources/$$module/$$module.docc \
	    --additional-symbol-graph-dir $(DOCC)/$$module --warnings-as-errors \
	    --fallback-display-name $$module --fallback-bundle-identifier org.ckdb.$$module \
	    --output-path $(DOCC)/$$module.doccarchive || exit 1; \
	done

# Cases of other implementations, where CONFORMANCE has them.
CONFORMANCE ?= ../shared/conformance
conformance:
	$(BUILD_TESTS)
	$(RUN_TESTS) env CKDB_CONFORMANCE=$(CONFORMANCE) swift test --skip-build \
	  --filter ConformanceTests

# Random queries of random records, for as long as SECONDS says.
SECONDS ?= 60
fuzz-queries: needed
	$(BUILD_TESTS)
	$(RUN_TESTS) env CKDB_FUZZ_SECONDS=$(SECONDS) swift test --skip-build \
	  --filter 'DifferentialTests/fuzz'

# TARGET is a case of FuzzTarget; the inputs that led somewhere new stay in $(FUZZ)/corpus.
TARGET ?= predicate
FUZZ := .build-fuzz
fuzz: needed
	$(STEP) SWIFT Fuzz env CKDB_FUZZ=1 \
	  swift build -c release --product Fuzz --scratch-path $(FUZZ) $(OPTIMIZATION) \
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
STATIC_SWIFT := --scratch-path $(FAULTS) --static-swift-stdlib $(OPTIMIZATION)
faults: needed
	$(STEP) SWIFT 'ckdb (linked dynamically)' swift build -c release --product ckdb $(STATIC_SWIFT)
	$(STEP) SWIFT Faults swift build -c release --product Faults $(STATIC_SWIFT)
	$(STEP) CC faults.so \
	  clang -shared -fPIC -O1 -Wall -o $(FAULTS)/faults.so Tests/Faults/Shim/faults.c -ldl
	@$(FAULTS)/release/Faults $(abspath $(FAULTS)/release/ckdb) $(abspath $(FAULTS)/faults.so) $(ONLY)

generate: needed
	$(BUILD_TESTS)
	$(RUN_TESTS) env CKDB_GENERATE=1 swift test --skip-build --filter GeneratedFiles

# The output in the pages, and the pictures of a session.
pages: all
	$(BUILD_TESTS)
	@CKDB_GENERATE=1 swift test --skip-build --filter PageTests
	python3 docs/images/record-session $(abspath $(BINARY))

clean:
	rm -rf .build $(SCRATCH) $(DIST) .build-sanitize .build-races .build-bench .build-client \
	  $(SERVED) $(DOCC) $(FAULTS) $(FUZZ)
