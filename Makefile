# `make help` lists the targets. `make run` and `make test` need only a Swift toolchain: they install missing
# Debian packages first.

SWIFT   ?= swift
PREFIX  ?= /usr/local
DESTDIR ?=
ARGS    ?= --store memory --sample
FILTER  ?=
STRIP   ?= -s
N       ?= 1000000
SECONDS ?= 60
SEED    ?=
ONLY    ?=
# Added to each build for development. A build with other flags compiles everything again.
FLAGS   ?=

CHECK    = --explicit-target-dependency-import-check error $(FLAGS)
# Without a path of its own, a program looks for no library beside itself, which takes a few dozen system calls at each start.
RELEASE  = -c release --static-swift-stdlib --disable-local-rpath $(CHECK)
# Optimized, but with the checks of a debug build. gold cannot read the sections that sanitizers add, so lld links.
# ADDRESS=,address adds AddressSanitizer, which is five times slower.
ADDRESS ?=
FUZZBASE = .build/fuzz$(ADDRESS:,%=-%)
FUZZER   = $(FUZZBASE)/release/catalog-fuzz
FUZZING  = -c release --build-path $(FUZZBASE) --product catalog-fuzz $(CHECK) \
  -Xswiftc -sanitize=fuzzer$(ADDRESS) -Xcc -fsanitize=fuzzer-no-link$(ADDRESS) \
  -Xcxx -fsanitize=fuzzer-no-link$(ADDRESS) -Xswiftc -use-ld=lld -Xswiftc -assert-config -Xswiftc Debug
TORTURE  = .build/release/store-torture --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))
PACKAGES = libncurses-dev libre2-dev libsimdjson-dev libxxhash-dev libutf8proc-dev zlib1g-dev libzstd-dev libsqlite3-dev libpq-dev
HEADERS  = curses.h re2.h simdjson.h xxhash.h utf8proc.h zlib.h zstd.h sqlite3.h libpq-fe.h

# Each C library has one importer: library:target.
IMPORTERS = CRuntime:OpenSwiftData CDelimited:OpenSwiftData CRE2:OpenSwiftData CNcurses:Terminal CSimdjson:Stores CXXHash:Stores CZlib:Stores CZstd:Stores CSystem:Stores CSQLite:SQLiteStores CPostgreSQL:PostgresStores CUTF8Proc:CatalogApp CGetopt:CatalogProgram CFaultySQLite:StoreTorture
# Modules of ours that a target must not import: target:module|module.
FORBIDDEN = OpenSwiftData:Stores|CatalogApp|Terminal|SQL|SQLiteStores|PostgresStores Stores:CatalogApp|Terminal|SQL|SQLiteStores|PostgresStores CatalogApp:Stores|Terminal|SQL|SQLiteStores|PostgresStores SQL:Stores|CSQLite|CPostgreSQL

DOCS  = .build/docs
COVERAGE = .build/coverage
BIN   = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share

.DEFAULT_GOAL := help
.PHONY: help setup build release run test test-servers test-release examples coverage docs pages install uninstall deb deb-test bench torture fuzz fuzzer format lint clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | \
	while IFS='	' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

setup: ## install missing Debian packages
	@command -v $(firstword $(SWIFT)) >/dev/null || { \
	  echo 'No Swift toolchain: install Swift 6.2 or newer (https://www.swift.org/install/).' >&2; exit 1; }
	@missing=; \
	if ! command -v dpkg >/dev/null; then \
	  for header in $(HEADERS); do \
	    find /usr/include /usr/local/include -name $$header 2>/dev/null | grep -q . || missing="$$missing $$header"; \
	  done; \
	  [ -z "$$missing" ] || { echo "Not a Debian system; missing headers:$$missing" >&2; exit 1; }; \
	  exit 0; \
	fi; \
	for package in $(PACKAGES); do \
	  dpkg -s $$package 2>/dev/null | grep -q '^Status: .* installed$$' || missing="$$missing $$package"; \
	done; \
	dpkg -l 'libstdc++-*-dev' 2>/dev/null | grep -q '^ii' || missing="$$missing g++"; \
	[ -n "$$missing" ] || exit 0; \
	line="apt-get install -y --no-install-recommends$$missing"; \
	if [ "$$(id -u)" = 0 ]; then root=; \
	elif sudo -n true 2>/dev/null; then root='sudo -n'; \
	elif [ -t 0 ] && command -v sudo >/dev/null; then root=sudo; \
	else printf 'Packages are missing. Run:\n  sudo %s\n' "$$line" >&2; exit 1; fi; \
	echo "Installing:$$missing"; \
	apt() { $$root env DEBIAN_FRONTEND=noninteractive "$$@"; }; \
	apt $$line -qq || { apt apt-get update -qq && apt $$line -qq; } || { \
	  printf 'The installation failed. Run:\n  sudo apt-get update && sudo %s\n' "$$line" >&2; exit 1; }

build: setup ## build all targets for development
	$(SWIFT) build $(CHECK)

# The program as it is installed: optimized, with the Swift runtime linked statically.
release: setup
	$(SWIFT) build $(RELEASE) --product catalog

# Optimizing takes more than twice as long, module after module; what this builds, the tests use, too.
run: setup ## build for development and open the sample; ARGS="FILE …" opens another file
	$(SWIFT) build $(CHECK) --product catalog
	@.build/debug/catalog $(ARGS)

# Tests that need something this machine lacks are skipped and counted at the end.
test: setup ## build and run the tests; FILTER=NAME selects some of them
	@Scripts/timed-build .build/build-times $(SWIFT) build --build-tests $(CHECK)
	@{ $(SWIFT) test --skip-build $(CHECK) $(if $(FILTER),--filter $(FILTER)) --skip ServerTests 2>&1; \
	  echo $$? >.build/test-status; \
	  echo 'SKIPPED: the tests that need a PostgreSQL server; make test-servers runs them'; } | tee .build/test-output
	@skips='^SKIPPED|^[^ ]+ Test .* skipped'; count=$$(grep -cE "$$skips" .build/test-output); \
	if [ "$$count" != 0 ]; then echo "Skipped tests:"; \
	  grep -E "$$skips" .build/test-output | sed 's/^/  /'; fi; \
	echo "$$count skipped."; \
	cat .build/build-times; sh Scripts/slow-suites .build/test-output; \
	if [ "$$(cat .build/test-status)" != 0 ]; then Scripts/test-failures .build/test-output; fi; \
	exit "$$(cat .build/test-status)"

test-servers: setup ## run the tests that need a PostgreSQL server, which it starts
	$(SWIFT) build --build-tests $(CHECK)
	Scripts/test-servers $(SWIFT) test --skip-build $(CHECK) --filter ServerTests

# Optimized code can fail where that for development does not.
test-release: test release ## run the tests of the program with the program as it is installed
	CATALOG_PROGRAM=$(CURDIR)/.build/release/catalog $(SWIFT) test --skip-build $(CHECK) --filter CatalogTests

# Packages of their own that depend on this one by its path. In the build folder of this package they compile nothing
# of it again, but SwiftPM must not use the plan of another package there.
examples: setup ## build and test the example stores in Examples
	set -e; for example in Examples/*/; do \
	  $(SWIFT) test $(FLAGS) --package-path $$example --scratch-path $(CURDIR)/.build --disable-build-manifest-caching; \
	done

# Runs the tests that exercise the stores, in a separate build. llvm-cov is in the same directory as the compiler. During
# the build the macros write a profile of themselves into this folder; it is not needed and is removed.
coverage: setup ## measure the test coverage of the stores, in lines; fails below 95 %
	$(SWIFT) build --build-tests --enable-code-coverage --scratch-path $(COVERAGE) $(CHECK)
	@rm -f default.profraw
	$(SWIFT) test --skip-build --enable-code-coverage --scratch-path $(COVERAGE) $(CHECK) \
	  --filter 'StoresTests|StoreTortureTests|DefaultStorageTests'
	@"$$(dirname "$$(readlink -f "$$(command -v $(firstword $(SWIFT)))")")/llvm-cov" report \
	  $(COVERAGE)/debug/*.xctest -instr-profile=$(COVERAGE)/debug/codecov/default.profdata Sources/Stores | \
	awk '$$8 ~ /^[0-9]+$$/ { printf "%6d of %6d lines  %7s  %s\n", $$8 - $$9, $$8, $$10, $$1 } \
	  $$1 == "TOTAL" { share = $$10 + 0 } END { exit share < 95 }'

# The symbols come from the module of an ordinary build: compiler flags that emit them would rebuild
# everything. docc is in the same directory as the compiler.
docs: setup ## build the documentation of the library in .build/docs
	$(SWIFT) build $(CHECK) --target DataStoreTesting
	$(SWIFT) build $(CHECK) --target StoreFiles
	@rm -rf $(DOCS)
	set -e; for module in OpenSwiftData StoreFiles DataStoreTesting; do \
	  mkdir -p $(DOCS)/symbols; \
	  $(SWIFT) symbolgraph-extract -module-name $$module -skip-synthesized-members \
	    -I "$$($(SWIFT) build --show-bin-path)/Modules" -minimum-access-level public \
	    -Xcc -fmodule-map-file="$$($(SWIFT) build --show-bin-path)/CRuntime.build/module.modulemap" \
	    -Xcc -fmodule-map-file="$$($(SWIFT) build --show-bin-path)/CRE2.build/module.modulemap" \
	    -target "$$($(SWIFT) -print-target-info | sed -n 's/^ *"unversionedTriple": "\(.*\)",/\1/p')" \
	    -output-dir $(DOCS)/symbols; \
	  "$$(dirname "$$(readlink -f "$$(command -v $(firstword $(SWIFT)))")")/docc" convert \
	    Sources/$$module/$$module.docc --additional-symbol-graph-dir $(DOCS)/symbols \
	    --fallback-display-name $$module --fallback-bundle-identifier $$module \
	    --warnings-as-errors --output-path $(DOCS)/$$module.doccarchive; \
	  rm -r $(DOCS)/symbols; \
	done

pages: setup ## generate the key page, the steps of the tour, the manual, the completions and the case table
	CATALOG_WRITE_DOCS=1 $(SWIFT) test $(CHECK) --filter \
	  'KeysPageTests|ManualTests|CompletionsTests|CaseTableTests|RecipeTests.thePageListsTheCodes|LanguageTests.theGuideHasThePage|TourTests.thePageHasTheSteps|FromOtherProgramsTests.thePageHasTheRows'

# Without the debug information, which is half of the program. STRIP= keeps it.
install: release ## install under PREFIX (/usr/local), inside DESTDIR if set
	install -d $(BIN) $(SHARE)/catalog/examples $(SHARE)/man/man1 $(SHARE)/man/man5 $(SHARE)/bash-completion/completions \
	  $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 $(STRIP) .build/release/catalog $(BIN)/catalog
	install -m 644 Resources/films.json Resources/films.schema.json $(SHARE)/catalog
	install -m 644 Resources/examples/*.catalog $(SHARE)/catalog/examples
	install -m 644 Resources/catalog.1 $(SHARE)/man/man1/catalog.1
	install -m 644 Resources/catalog-language.5 $(SHARE)/man/man5/catalog-language.5
	install -m 644 Resources/completions/catalog.bash $(SHARE)/bash-completion/completions/catalog
	install -m 644 Resources/completions/_catalog $(SHARE)/zsh/site-functions/_catalog
	install -m 644 Resources/completions/catalog.fish $(SHARE)/fish/vendor_completions.d/catalog.fish

uninstall: ## remove the installed files
	rm -f $(BIN)/catalog $(SHARE)/man/man1/catalog.1 $(SHARE)/man/man5/catalog-language.5 \
	  $(SHARE)/bash-completion/completions/catalog \
	  $(SHARE)/zsh/site-functions/_catalog $(SHARE)/fish/vendor_completions.d/catalog.fish
	rm -rf $(SHARE)/catalog

deb: setup ## build a Debian package in .build
	@MAKE='$(MAKE)' sh Scripts/make-deb "$(CURDIR)/.build/catalog.deb"

# As root, and with a network: a new Debian is made for it.
deb-test: deb ## install the package in a new Debian, run the program and remove it
	@MAKE='$(MAKE)' sh Scripts/make-deb "$(CURDIR)/.build/again.deb" >/dev/null 2>&1
	@cmp .build/catalog.deb .build/again.deb && rm .build/again.deb
	@sh Scripts/test-deb .build/catalog.deb

bench: release ## compare with other tools and write docs/benchmarks.md; N=1000000 records
	$(SWIFT) build $(RELEASE) --product catalog-bench
	$(SWIFT) build $(RELEASE) --product model-bench || echo 'bench: without models' >&2
	N=$(N) bench/run

torture: setup ## crash, fail, damage, kill and fuzz the stores and print figures; SECONDS=60 SEED= ONLY=
	$(SWIFT) build $(RELEASE) --product store-torture
	$(SWIFT) build $(RELEASE) --product catalog
	@case '$(or $(ONLY),fuzz)' in fuzz*) $(MAKE) --no-print-directory fuzzer || \
	  echo 'torture: THE FUZZERS CANNOT BE BUILT, see above; fuzzing is skipped' >&2;; esac
	$(TORTURE) --program .build/release/catalog --fuzzer $(FUZZER) $(if $(ONLY),--only $(ONLY))

fuzz: setup fuzzer ## fuzz every parser of external input; SECONDS=60 SEED= ONLY=log|json|predicate|script|keys
	$(SWIFT) build $(RELEASE) --product store-torture
	$(TORTURE) --fuzzer $(FUZZER) --only fuzz-$(ONLY)

fuzzer:
	CATALOG_FUZZ=1 $(SWIFT) build $(FUZZING)

format: setup ## format the Swift sources
	$(SWIFT) format -i --parallel -r Sources Tests Examples Package.swift

lint: setup ## check the format, the import directions and the order of folders
	$(SWIFT) format lint --parallel --strict -r Sources Tests Examples Package.swift
	@sh Scripts/check-folders
	@imports='^[^/]*import +((struct|class|enum|func|protocol|typealias|var|let) +)?'; status=0; \
	for pair in $(IMPORTERS); do \
	  if grep -rnE --include='*.swift' "$$imports$${pair%%:*}([^A-Za-z0-9_]|$$)" Sources Tests \
	    | grep -v "^Sources/$${pair##*:}/"; \
	  then echo "lint: only Sources/$${pair##*:} may import $${pair%%:*}" >&2; status=1; fi; \
	done; \
	for pair in '$(firstword $(FORBIDDEN))' '$(word 2,$(FORBIDDEN))' '$(word 3,$(FORBIDDEN))' '$(word 4,$(FORBIDDEN))'; do \
	  if grep -rnE --include='*.swift' "$$imports($${pair##*:})([^A-Za-z0-9_]|$$)" Sources/$${pair%%:*}; \
	  then echo "lint: Sources/$${pair%%:*} must not import $${pair##*:}" >&2; status=1; fi; \
	done; \
	exit $$status

clean: ## remove all build products
	rm -rf .build
