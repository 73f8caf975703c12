# The developer's commands. Each target does its own set-up.

SWIFT ?= swift
# Whole modules: half of the work of a build from nothing. With threads each file has an object, as SwiftPM expects.
BUILD_TESTS = $(SWIFT) build --build-tests -Xswiftc -disable-batch-mode -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2
# A program with the Swift library inside runs on a board without Swift.
RELEASE = $(SWIFT) build -c release --static-swift-stdlib
# ANICCA_PROGRAMS=DIRECTORY: programs that are built already, instead.
RELEASE_BIN = $(or $(ANICCA_PROGRAMS),$(shell $(RELEASE) --show-bin-path))
# What the tests outside the programs share is in Tests/harness.
export PYTHONPATH = $(CURDIR)/Tests
# Against Debian 13's libgpiod 2.x, on a machine that has another.
LIBGPIOD2 = $(CURDIR)/.build/libgpiod2/usr
RELEASE_FOR_TRIXIE = $(RELEASE) --scratch-path .build-trixie -Xcc -I$(LIBGPIOD2)/include \
    -Xlinker -L$(LIBGPIOD2)/lib/$(shell uname -m)-linux-gnu -Xlinker --allow-shlib-undefined

# Folders with recordings of people, which are not part of the project.
RECORDINGS = ../shared/recordings-2 ../shared/recordings-3

# The programs of the package, and the directory that it is made in.
PROGRAMS = aniccad anicca-upload anicca anicca-lab anicca-receiver
DEB = .build/deb
# What the tests need beyond a build.
TEST_TOOLS = gpsd gpsd-clients systemd python3-venv
ARM64_TOOLS = mmdebstrap debian-archive-keyring qemu-user-static arch-test

.PHONY: all help setup build built test test-scripts test-training check-training test-fresh test-steady nightly lines check-extension lint figures docs-check output-pages format embedded config-pages docs demo demo-lives bench bench-growth link-order \
    train accuracy nights places floors heart energy arrivals check-libgpiod2 \
    deb deb-tools deb-arm64 release-packages release test-release image test-image check-units test-deb test-setup test-setup-here test-time test-clocks rig test-rig test-rig-fast test-rig-trixie test-rig-full \
    check-arm64 test-arm64 test-mqtt test-home-assistant test-fuzz test-contract contract-tools fault-shims test-server test-server-all test-faults test-faults-all test-damage test-damage-all shims \
    test-secrets test-canaries test-soak test-outside test-report report-picture reliability demo-fleet fleet-load test-fleet clean

all: build

help:
	@echo 'make demo            a simulated week, compared with the truth'
	@echo 'make test            every Swift test; FILTER=LiveTests runs some of them'
	@echo 'make build           the programs, in .build/release'
	@echo 'make lint format     the rules of style, and what they can mend'
	@echo 'make bench           the cost of everything, against its limits'
	@echo 'make deb deb-arm64   the packages for this machine and for a Pi'
	@echo 'make test-outside    the programs as they ship, tried from outside'
	@echo 'make nightly         what takes longer'
	@echo 'CONTRIBUTING.md has the others.'

setup:
	@sh scripts/setup.sh $(TEST_TOOLS)

build:
	@sh scripts/setup.sh
	$(RELEASE)

# FILTER=LiveTests runs only the Swift tests whose names match.
test: setup $(if $(FILTER),,test-scripts)
	$(BUILD_TESTS)
	@SWIFT=$(SWIFT) sh scripts/run-tests.sh $(if $(FILTER),--filter '$(FILTER)')

# Three seconds: before the compiler, and with lint before each commit.
test-scripts:
	@python3 -m unittest discover --start-directory scripts

# The printed output that documents show: docs/figures/output.
output-pages: built shims
	@export ANICCA_WRITE_PAGES=1; $(OUTSIDE) Time.test_output

lint: setup docs-check test-scripts
	@python3 scripts/lint-imports.py
	@python3 scripts/lint-process.py
	@python3 scripts/lint-domains.py
	@python3 scripts/check-walks.py
	@python3 Tests/Canaries/run.py --check
	@sh scripts/venv.sh .build/lint scripts/lint-requirements.txt
	@.build/lint/bin/ruff check --quiet
	@.build/lint/bin/reuse lint --quiet
	@$(SWIFT) format lint --strict --configuration .swift-format --parallel --recursive Package.swift Sources Tests
	@echo "format: as .swift-format has it"

# The figures of the documents, from docs/figures. A target that measures makes its record with RECORD=1: make bench RECORD=1.
figures:
	@python3 scripts/figures.py

docs-check:
	@python3 scripts/figures.py --check
	@python3 scripts/output_check.py

format:
	@$(SWIFT) format --in-place --configuration .swift-format --parallel --recursive Package.swift Sources Tests

embedded: setup
	@sh scripts/embedded.sh

# The keys in deploy/anicca.conf, the manual page and docs/configuration.md, from their table (Tests/ConfigTests/ReferencePage.swift).
config-pages: setup
	$(BUILD_TESTS)
	ANICCA_WRITE_PAGES=1 $(SWIFT) test --skip-build --filter ReferencePageTests

# The reference of the public API, as web pages in .build/docs; a warning is an error.
docs: setup
	@sh scripts/docs.sh .build/docs

# A domain, a chip and a sink are a folder and a line each: docs/adding.md.
check-extension: setup
	@python3 scripts/check-extension.py

check-libgpiod2:
	@sh scripts/check-libgpiod2.sh

# Standard output is the demo's and the benchmark's own.
built:
ifndef ANICCA_PROGRAMS
	@$(MAKE) --no-print-directory build >&2
endif

demo: built
	@$(RELEASE_BIN)/anicca-lab demo $(DEMO)

# Many lives, and one with each chip; what the first that fails printed is shown.
demo-lives: built
	@seq 1 100 | xargs -I SEED -P 2 sh -c '$(RELEASE_BIN)/anicca-lab demo --seed SEED --json >.build/demo-SEED.txt 2>&1 && rm .build/demo-SEED.txt \
	    || { echo "seed SEED"; tail -n 1 .build/demo-SEED.txt; exit 255; }'
	@for chip in mpu6050 mpu6500 lis3dh adxl345 lsm6dso lsm6ds3trc bma400; do $(RELEASE_BIN)/anicca-lab demo --days 2 --imu $$chip >/dev/null || exit; done
	@seq 1 20 | xargs -I SEED $(RELEASE_BIN)/anicca-lab demo --all --seed SEED >/dev/null
	@echo "demo-lives: 100 lives, 20 with every kind of data, and 7 chips, are right"

bench: built
	@sh scripts/setup.sh valgrind
	@$(MAKE) --no-print-directory shims >&2
	@python3 scripts/bench.py $(RELEASE_BIN)

# How costs grow with the age of the store and with what waits.
bench-growth: built
	@sh scripts/setup.sh valgrind
	@$(MAKE) --no-print-directory shims >&2
	@ANICCA_PROGRAMS=$(RELEASE_BIN) PYTHONPATH=Tests:scripts python3 Tests/Bench/growth.py

# The order of the functions in aniccad, from what it runs: deploy/link/order.txt.
link-order: built shims
	@sh scripts/setup.sh valgrind
	@cd Tests/Bench && ANICCA_PROGRAMS=$(RELEASE_BIN) python3 order.py

# The tests of the training, and the training itself, which checks that the committed constants equal its result.
test-training: setup
	@sh scripts/train.sh --test

# The training is checked where what it is made of differs from what its record was made of.
check-training: setup
	@python3 scripts/record.py training || $(MAKE) --no-print-directory train accuracy

train: setup
	@sh scripts/train.sh $(RECORDINGS)

# The tables of docs/accuracy.md, from the models and the recordings of make train. Fails where a figure is beyond its limit.
accuracy: built
	@python3 scripts/accuracy.py $(RELEASE_BIN)/anicca-lab .build/training

# Simulated nights: what sampling costs and loses, and the time in bed against the reference rule.
NIGHTS ?= 500
nights: built
	@sh scripts/train.sh --python
	@python3 scripts/nights.py $(RELEASE_BIN)/anicca-lab .build/python/bin/python $(NIGHTS)

# Simulated days with a receiver that lies, and real tracks where there are any.
DAYS ?= 1000
TRACKS ?= ../shared/tracks
places: built
	@python3 scripts/places.py $(RELEASE_BIN)/anicca-lab $(DAYS) "$(TRACKS)"

# Simulated days with stairs, lifts and vehicles: docs/accuracy.md.
floors: built
	@python3 scripts/floors.py $(RELEASE_BIN)/anicca-lab $(DAYS)

# Heart rates from recorded pulse signals: docs/accuracy.md.
PULSES ?= ../shared/recordings-3/troika
heart: built
	@python3 scripts/heart.py $(RELEASE_BIN)/anicca-lab "$(PULSES)"

# When the devices of a fleet arrive, in virtual time: docs/fleet.md.
arrivals: built
	@python3 scripts/arrivals.py $(RELEASE_BIN)/anicca-lab

# What the agent takes of a battery, reckoned: docs/energy.md.
energy: built
	@python3 scripts/energy.py $(RELEASE_BIN)/anicca-lab

# The Debian package, for this machine's release of Debian; SUITE=trixie makes it for Debian 13 elsewhere too, with
# that release's libgpiod.
deb: deb-tools
ifeq ($(SUITE),trixie)
	@sh scripts/fetch-libgpiod2.sh .build/libgpiod2
	@for program in $(PROGRAMS); do $(RELEASE_FOR_TRIXIE) --product $$program >&2 || exit; done
	@LD_LIBRARY_PATH=$(LIBGPIOD2)/lib/$(shell uname -m)-linux-gnu sh deploy/build-deb.sh --suite trixie --programs $(shell $(RELEASE_FOR_TRIXIE) --show-bin-path) $(DEB)
else
	@$(MAKE) --no-print-directory built
	@sh deploy/build-deb.sh --programs $(RELEASE_BIN) $(DEB)
endif

deb-tools:
	@sh scripts/setup.sh debhelper dpkg-dev lintian chrpath

# For arm64 boards with Debian 12 or 13, from an amd64 machine and as root: deploy/arm64/README.md.
deb-arm64: deb-tools
	@sh scripts/setup.sh $(ARM64_TOOLS)
	@bash deploy/arm64/build.sh $(DEB)

# The image of a card, and its first start in an emulated machine: docs/image.md.
image: deb-arm64
	@sh scripts/setup.sh $(ARM64_TOOLS) e2fsprogs dosfstools mtools fdisk xz-utils
	@bash deploy/image/build.sh $(DEB)/anicca-edge_*_arm64.deb .build/image/anicca.img

test-image: image
	@sh scripts/setup.sh qemu-system-arm device-tree-compiler openssh-client
	@python3 deploy/image/test.py .build/image/anicca.img $(DEB)/anicca-edge-lab_*_arm64.deb $(DEB)/anicca-receiver_*_arm64.deb

check-units: setup
	@sh deploy/check-units.sh

# The life of an installation, in a Debian that is thrown away.
test-deb: deb
	@sh scripts/setup.sh mmdebstrap zstd debian-archive-keyring
	@python3 deploy/test-deb.py $(DEB)/*.deb

# A server from its package, in a Debian of its own that systemd boots (systemd-nspawn(1)): 12 and 13, or that of this machine's packages.
test-setup: deb
	@$(MAKE) --no-print-directory deb SUITE=trixie
	@$(MAKE) --no-print-directory test-setup-here

test-setup-here: deb
	@sh scripts/setup.sh mmdebstrap zstd debian-archive-keyring systemd-container
	@python3 deploy/test-server.py $(DEB)/*.deb

# The packages of a release, and a repository that is signed with KEY: docs/release.md.
release-packages: deb deb-arm64
	@$(MAKE) --no-print-directory deb SUITE=trixie

release: release-packages
	@sh scripts/setup.sh apt-utils gnupg
	@python3 deploy/release.py --key $(KEY) $(DEB) $(OUT)

test-release: release-packages
	@sh scripts/setup.sh apt-utils gnupg mmdebstrap zstd debian-archive-keyring
	@python3 deploy/test-release.py $(DEB)

# The suites that try the programs from outside, several modules at a time: Tests/harness/run.py. JOBS=N runs
# N modules at a time.
OUTSIDE = ANICCA_PROGRAMS=$(RELEASE_BIN) SOAK_MINUTES=$(or $(MINUTES),1) ANICCA_SCREENSHOTS=$(abspath $(SCREENSHOTS)) python3 Tests/harness/run.py
SERVER_TESTS = Faults.test_server Faults.test_erasure Faults.test_waiting Faults.test_tls Faults.test_sessions
CALL_TESTS = Faults.test_faultshim Faults.test_faults Faults.test_surroundings Faults.test_restarts
DAMAGE_TESTS = Faults.test_damage Faults.test_own_files Faults.test_full_disk Faults.test_sudo

# All of them in one run.
test-outside: fault-shims contract-tools
	@sh scripts/setup.sh $(FLEET_TOOLS) chromium
	@$(OUTSIDE) Time Gpsd Faults Fleet MQTT Contract Browser

# The programs under clocks that the tests set (Tests/harness/clockshim.c), and with gpsd itself.
test-time: fault-shims
	@$(OUTSIDE) Time Gpsd
	@$(RELEASE_BIN)/anicca-lab clocks --seeds 1-50 --days 20

# Lives with wrong clocks, held against a model: SEEDS=17-17 lives one of them again.
test-clocks: built
	@$(RELEASE_BIN)/anicca-lab clocks --seeds $(or $(SEEDS),1-500) --days 20

# What may go wrong around the programs: Tests/Faults/README.md. FAULTS_SEED=N repeats a run. The targets that end with -all try
# everything, the others a sample.
fault-shims: built
	@$(MAKE) --no-print-directory shims

# What is preloaded to the programs in tests and in the benchmark.
SHIMS = Tests/harness/clockshim Tests/harness/faultshim Tests/Bench/busshim
shims:
	@mkdir -p .build
	@for shim in $(SHIMS); do \
	    $(CC) -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -shared -o .build/$${shim##*/}.so $$shim.c -ldl || exit 1; done

test-server test-server-all: fault-shims
	@sh scripts/setup.sh openssl
	@$(OUTSIDE) $(SERVER_TESTS)

# One call of the library fails: each in turn, with -all (hours).
test-faults test-faults-all: fault-shims
	@$(OUTSIDE) $(CALL_TESTS)

# Stores that are damaged, and full disks.
test-damage test-damage-all: fault-shims
	@$(OUTSIDE) $(DAMAGE_TESTS)

# Secrets that are looked for in messages, files and memory; as root.
test-secrets: fault-shims
	@$(OUTSIDE) Faults.test_secrets

# Faults that are planted in a copy of the project, one at a time: each has to be found by the campaign for it. What was found at this commit
# is kept; CANARIES="a b" tries these again, MINUTES=30 begins nothing new after so many.
test-canaries:
	@sh scripts/setup.sh $(FLEET_TOOLS) $(MQTT_TOOLS)
	@python3 Tests/Canaries/run.py $(if $(MINUTES),--minutes $(MINUTES)) $(CANARIES)

# Programs that run for long: MINUTES=30 of real time, and days of virtual time.
test-soak: fault-shims
	@$(OUTSIDE) Faults.test_soak

# What docs/reliability.md tells, all of one commit: with RECORD=1. With ALL=-all everything is tried, which takes hours.
reliability: fault-shims
	@rm -rf .build/reliability
	-@export ANICCA_COMMIT=$$(git rev-parse --short HEAD); \
	    $(MAKE) --no-print-directory --keep-going test-server$(ALL) test-faults$(ALL) test-damage$(ALL) test-secrets test-soak
	@python3 scripts/reliability.py

test-server-all test-faults-all test-damage-all: export FAULTS = all

# The page of anicca report in a browser. SCREENSHOTS=DIRECTORY keeps what it looks like.
test-report: built
	@sh scripts/setup.sh chromium
	@$(OUTSIDE) Browser

# The picture of it in the README.
report-picture: built
	@sh scripts/setup.sh chromium
	@sh scripts/report-picture.sh $(RELEASE_BIN) docs/report.png

# The contract with a server, docs/openapi.yaml: what the receiver answers and refuses, and what a device sends.
test-contract: built contract-tools
	@$(OUTSIDE) Contract

# Without PyPI what needs it is skipped.
contract-tools:
	@sh scripts/setup.sh $(MQTT_TOOLS)
	-@sh scripts/venv.sh .build/contract Tests/Contract/requirements.txt

# A server as deploy/server makes one, of PostgreSQL, nginx and two receivers on loopback, in a temporary directory: Tests/harness/fleet.py.
FLEET_TOOLS = postgresql nginx openssl wrk mosquitto mosquitto-clients prometheus
demo-fleet fleet-load test-fleet: built
demo-fleet fleet-load test-fleet: export ANICCA_PROGRAMS := $(RELEASE_BIN)

# DEVICES=200 devices live DAYS=7 days and deliver them; what they sent against what PostgreSQL has, and against the truth.
demo-fleet:
	@sh scripts/setup.sh $(FLEET_TOOLS) >&2
	@python3 Tests/Fleet/demo.py

# The requests that the server takes in SECONDS=60, beside plain INSERTs into PostgreSQL.
fleet-load:
	@sh scripts/setup.sh $(FLEET_TOOLS) >&2
	@python3 Tests/Fleet/load.py

# The answers that strangers get, and failures in a night of DEVICES=300; 10000 tries a whole fleet.
test-fleet:
	@sh scripts/setup.sh $(FLEET_TOOLS) chromium
	@$(OUTSIDE) Fleet

MQTT_TOOLS = mosquitto mosquitto-clients openssl python3-yaml python3-jsonschema
# A real broker, and listeners that are none: MQTT_KILLS=N connections, brokers and uploaders end around an acknowledgement.
test-mqtt: fault-shims
	@sh scripts/setup.sh $(MQTT_TOOLS)
	@$(OUTSIDE) MQTT

# Home Assistant itself, for which Python 3.11 (Debian 12) and PyPI are needed.
test-home-assistant: built
	@sh scripts/setup.sh $(MQTT_TOOLS)
	@sh scripts/venv.sh .build/home-assistant Tests/MQTT/home-assistant.txt
	@$(OUTSIDE) MQTT.test_home_assistant

# Everything that reads bytes of others, under libFuzzer: RUNS executions of each.
test-fuzz: setup
	@sh scripts/fuzz.sh $(RUNS)

# Guests with a real kernel, on an amd64 machine with Debian 12: Tests/Rig/README.md.
TEST_RIG = python3 -m unittest discover --verbose --start-directory Tests/Rig

# The two commands of the README in a Debian 13 that holds nothing but its own Swift, git and make; COMMANDS=test runs one of them,
# SUITE=bookworm both in Debian 12, with this machine's Swift.
test-fresh:
	@sh scripts/setup.sh mmdebstrap zstd debian-archive-keyring
	@SUITE=$(or $(SUITE),trixie) COMMANDS="$(or $(COMMANDS),demo test)" python3 deploy/test-fresh.py

# All the tests RUNS=20 times, two at a time; a run that was made of these sources counts.
test-steady: setup
	$(BUILD_TESTS)
	@python3 scripts/steady.py $(or $(RUNS),20)

# Lines of code, without blanks and comments, by program and folder.
lines:
	@python3 scripts/lines.py

# What takes longer than a change can wait for, in pieces: MINUTES=150 begins none after so long, and the next run goes on from there.
# PIECES="fuzz soak" runs these.
nightly:
	@python3 scripts/checks.py night $(if $(MINUTES),--minutes $(MINUTES)) $(PIECES)

rig: deb
	@sh Tests/Rig/prepare.sh $(RELEASE_BIN) bookworm bookworm-bare

test-rig: rig
	@$(TEST_RIG)

# The part of it that every change must pass.
test-rig-fast: rig
	@cd Tests/Rig && python3 -m unittest --verbose test_guest test_newcomer test_units test_sandbox test_read_only \
	    test_power_cut test_pulses.PulseProofs.test_a_thousand_steps_at_walking_and_at_the_fastest_pace_are_stored_once_each test_alarm.EdgeProofs \
	    test_lending.LendingProofs.test_after_a_kill_it_is_back_as_well \
	    test_lending.LendingProofs.test_a_terminal_is_left_as_it_was

# With libgpiod 2 in Debian 13 as well, and with 50 cuts of the power.
test-rig-full: test-rig test-rig-trixie
test-rig-full: export RIG_CUTS = 50

test-rig-trixie: rig
	@$(MAKE) --no-print-directory deb SUITE=trixie
	@$(RELEASE_FOR_TRIXIE) --product rig-hardware >&2
	@GUEST_PROGRAMS=$$($(RELEASE_FOR_TRIXIE) --show-bin-path) sh Tests/Rig/prepare.sh $(RELEASE_BIN) trixie trixie-bare
	@RIG_SUITE=trixie $(TEST_RIG)

# Whether Debian 12 and 13 can install the packages for arm64.
check-arm64: deb-arm64
	@bash deploy/arm64/check-dependencies.sh $(DEB)/anicca-*_arm64.deb

# The tests and the package for arm64, emulated: deploy/arm64/README.md.
test-arm64: check-arm64
	@bash deploy/arm64/test.sh
	@bash deploy/arm64/test-deb.sh $(DEB)/anicca-edge_*_arm64.deb

clean:
	rm -rf .build .build-*
