# shellcheck shell=bash disable=SC2154
# What bench/gpu leaves in its folder (sourced by it; packed beside it): summary.json, summary.md, and which log is
# whose. Set by bench/gpu: stages, packed, out, work, date, device, driver,
# toolkit, has_python.

json_text() {
    local text="${1//\\/\\\\}"
    text="${text//\"/\\\"}"
    printf '"%s"' "$(tr -d '\000-\037' <<<"$text")"
}

# GB/s of copies within the GPU's memory, by the stage that found most; empty where none has measured it.
copy_bandwidth() {
    cat "$out"/{benchmarks.jsonl,first-light.log} 2>/dev/null | grep -oE '"(gpu_)?copy_gbytes_per_second": ?[0-9.]+' |
        grep -oE '[0-9.]+$' | sort -n | tail -n 1
}

results=() # "stage|result|seconds|limit|detail"

# What an earlier run left in the folder: the stages that it had, if it was of the same commit on the same device; else
# the folder starts anew.
read_earlier_results() {
    local file="$out/summary.json" pattern stage result seconds limit text
    pattern='^    \{"stage": "(.*)", "result": "(.*)", "seconds": (.*),'
    pattern+=' "limit_seconds": (.*), "detail": "(.*)"\},?$'
    if ! grep -qxF "  \"device\": $(json_text "$device")," "$file" 2>/dev/null ||
        ! grep -qxF "  \"commit\": $(json_text "$COPSE_COMMIT")," "$file"; then
        rm -f "$out"/{summary.json,summary.md,benchmarks.jsonl,ncu.csv}
        rm -f "$out"/{first-light,tests,sanitizers,benchmarks}.log
        return
    fi
    while IFS=$'\t' read -r stage result seconds limit text; do
        [[ " ${stages[*]} " == *" $stage "* ]] || results+=("$stage|$result|$seconds|$limit|$text")
    done < <(sed -nE "s/$pattern/\1\t\2\t\3\t\4\t\5/p" "$file" | sed 's/\\\(["\\]\)/\1/g')
}

write_summary() {
    local line stage result seconds limit text separator= copy
    copy="$(copy_bandwidth)"
    {
        printf '{\n  "date": %s,\n' "$(json_text "$date")"
        printf '  "device": %s,\n  "driver": %s,\n' "$(json_text "$device")" "$(json_text "$driver")"
        printf '  "toolkit": %s,\n  "commit": %s,\n' "$(json_text "$toolkit")" "$(json_text "$COPSE_COMMIT")"
        printf '  "copy_gbytes_per_second": %s,\n' "${copy:-null}"
        printf '  "packed": %s,\n  "stages": [' "$([[ "$packed" == yes ]] && echo true || echo false)"
        for line in "${results[@]}"; do
            IFS='|' read -r stage result seconds limit text <<<"$line"
            printf '%s\n    {"stage": "%s", "result": "%s", "seconds": %d, "limit_seconds": %d, "detail": %s}' \
                "$separator" "$stage" "$result" "$seconds" "$limit" "$(json_text "$text")"
            separator=,
        done
        printf '\n  ]\n}\n'
    } >"$out/summary.json"
    write_report >"$out/summary.md" 2>>"$out/benchmarks.log"
}

# list_results FORMAT: a line for each stage, of its name, result, seconds and details.
list_results() {
    local line stage result seconds limit text
    for line in "${results[@]}"; do
        IFS='|' read -r stage result seconds limit text <<<"$line"
        # shellcheck disable=SC2059  # that is what it is for
        printf "$1\n" "$stage" "$result" "$seconds" "$text"
    done
}

# For people: the stages, and what report/gpu.py makes of the measurements.
write_report() {
    local copy
    copy="$(copy_bandwidth)"
    printf '# copse on %s\n\n%s, commit %s, driver %s, toolkit %s%s\n\n' "${device:-no GPU}" "$date" "$COPSE_COMMIT" \
        "${driver:-none}" "${toolkit:-unknown}" "${copy:+; copies ${copy%.*} GB/s within its memory}"
    printf '| stage | result | seconds | |\n|---|---|---:|---|\n'
    list_results '| %s | %s | %d | %s |'
    [[ -s "$out/benchmarks.jsonl" ]] || return 0
    if [[ "$has_python" == yes ]]; then
        timeout 60 python3 "$here/report/gpu.py" "$out/benchmarks.jsonl" "$out/ncu.csv"
    else
        echo "No tables without Python: elsewhere, python3 bench/report/gpu.py benchmarks.jsonl ncu.csv makes them."
    fi >"$work/report.md"
    echo
    cat "$work/report.md"
}

# Where no stage has said of what GPU the results are: the first question of first-light, into its log.
ask_first_light() {
    local program
    [[ -z "$(copy_bandwidth)" ]] && find_gpu || return 0
    program="$(find_programs first_light)"
    [[ -n "$program" ]] || return 0
    say "asking for the copy bandwidth"
    limited 60 "$program" --question device >>"$out/first-light.log" 2>&1
    write_summary
}

print_summary() {
    local copy
    copy="$(copy_bandwidth)"
    printf '\n%s, driver %s, toolkit %s; %s\n' "${device:-no GPU}" "${driver:-none}" "${toolkit:-unknown}" \
        "$([[ -n "$copy" ]] && echo "copies ${copy%.*} GB/s within its memory" || echo 'copies not measured')"
    printf '\n%-12s %-12s %8s  %s\n' stage result seconds detail
    list_results '%-12s %-12s %8d  %s'
    printf '\nresults: %s\n' "$out"
}

# log_of STAGE: benchmarks share one, so that there are few files. What a build says is of no use elsewhere.
log_of() {
    case "$1" in
        build) echo "$work/build.log" ;;
        first-light | tests | sanitizers) echo "$out/$1.log" ;;
        *) echo "$out/benchmarks.log" ;;
    esac
}
