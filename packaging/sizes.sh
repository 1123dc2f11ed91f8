#!/bin/sh
# Prints what each part of the executable costs, in KiB: machine code and named constants by the
# crates that they are from.
#
# Links the release build once more, unstripped, and reads its symbols: nm of binutils 2.36 or newer
# is needed.
set -eu
cd "$(dirname "$0")/.."

program=ikigai-tools
target=$(rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1-unknown-linux-musl/p')
target_dir=${CARGO_TARGET_DIR:-target}
binary=$target_dir/$target/release/$program
# shellcheck source=packaging/flags.sh
. packaging/flags.sh
flags=$(encoded_flags "$static_flags" "$target_dir")
CARGO_ENCODED_RUSTFLAGS=$flags cargo rustc --quiet --release --locked --bin $program --target "$target" \
    --target-dir "$target_dir" -- -C strip=none

symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
nm --print-size --defined-only --demangle "$binary" >"$symbols"
strip "$binary"

# A symbol's crate is the first that it names and that is not the standard library's.
awk '
    function part_of(crate) { return crate in parts ? parts[crate] : "other crates" }
    function assign(label, crates,   list, i, n) {
        n = split(crates, list, " ")
        for (i = 1; i <= n; i++) parts[list[i]] = label
    }
    BEGIN {
        assign("standard library and C library", "core alloc std hashbrown gimli addr2line rustc_demangle libunwind panic_unwind unwind std_detect")
        assign("tools and doors: this repository", "ikigai_tools iki_base iki_markdown iki_html iki_pdf iki_document iki_process iki_files iki_search iki_conversion iki_web iki_research iki_tools iki_mcp")
        assign("JSON", "serde serde_core serde_json escape_simd json_escape_simd simdutf8 zmij itoa indexmap ryu")
        assign("patterns", "regex regex_automata regex_syntax fancy_regex aho_corasick memchr glob bytecount bit_set")
        assign("MCP", "rmcp tokio tokio_util mio tracing tracing_core schemars chrono futures futures_core futures_util futures_channel futures_task parking_lot parking_lot_core signal_hook_registry socket2 bytes pin_project_lite async_trait")
        assign("confinement", "landlock enumflags2")
        assign("command line, completions, manual pages", "clap clap_builder clap_complete clap_mangen clap_lex anstyle strsim roff")
        assign("HTTP and TLS", "rustls webpki ring ureq ureq_proto http httparse url idna idna_adapter icu_normalizer icu_properties icu_collections percent_encoding form_urlencoded openssl_probe rustls_native_certs rustls_pki_types base64 untrusted subtle zeroize")
        assign("documents: PDF, Office, EPUB", "lopdf ttf_parser zip quick_xml typed_path nom weezl rangemap stringprep unicode_bidi unicode_normalization unicode_properties md5 aes cbc ecb cipher block_padding block_buffer inout sha2 digest hybrid_array time")
        assign("server over HTTP, Redis", "hyper hyper_util http_body http_body_util httpdate tokio_rustls governor spinning_top redis combine arcstr async_lock event_listener xxhash_rust tokio_stream sse_stream uuid rand rand_core chacha20 getrandom slab tower_service")
        assign("pages: HTML, character sets, compression", "cssparser chardetng html2md html5ever markup5ever markup5ever_rcdom xml5ever tendril string_cache phf phf_shared web_atoms encoding_rs html_escape brotli_decompressor miniz_oxide flate2 crc32fast simd_adler32 alloc_no_stdlib")
        assembly = "^(ring_core|x25519|fe_|ge_|ecp_nistz|aes_|sha|chacha|bn_|p256|p384|table_select|k25519|bsaes|gcm|poly1305|vpaes)"
    }
    $3 ~ /^[tTwWrRdD]$/ && NF > 3 {
        bytes = 0
        digits = tolower($2)
        for (i = 1; i <= length(digits); i++) bytes = bytes * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
        name = $0
        sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", name)
        found = ""
        if (name ~ /::/) {
            found = "standard library and C library"
            rest = " " name
            while (match(rest, /[A-Za-z_][A-Za-z0-9_]*::/)) {
                crate = substr(rest, RSTART, RLENGTH - 2)
                first = RSTART > 1 && substr(rest, RSTART - 1, 1) != ":"
                rest = substr(rest, RSTART + RLENGTH)
                if (first && crate !~ /^[A-Z]/ && part_of(crate) != found) {
                    found = part_of(crate)
                    break
                }
            }
        } else if (name ~ assembly) found = "HTTP and TLS"
        else found = "standard library and C library"
        size[found] += bytes
    }
    END { for (label in size) printf "%7.0f  %s\n", size[label] / 1024, label }
' "$symbols" | sort -rn
size -A "$binary" | awk '
    $1 ~ /^\.(eh_frame|eh_frame_hdr|gcc_except_table)$/ { tables += $2 }
    END { printf "%7.0f  %s\n", tables / 1024, "tables for unwinding a panic" }'
printf '%7.0f  in all, stripped; what is not above are constants without a name: texts, schemas, tables\n' \
    "$(($(wc -c <"$binary") / 1024))"
