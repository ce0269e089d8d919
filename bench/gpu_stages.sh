# shellcheck shell=bash disable=SC2154
# The stages of bench/gpu (sourced by it; packed beside it), and what they ask of the machine.
# Set by bench/gpu: root, program_folder, binaries, build_folder, architectures, filter, out, work, log.

# Test programs have `gpu` or `device` in their names; `device` stands for kernels launched from the GPU.
test_name='copse_([a-z0-9]+_)*(gpu|device)_([a-z0-9]+_)*tests'
# Sums: their resident kernel once hung. They come before all other tests, for a short time.
first_tests='*add_on_gpu*:*.add_up*:*sums_and_plans*:*makes_no_sum*'
# What has all of the GPU's memory, of which a sanitizer needs some.
tests_of_all_memory='^(full_gpu\.|memory_of_gpu\.that_)'
# What reads memory that nobody has written, on purpose.
tests_of_unwritten_memory='^comparison\.large_sums_are_made_and_checked_there$'
# Runs the command, in processes of its own: a sanitizer's lines would stand in what that prints.
command_tests=copse_cli_gpu_tests

# programs_of STAGE: names of what it runs, as a pattern.
programs_of() {
    case "$1" in
        build) echo "first_light|$test_name|copse_((spmv|spmm|add|convert|large)_gpu|(throughput_)?bench|cli)" ;;
        first-light) echo first_light ;;
        tests) echo "$test_name|copse_cli|first_light" ;; # which says of what machine the results are
        sanitizers) echo "$test_name|first_light" ;;
        spmv) echo copse_spmv_gpu ;;
        plans) echo 'copse_(spmv|add)_gpu' ;;
        columns) echo copse_spmm_gpu ;;
        addition) echo copse_add_gpu ;;
        conversions) echo copse_convert_gpu ;;
        large) echo copse_large_gpu ;;
        papers) echo 'copse_(spmv|add)_gpu' ;;
        ncu) echo 'copse_(spmv|add|convert)_gpu' ;;
        tables | tuning) echo copse_bench ;;
        throughput) echo copse_throughput_bench ;;
    esac
}

# Where tests of a build put programs by the same names: some only pretend, some are an installation.
folders_of_tests='^tests/(bench/gpu|install/work)/'

# find_programs REGEX: paths, programs without launches from the GPU first.
find_programs() {
    find -H "$program_folder" -type f -perm -u+x -regextype posix-extended -regex ".*/($1)" \
        -printf '%P\t%f %p\n' 2>/dev/null | grep -vE "$folders_of_tests" | cut -f2 |
        awk '{ print ($1 ~ /device/) "\t" $0 }' | sort | cut -f2 | cut -d' ' -f2-
}

# --- the machine ------------------------------------------------------------------------------------------------------

# Reads, never sets. A driver without nvidia-smi shows by its device files.
find_gpu() {
    local visible="${CUDA_VISIBLE_DEVICES-0}"
    [[ -n "$visible" && "$visible" != -1* ]] || return 1
    [[ "$(timeout 20 nvidia-smi -L 2>/dev/null)" == 'GPU '* ]] || compgen -G '/dev/nvidia[0-9]*' >/dev/null
}

driver_files=/proc/driver/nvidia

# ask_gpu name|driver_version: nvidia-smi prints errors where answers come, so those of a call that failed are none;
# then the driver's own files are read.
ask_gpu() {
    local answer
    if answer="$(timeout 20 nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null)"; then
        head -n 1 <<<"$answer"
    elif [[ "$1" == name ]]; then
        cat "$driver_files"/gpus/*/information 2>/dev/null | sed -nE 's/^Model:[[:space:]]+//p' | head -n 1
    else
        sed -nE '1s/.* ([0-9]+\.[0-9.]+) .*/\1/p' "$driver_files/version" 2>/dev/null
    fi
}

# python_folders NAME...: those by one of these names within NVIDIA's Python packages.
python_folders() {
    python3 -c 'import glob, sys
for place in sys.path:
    for name in sys.argv[1:]: print(*sorted(glob.glob(f"{place}/nvidia/*/{name}")), sep="\n")' "$@" 2>/dev/null
}

find_tool() {
    local folder folders
    command -v "$1" && return
    mapfile -t folders < <(python_folders bin compute-sanitizer)
    folders=("${CUDA_PATH:-/usr/local/cuda}"/{bin,compute-sanitizer} /opt/nvidia/nsight-compute/* "${folders[@]}")
    for folder in "${folders[@]}"; do
        [[ ! -x "$folder/$1" ]] || { printf '%s\n' "$folder/$1" && return; }
    done
    return 1
}

# The folders of CUDA's libraries: a toolkit's, then those of Python's packages.
library_folders() {
    local nvcc
    nvcc="$(command -v nvcc)" && printf '%s\n' "$(dirname "$(dirname "$(readlink -f "$nvcc")")")/lib64"
    printf '%s\n' "${CUDA_PATH:-/usr/local/cuda}/lib64" /usr/local/cuda/lib64
    python_folders lib
}

with_cuda_libraries() {
    local folders
    folders="$(library_folders | while read -r folder; do [[ -d "$folder" ]] && printf '%s:' "$folder"; done)"
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folders" "$@"
}

# --- stages -----------------------------------------------------------------------------------------------------------
# A stage is a function that runs in a shell of its own, with its output in a log. It leaves the result's details in the
# file $work/detail and returns 0 (passed), 1 (failed), 124 (out of time) or $not_there.

not_there=69
work=
stage_end=0

# What this stage has said: its log may begin with other stages and other runs.
log_begin=0 # bytes
said() { tail -c +$((log_begin + 1)) "$log"; }

detail() { printf '%s\n' "$*" >"$work/detail"; }
time_left() { echo $((stage_end - SECONDS > 1 ? stage_end - SECONDS : 1)); }
# How long a program may begin with another matrix: at least a second, because it refuses 0.
time_to_begin() { echo $((($(time_left) * 3 + 3) / 4)); }
at_most() { echo $(($1 < $2 ? $1 : $2)); }

# limited SECONDS command...: returns 124 when the time is over. What does not even end when killed, because a driver
# holds it, is left behind.
limited() {
    local seconds="$1" pid last status
    shift
    timeout --kill-after=5 "$seconds" "$@" &
    pid=$!
    last=$((SECONDS + seconds + 15))
    while kill -0 "$pid" 2>/dev/null; do
        ((SECONDS <= last)) || { say "left behind: $1 does not end when killed" && return 124; }
        sleep 0.1
    done
    wait "$pid"
    status=$?
    ((status != 137)) || status=124
    return $status
}

stage_build() {
    local folder="${build_folder:-$root/build}"
    if [[ -n "$binaries" ]]; then
        detail "nothing to do: the programs are in $binaries"
        return 0
    fi
    export -f build_programs gpu_targets
    wanted="$(programs_of build)"
    export root architectures wanted
    # shellcheck disable=SC2016  # expanded by the inner shell
    limited "$(time_left)" bash -c 'build_programs release "$1"' build "$folder"
}

# Each question in a process of its own, so that one that hangs or crashes hides none of the others.
stage_first_light() {
    local program name seconds status result=0 answers
    program="$(find_programs first_light)"
    [[ -n "$program" ]] || { detail "there is no first_light in $program_folder" && return 1; }
    while read -r name seconds; do
        seconds="$(at_most "$seconds" "$(time_left)")"
        limited "$seconds" "$program" --question "$name" </dev/null
        status=$?
        ((status == 0)) || result=1
        ((status <= 1)) || printf '{"question":"%s","failed":"%s"}\n' "$name" "$(case_verdict "$status" "$seconds")"
    done < <("$program" --list)
    answers="$(grep -c '^{' "$log")"
    detail "$answers answers, $(grep -c '^{.*"failed":' "$log") of them failures"
    return $result
}

# "suite.case" for each case of a program.
test_cases() {
    limited 60 "$1" --gtest_list_tests --gtest_filter="$filter" |
        awk '/^[^ ].*\.( |$)/ { suite = $1 } /^  / { print suite $1 }'
}

case_verdict() {
    case "$1" in
        0) echo "passes alone" ;;
        1) echo "fails" ;;
        124) echo "no end within $2 seconds" ;;
        *) echo "ends with $1" ;;
    esac
}

# run_test_program PROGRAM SECONDS: adds to passed, skipped and failures. Where the program as a whole does not end
# well, because one case fails, crashes or hangs, the cases that have not passed run again, each in a process of its
# own.
run_test_program() {
    local program="$1" name="${1##*/}" end=$((SECONDS + $2)) text="$work/test.txt" status seconds case before
    limited $(($2 * 2 / 3 + 1)) "$program" --gtest_color=no --gtest_filter="$filter" >"$text" 2>&1
    status=$?
    cat "$text"
    ((passed += $(grep -cE '^\[       OK \]' "$text"), skipped += $(grep -cE '^\[  SKIPPED \] [^ ]+ \(' "$text")))
    ((status != 0)) || return 0
    say "$name ended with $status: what did not pass runs again, case by case"
    before=${#failures[@]}
    for case in $(test_cases "$program"); do
        ! grep -qF -e "[       OK ] $case (" -e "[  SKIPPED ] $case (" "$text" || continue
        seconds="$(at_most 60 $((end - SECONDS)))"
        ((seconds > 0)) || { failures+=("$name: no time for $case and what follows") && return 1; }
        limited "$seconds" "$program" --gtest_color=no --gtest_filter="$case"
        failures+=("$case: $(case_verdict $? "$seconds")")
    done
    ((${#failures[@]} > before)) || failures+=("$name ended with $status")
    return 1
}

stage_tests() {
    local programs program status=0 passed=0 skipped=0 failures=() text number share half command
    mapfile -t programs < <(find_programs "$test_name")
    ((${#programs[@]})) || { detail "there are no test programs in $program_folder" && return 1; }
    # Tests look for the command where they were built, unless they are told of another.
    command="$(find_programs copse | head -n 1)"
    [[ -z "$command" ]] || COPSE_COMMAND="$(readlink -f "$command")"
    export COPSE_COMMAND
    if [[ "$filter" == '*' ]]; then
        for program in "${programs[@]}"; do
            [[ "${program##*/}" == copse_algebra_* ]] || continue
            say "${program##*/}: sums"
            filter="$first_tests" with_cuda_libraries \
                run_test_program "$program" "$(at_most 60 $(($(time_left) / 4)))" || status=1
        done
        filter="*-$first_tests"
    fi
    for number in "${!programs[@]}"; do
        program="${programs[$number]}"
        say "${program##*/}"
        # Some take much longer than others: half of what is left, or an equal share where that is more.
        share=$(($(time_left) / (${#programs[@]} - number)))
        half=$(($(time_left) / 2))
        with_cuda_libraries run_test_program "$program" $((share > half ? share : half)) || status=1
        text="$(printf '; %s' "${failures[@]}")"
        detail "$passed passed, $skipped skipped, ${#failures[@]} failed${failures[0]+: ${text:2}}"
    done
    # Here a GPU was seen: tests that skip because CUDA cannot use it have not passed.
    text="$(grep -A1 ': Skipped$' "$log" | grep -m 1 '^no GPU can be used')"
    [[ -z "$text" ]] || { detail "$text" && status=1; }
    return $status
}

# Of cases_of[PROGRAM], those that TOOL has something to say of.
cases_for() {
    local tool="$1" program="$2" left_out='^$'
    [[ "$tool" != initcheck ]] || left_out="$tests_of_unwritten_memory"
    grep -vE "$left_out" <<<"${cases_of[$program]}"
}

# run_sanitizer TOOL PROGRAM SECONDS: adds to clean and findings. Case by case until the time is
# over: a program as a whole would take longer than that and say nothing. What the log has as clean is not run again.
# Errors of CUDA's own calls are the tests' business, some of which provoke them. memcheck looks at the order of streams
# too: memory that is used before it is allocated there, or after it is freed.
run_sanitizer() {
    local tool="$1" program="$2" end=$((SECONDS + $3)) case status options=()
    [[ "$tool" != memcheck ]] || options=(--track-stream-ordered-races all)
    say "$tool ${program##*/}"
    for case in $(cases_for "$tool" "$program"); do
        ! grep -qxF "clean: $tool ${program##*/} $case" "$log" || { ((clean += 1)) && continue; }
        ((SECONDS < end)) || continue
        limited "$(at_most 90 $((end - SECONDS)))" "$sanitizer" --tool "$tool" --error-exitcode 99 \
            --report-api-errors no --print-limit 20 "${options[@]}" "$program" --gtest_color=no --gtest_filter="$case"
        status=$?
        case $status in
            0) ((clean += 1)) && echo "clean: $tool ${program##*/} $case" ;;
            124) ((SECONDS >= end)) || findings+=("$tool ${program##*/}: no end of $case") ;;
            99) findings+=("$tool ${program##*/}: errors in $case") ;;
            *) findings+=("$tool ${program##*/}: $case ended with $status") ;;
        esac
    done
}

stage_sanitizers() {
    local programs program tool runs=() run clean=0 cases=0 findings=() sanitizer text
    local -A cases_of
    sanitizer="$(find_tool compute-sanitizer)" || { detail "compute-sanitizer is not there" && return $not_there; }
    mapfile -t programs < <(find_programs "$test_name" | grep -v "/$command_tests\$")
    ((${#programs[@]})) || { detail "there are no test programs in $program_folder" && return 1; }
    for program in "${programs[@]}"; do
        cases_of[$program]="$(test_cases "$program" | grep -vE "$tests_of_all_memory" |
            shuf --random-source=<(yes))" # mixes them
        [[ -n "${cases_of[$program]}" || "$filter" != '*' ]] || findings+=("${program##*/} names no cases")
    done
    for tool in memcheck racecheck synccheck initcheck; do
        for program in "${programs[@]}"; do
            [[ "$tool" == memcheck || "${program##*/}" != *device* ]] || continue
            runs+=("$tool $program")
            ((cases += $(cases_for "$tool" "$program" | wc -w)))
        done
    done
    for run in "${!runs[@]}"; do
        read -r tool program <<<"${runs[$run]}"
        run_sanitizer "$tool" "$program" $(($(time_left) / (${#runs[@]} - run) + 1))
        text="$(printf '; %s' "${findings[@]}")"
        detail "${#runs[@]} runs, $clean of $cases cases clean${findings[0]+: ${text:2}}"
    done
    ((${#findings[@]} == 0)) || return 1
    ((clean == cases)) || return 124
}
