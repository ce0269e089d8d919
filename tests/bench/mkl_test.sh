#!/usr/bin/env bash
# copse_mkl of cmake/setup.sh, with a python3 that only pretends. Arguments: the sources, a folder to work in.
set -uo pipefail
source_folder="$1"
work="$2"
rm -rf "$work"
mkdir -p "$work/tree/cmake" "$work/bin"
cp "$source_folder/cmake/setup.sh" "$work/tree/cmake/"
unset COPSE_MKL

# pretend installs|fails
pretend() {
    {
        printf '#!/usr/bin/env bash\n'
        printf 'while (($#)); do [[ "$1" != --prefix ]] || target="$2"; shift; done\n'
        [[ "$1" == fails ]] || printf 'mkdir -p "$target/lib" && touch "$target/lib/libmkl_rt.so.9" && exit 0\n'
        printf 'mkdir -p "$target/lib"; echo "a line"; echo "ERROR: no such package" >&2; exit 1\n'
    } >"$work/bin/python3"
    chmod +x "$work/bin/python3"
}

# said install: what copse_mkl prints, its status, and COPSE_MKL after it.
said() {
    PATH="$work/bin:$PATH" bash -c 'source "$1/tree/cmake/setup.sh"; copse_mkl "$2"; echo "$? ${COPSE_MKL-none}"' \
        _ "$work" "$1"
}

failures=0
expect() {
    [[ "$1" == "$2" ]] && return
    printf 'expected: %s\n     got: %s\n' "$2" "$1"
    failures=1
}

pretend fails
expect "$(said no)" "==> goes on without MKL: it is not installed, and nothing is because of --no-install
1 none"
expect "$(said yes)" "==> installing with pip into build/peers/mkl: mkl
==> goes on without MKL: pip could not install it: ERROR: no such package
1 none"
expect "$(ls "$work/tree/build/peers" 2>/dev/null)" ""
expect "$(COPSE_MKL=/elsewhere said yes)" "0 /elsewhere"
pretend installs
expect "$(said yes)" "==> installing with pip into build/peers/mkl: mkl
0 $work/tree/build/peers/mkl/lib"
pretend fails
expect "$(said no)" "0 $work/tree/build/peers/mkl/lib"
exit "$failures"
