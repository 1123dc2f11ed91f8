#!/bin/sh
# Prints what each part of the executable costs, in KiB: its machine code by the crate that it is from, and the rest.
#
# Links the release build once more, unstripped, and reads its symbols: nm of binutils 2.36 or newer is needed.
set -eu
cd "$(dirname "$0")/.."

program=ikigai-tools
target=$(rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1-unknown-linux-musl/p')
target_dir=${CARGO_TARGET_DIR:-target}
binary=$target_dir/$target/release/$program
flags=$(sed -n "s/^static_flags='\(.*\)'/\1/p" install.sh)
RUSTFLAGS="${RUSTFLAGS-} $flags" cargo rustc --quiet --release --locked --bin $program --target "$target" \
    --target-dir "$target_dir" -- -C strip=none

symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
nm --print-size --defined-only --demangle "$binary" >"$symbols"
strip "$binary"

# A symbol's crate is the first name in it: `<&mut std::io::Foo as core::fmt::Write>::f` is std's.
awk '
    $3 ~ /^[tTwW]$/ && NF > 3 {
        name = $4
        for (i = 5; i <= NF; i++) name = name " " $i
        if (name ~ /::/) {
            gsub(/^[<&*(\[]+|(mut|dyn|const) /, "", name)
            gsub(/^[<&*(\[]+/, "", name)
            sub(/[^A-Za-z0-9_].*/, "", name)
        } else name = "C and assembly"
        bytes = 0
        digits = tolower($2)
        for (i = 1; i <= length(digits); i++) bytes = bytes * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
        size[name] += bytes
    }
    END { for (name in size) printf "%7.0f  %s\n", size[name] / 1024, name }
' "$symbols" | sort -rn
printf '\nsections:\n'
size -A "$binary" | awk '$2 ~ /^[0-9]+$/ && $2 >= 1024 && $3 > 0 { printf "%7.0f  %s\n", $2 / 1024, $1 }' | sort -rn
printf '\n%7.0f  in all, stripped\n' "$(($(wc -c <"$binary") / 1024))"
