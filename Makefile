# The two commands of the quick start, and what they need. Everything else is `sagen` and `cosim`.

CARGO ?= cargo
PACKAGES := verilator clang g++ liblz4-dev zlib1g-dev python3-pip python3-venv yosys iverilog tcl
TOOLS := verilator clang++ g++ python3 yosys iverilog tclsh
ROOT := $(filter 0,$(shell id -u))
APT := $(if $(ROOT),apt-get,sudo apt-get)
INSTALL := $(APT) update && $(APT) install -y --no-install-recommends $(PACKAGES)
# Sets `missing`, or ends the rule where nothing is.
FIND := missing=""; for tool in $(TOOLS); do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	[ -z "$$missing" ] && exit 0; echo "missing:$$missing"; \
	command -v apt-get >/dev/null || { echo "install them with your package manager; on Debian: apt-get install $(PACKAGES)"; exit 1; }
# Crates, and tests besides their units, that need neither these tools nor a fetched model.
QUICK := lang arith blocks config overlay streamed-isa streamed-arch streamed-timing streamed-golden checkpoint compile \
	engine host
QUICK_TESTS := semantics interfaces manifest twins machine signals

.PHONY: demo test quick formal check tools cargo setup

# Emit the default overlay, verilate it, fetch SmolLM2-135M-Instruct, and decode a few tokens bit by bit.
demo: tools
	$(CARGO) build --release -p sagen -p sagen-cosim
	target/release/cosim doctor
	target/release/sagen build --config d16_100mhz_w128_p6
	target/release/cosim run smollm2

test: tools
	$(CARGO) test --release --workspace

# The tests to run between two edits: no simulator, no synthesis, no model.
quick: cargo
	$(CARGO) test --release $(QUICK:%=-p sagen-%) --lib $(QUICK_TESTS:%=--test %)

# Proofs of the bus interfaces, minutes: yosys and its ABC.
formal: tools
	$(CARGO) xtask formal

# Everything that a change must pass besides the tests.
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --workspace --no-deps
	$(CARGO) run --release -p sagen -- check
	$(CARGO) xtask figures

cargo:
	@command -v $(CARGO) >/dev/null || { echo "cargo is missing: install Rust from your distribution or with rustup"; exit 1; }

# Says what is missing. Only root, as in a container or in CI, gets it installed without having asked.
tools: cargo
	@$(FIND); \
	$(if $(ROOT),echo "installing: $(PACKAGES)"; $(INSTALL),echo "make setup installs: $(PACKAGES)"; exit 1)

# Installs what is missing where apt-get is at hand, and says what to install elsewhere.
setup: cargo
	@$(FIND); \
	$(INSTALL)
