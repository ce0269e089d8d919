# shellcheck shell=bash
# Shared by tests/run and bench/run (sourced, bash): packages, configuring and building.
# Offers: copse_root, copse_say, copse_fail, copse_packages, copse_need_packages, copse_need_cross_packages,
# copse_peer_packages, copse_test_packages, copse_rare_test_packages, copse_report_packages, copse_python, copse_mkl,
# copse_configure, copse_build.

copse_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"

# What every build needs, by Debian's names. The CUDA toolkit is used where it is found and never installed.
copse_needed_packages=(g++ cmake ninja-build libgtest-dev libboost-context-dev libfmt-dev libhwy-dev
    zlib1g-dev libcairo2-dev nlohmann-json3-dev libcli11-dev librapidcheck-dev python3)

# For programs of AArch64 on another machine: a compiler, an emulator, the libraries.
copse_cross_packages=(g++-aarch64-linux-gnu qemu-user
    libgtest-dev:arm64 libboost-context-dev:arm64 libfmt-dev:arm64 libhwy-dev:arm64
    zlib1g-dev:arm64)

# Other libraries, to compare with: bench/run --peers installs them, and no build needs them.
copse_peer_packages=(libeigen3-dev libgraphblas-dev libpetsc-real-dev librsb-dev libtbb-dev)

# What single tests need, which are skipped where it cannot be had: views of Eigen's matrices; and, not with
# tests/run --once, the model of the queues (tests/models) and the page of a trace in a browser.
copse_test_packages=(libeigen3-dev)
copse_rare_test_packages=(spin chromium-headless-shell)

# What the pictures of bench/report are drawn with. Its tables want nothing but Python.
copse_report_packages=(python3-matplotlib)

copse_say() { printf '==> %s\n' "$*"; }
copse_fail() {
    printf '%s: %s\n' "$(basename "$(dirname "$0")")/$(basename "$0")" "$*" >&2
    exit 1
}

# Prints the Python for reports: one that can draw, if there is one. Debian's packages are for /usr/bin/python3, which
# need not be the first in PATH.
copse_python() {
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import matplotlib' 2>/dev/null && printf '%s\n' "$python" && return
    done
    echo python3
}

# Whether what a package is wanted for is there: the package, or the tool itself however it came. Where there is no
# dpkg nothing is known of a library, and CMake says which one it misses.
copse_has_package() {
    case "$1" in
        g++ | cmake | python3 | spin) command -v "$1" >/dev/null && return ;;
        ninja-build) command -v ninja >/dev/null && return ;;
        clang) command -v clang++ >/dev/null && return ;;
        python3-matplotlib) "$(copse_python)" -c 'import matplotlib' 2>/dev/null && return ;;
        *) command -v dpkg-query >/dev/null || return 0 ;;
    esac
    command -v dpkg-query >/dev/null || return 1
    # A line for each architecture that has it; a name without one means the machine's own.
    local architecture="${1##*:}"
    [[ "$1" == *:* ]] || architecture="$(dpkg --print-architecture)"
    dpkg-query -W -f='${Architecture} ${Status}\n' "$1" 2>/dev/null |
        grep -qxE "($architecture|all) install ok installed"
}

# copse_missing package...: prints those that are not there.
copse_missing() {
    local package
    for package in "$@"; do
        copse_has_package "$package" || printf '%s\n' "$package"
    done
}

# copse_as_root command...: sudo may ask for a password where there is a terminal.
copse_as_root() {
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || return 1
        as_root=(sudo)
        [[ -t 0 ]] || as_root+=(-n)
    fi
    "${as_root[@]}" "$@"
}

# copse_apt arguments...: apt-get as root, asking nothing.
copse_apt() {
    copse_as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

# copse_packages yes|no package...: says what is missing and, with yes, installs it. Returns 1 when something is still
# missing afterwards; `copse_still_missing` then lists it.
copse_packages() {
    local install="$1"
    shift
    mapfile -t copse_still_missing < <(copse_missing "$@")
    ((${#copse_still_missing[@]})) || return 0
    local listed="${copse_still_missing[*]}"
    if [[ "$install" != yes ]]; then
        copse_say "missing packages (nothing is installed because of --no-install): $listed"
        return 1
    fi
    if ! command -v apt-get >/dev/null; then
        copse_say "missing, and there is no apt-get to install them: $listed"
        return 1
    fi
    copse_say "installing with apt-get: $listed"
    copse_apt update || copse_say "apt-get update failed: going on with the package lists that are here"
    copse_apt install --no-install-recommends "${copse_still_missing[@]}" ||
        copse_say "apt-get install failed (as root or through sudo: apt-get install $listed)"
    mapfile -t copse_still_missing < <(copse_missing "$@")
    ((${#copse_still_missing[@]} == 0))
}

# copse_need_packages yes|no: the packages of every build.
copse_need_packages() { copse_packages "$1" "${copse_needed_packages[@]}"; }

# copse_need_cross_packages yes|no: those of AArch64, whose architecture the package manager has to know first.
copse_need_cross_packages() {
    if [[ "$1" == yes ]] && command -v dpkg >/dev/null &&
        [[ "$(dpkg --print-architecture) $(dpkg --print-foreign-architectures)" != *arm64* ]]; then
        copse_as_root dpkg --add-architecture arm64
    fi
    copse_packages "$1" "${copse_cross_packages[@]}"
}

# copse_build_folder preset
copse_build_folder() {
    if [[ "$1" == release ]]; then printf '%s\n' "$copse_root/build"; else printf '%s\n' "$copse_root/build-$1"; fi
}

# copse_mkl yes|no: exports COPSE_MKL, the folder of libmkl_rt.so, unless it is set: that of pip's package mkl in
# build/peers/mkl, which is installed there with yes. Says in one line where that cannot be; nothing needs MKL.
copse_mkl() {
    local install="$1" folder="$copse_root/build/peers/mkl" why library
    [[ -z "${COPSE_MKL-}" ]] || return 0
    library="$(find "$folder" -name 'libmkl_rt.so*' -print -quit 2>/dev/null)"
    if [[ -z "$library" && "$install" == yes ]]; then
        copse_say "installing with pip into build/peers/mkl: mkl"
        # Alone: what it depends on is for its other threading layers. What a failed try leaves is not taken for it.
        why="$(python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
            --ignore-installed --prefix "$folder.new" mkl 2>&1)" && rm -rf "$folder" && mv "$folder.new" "$folder"
        rm -rf "$folder.new"
        library="$(find "$folder" -name 'libmkl_rt.so*' -print -quit 2>/dev/null)"
        why="pip could not install it: $(tail -n 1 <<<"$why")"
    fi
    if [[ -z "$library" ]]; then
        copse_say "goes on without MKL: ${why:-it is not installed, and nothing is because of --no-install}"
        return 1
    fi
    export COPSE_MKL="${library%/*}"
}

# What a configured folder depends on beside CMake's own files, which the build watches itself: the presets, the
# libraries to compare with, what single tests need, the CUDA compiler and the GPUs, so that what is installed later is
# noticed.
copse_configure_inputs() {
    cksum <"$copse_root/CMakePresets.json"
    copse_missing "${copse_peer_packages[@]}" "${copse_test_packages[@]}" "${copse_rare_test_packages[@]}"
    compgen -G '/dev/nvidia[0-9]*'
    readlink -f "${CUDACXX:-$(PATH="$PATH:${CUDA_PATH:-/usr/local/cuda}/bin:/usr/local/cuda/bin" command -v nvcc)}"
}

# What a script wants of the GPU code. A script that wants more than a folder has adds it.
#   optimised   it may be installed
#   compiled    quickly, if there is no GPU to run it
#   unneeded    none, if there is no GPU and the folder is new
copse_gpu_code=compiled

# `once`: tests that builds with sanitizers have too are left out where there are none, and less is optimised
# (COPSE_TESTS_ONCE, COPSE_SANITIZE_QUICK).
copse_tests=all

# copse_configure preset: configures only what is not configured yet. Options given to cmake by hand in the same
# folder are kept; a folder that was configured for a tree elsewhere is configured afresh.
copse_configure() {
    local preset="$1" folder cache inputs known quick once=OFF none=$'\nwithout GPU code' fresh=() options=()
    folder="$(copse_build_folder "$preset")"
    cache="$folder/CMakeCache.txt"
    inputs="$(copse_configure_inputs)"$'\n'"tests: $copse_tests"
    known="$(cat "$folder/.configured-with" 2>/dev/null)"
    if [[ -f "$cache" ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$copse_root" "$cache"; then
        fresh=(--fresh)
        known=
        cache=
    fi
    if [[ "$copse_gpu_code" == unneeded && "$inputs" != */dev/nvidia* &&
        (! -f "$cache" || "$known" == *"$none") ]]; then
        options=(-DCOPSE_CUDA=OFF)
        inputs+="$none"
    elif [[ "$known" == *"$none" ]]; then
        options=(-DCOPSE_CUDA=AUTO)
    fi
    [[ "$copse_tests" == once ]] && once=ON
    [[ "$preset" != release ]] || options+=("-DCOPSE_TESTS_ONCE=$once")
    [[ "$preset" != [at]san ]] || options+=("-DCOPSE_SANITIZE_QUICK=$once")
    quick="$(sed -n 's/^COPSE_CUDA_QUICK:[A-Z]*=//p' "$cache" 2>/dev/null)"
    if [[ "$copse_gpu_code" == optimised && ("$quick" == AUTO || -z "$quick") ]]; then
        options+=(-DCOPSE_CUDA_QUICK=OFF)
        known=
    elif [[ -z "$quick" ]]; then
        options+=(-DCOPSE_CUDA_QUICK=AUTO)
    fi
    [[ -f "$folder/build.ninja" && "$known" == "$inputs" ]] && return 0
    copse_say "configuring $preset in ${folder#"$copse_root"/}/"
    (cd "$copse_root" && cmake --preset "$preset" "${fresh[@]}" "${options[@]}") || return 1
    printf '%s\n' "$inputs" >"$folder/.configured-with"
}

# copse_build preset [target...]
copse_build() {
    local preset="$1" targets=()
    shift
    (($# == 0)) || targets=(--target "$@")
    copse_configure "$preset" || return 1
    copse_say "building $preset${*:+: $*}"
    "${copse_launcher[@]}" cmake --build "$(copse_build_folder "$preset")" "${targets[@]}"
}

# The thread sanitizers of g++ 12 and clang 14 need a memory layout that kernels with many random address bits do not
# give. copse_launcher runs a command without that randomness where that is needed and allowed.
copse_launcher=()
copse_use_launcher() {
    local preset="$1" bits
    copse_launcher=()
    bits="$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)"
    [[ "$preset" == tsan ]] && ((bits > 28)) || return 0
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        copse_launcher=(setarch "$(uname -m)" -R)
    else
        copse_say "the thread sanitizer may refuse to start here: as root, sysctl vm.mmap_rnd_bits=28"
    fi
}
