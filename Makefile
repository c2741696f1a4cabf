# How OpenBench builds an engine: `make EXE=name` leaves the program at ./name. EVALFILE and CC,
# which it may pass too, mean nothing here: cargo knows the compiler.
EXE = zuylen

ifeq ($(OS),Windows_NT)
    SUFFIX = .exe
endif

TARGET = $(or $(CARGO_TARGET_DIR),target)

.PHONY: all
all:
	cargo build --release --bin zuylen
	cp "$(TARGET)/release/zuylen$(SUFFIX)" "$(patsubst %.exe,%,$(EXE))$(SUFFIX)"
