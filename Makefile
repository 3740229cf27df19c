# The two commands of the quick start, and what they need. Everything else is `sagen` and `cosim`.

CARGO ?= cargo
PACKAGES := verilator clang g++ liblz4-dev zlib1g-dev python3-pip python3-venv yosys iverilog tcl
TOOLS := verilator clang++ g++ python3 yosys iverilog tclsh
APT := $(if $(filter 0,$(shell id -u)),apt-get,sudo apt-get)

.PHONY: demo test setup check

# Emit the default overlay, verilate it, fetch SmolLM2-135M-Instruct, and decode a few tokens bit by bit.
demo: setup
	$(CARGO) build --release -p sagen -p sagen-cosim
	target/release/cosim doctor
	target/release/sagen build --config d16_100mhz_w128_p6
	target/release/cosim run smollm2

test: setup
	$(CARGO) test --release --workspace

# Everything that a change must pass besides the tests.
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --workspace --no-deps
	$(CARGO) run --release -p sagen -- check

# Installs what is missing where apt-get is at hand, and says what to install elsewhere.
setup:
	@command -v $(CARGO) >/dev/null || { echo "cargo is missing: install Rust from your distribution or with rustup"; exit 1; }
	@missing=""; for tool in $(TOOLS); do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	[ -z "$$missing" ] && exit 0; \
	echo "missing:$$missing"; \
	command -v apt-get >/dev/null || { echo "install them with your package manager; on Debian: apt-get install $(PACKAGES)"; exit 1; }; \
	$(APT) update && $(APT) install -y --no-install-recommends $(PACKAGES)
