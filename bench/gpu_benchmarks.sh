# shellcheck shell=bash disable=SC2154
# The stages of bench/gpu that measure (sourced by it; packed beside it). Each adds lines to benchmarks.jsonl, which the
# report reads; what is measured there already is not measured again.
# Set by bench/gpu: here, has_python, program_folder, controllers, suite, matrix_folder, out, work, log; by
# gpu_stages.sh: what stages share.

# Lines of matrices that there was no time for.
count_left_out() { cat "$out/benchmarks.jsonl" 2>/dev/null | grep -c '"left_out":true'; }

# Who hung in BENCH, in this run or before, a line each: a run that resumes does not miss what they left unmeasured.
# lost_of BENCH [PROGRAM]
lost_of() {
    sed -nE "s/^\{\"bench\":\"$1\",\"program\":\"${2:-[^\"]*}\",\"lost\":\"(.*)\"\}$/\1/p" \
        "$out/benchmarks.jsonl" 2>/dev/null | sed -E 's/\\(.)/\1/g' | sort -u
}
# note_lost BENCH PROGRAM NAME
note_lost() {
    printf '{"bench":"%s","program":"%s","lost":"%s"}\n' "$1" "$2" "$(sed 's/["\]/\\&/g' <<<"$3")" \
        >>"$out/benchmarks.jsonl"
}

# run_benchmark PROGRAM options... of $bench: adds to left_out, sets missing where there is no program. A call that
# hangs, or that leaves the GPU unusable, ends the program with status 4 and a last line that names the competitor in
# brackets: that is noted, and the others go on with the time that is left. Who hung before is not asked again.
run_benchmark() {
    local program status culprit without=() before lines
    program="$(find_programs "$1")"
    [[ -n "$program" ]] || { missing="there is no $1 in $program_folder" && return 1; }
    shift
    before=$(count_left_out)
    lines=$(($(wc -l 2>/dev/null <"$out/benchmarks.jsonl")))
    while read -r culprit; do without+=(--without "$culprit"); done < <(lost_of "$bench" "${program##*/}")
    while true; do
        with_cuda_libraries limited "$(time_left)" "$program" "$@" --controllers "$controllers" "${without[@]}" \
            --resume --json "$out/benchmarks.jsonl" --seconds "$(time_to_begin)"
        status=$?
        ((status == 4)) || break
        culprit="$(said | sed -nE 's/.*(no answer from|lost after) \[([^]]*)\].*/\2/p' | tail -n 1)"
        note_lost "$bench" "${program##*/}" "${culprit:-unknown}"
        [[ -n "$culprit" && $(time_left) -gt 30 && " ${without[*]} " != *" $culprit "* ]] || break
        without+=(--without "$culprit")
        say "once more, without $culprit"
    done
    ((left_out += $(count_left_out) - before))
    [[ "$has_python" == no || ! -s "$out/benchmarks.jsonl" ]] ||
        python3 "$here/report/gpu.py" --matrices --after "$lines" "$out/benchmarks.jsonl"
    return $status
}

# of_benchmark BENCH STATUS: the details of a stage, and its result.
of_benchmark() {
    local status="$2" records lost culprits absent over=
    records="$(grep "^{\"bench\":\"$1\"" "$out/benchmarks.jsonl" 2>/dev/null | grep -vcE '"left_out":true|"lost":')"
    mapfile -t lost < <(lost_of "$1")
    culprits="$(printf ', %s' "${lost[@]}")"
    absent="$(said | grep -oE 'cuSPARSE: not there' | tail -n 1)"
    ((left_out == 0)) || over="; no time for $left_out matrices, counted in either type"
    over+="${lost[0]+; no answer from: ${culprits:2}}"
    detail "${records:-0} records$over${absent:+; $absent}${missing:+; $missing}"
    ((${#lost[@]} == 0)) || status=1
    ((status != 0 || left_out == 0)) || status=124
    ((status == 0 || status == 124)) || status=1
    return $status
}

# note_status STATUS: of several programs, that of the first that failed, else of one that was out of time.
note_status() { (($1 == 0 || (status != 0 && status != 124))) || status=$1; }

# stage_of BENCH PROGRAM options...: a stage that is one program over the suite, and behind that over the user's
# matrices, if there is time left for those. Those of `large` are formulas.
stage_of() {
    local bench="$1" program="$2" left_out=0 missing= status=0
    shift 2
    run_benchmark "$program" "${suite[@]}" "$@" || note_status $?
    [[ -z "$matrix_folder" || "$bench" == large || $status == 124 ]] || run_benchmark "$program" "$matrix_folder" ||
        note_status $?
    of_benchmark "$bench" "$status"
}

stage_spmv() {
    local one_shot=()
    ((${#suite[@]})) || one_shot=(--one-shot all)
    stage_of spmv copse_spmv_gpu "${one_shot[@]}"
}
# Two thirds of the time for plans, the rest for sums, first of a matrix and another with the same entries: each has its
# name in the records. The suite alone.
stage_plans() {
    local bench=plans left_out=0 missing= status=0 end=$stage_end
    stage_end=$((SECONDS + $(time_left) * 2 / 3))
    run_benchmark copse_spmv_gpu "${suite[@]}" --all-plans --formats hisparse --controllers host --bench plans ||
        note_status $?
    stage_end=$end
    bench=plans_alike
    run_benchmark copse_add_gpu stencil27:64 --moved 0 --all-ways --bench plans_alike || note_status $?
    bench=plans_sums
    run_benchmark copse_add_gpu "${suite[@]}" --all-ways --bench plans_sums || note_status $?
    of_benchmark 'plans[_a-z]*' "$status"
}
# Half of the time for 8 columns, the rest for 32.
stage_columns() {
    local bench=columns8 left_out=0 missing= status=0 end=$stage_end
    stage_end=$((SECONDS + $(time_left) / 2))
    run_benchmark copse_spmm_gpu "${suite[@]}" --columns 8 --bench columns8 || note_status $?
    stage_end=$end
    bench=columns32
    run_benchmark copse_spmm_gpu "${suite[@]}" --columns 32 --bench columns32 || note_status $?
    of_benchmark 'columns[0-9]*' "$status"
}
stage_addition() { stage_of addition copse_add_gpu; }
stage_conversions() { stage_of conversions copse_convert_gpu; }
stage_large() { stage_of large copse_large_gpu; }

# Two thirds of the time for products, of which there are more.
stage_papers() {
    local bench=papers left_out=0 missing= status=0 end=$stage_end
    stage_end=$((SECONDS + $(time_left) * 2 / 3))
    run_benchmark copse_spmv_gpu --papers "${suite[@]}" --formats hisparse --bench papers || note_status $?
    stage_end=$end
    run_benchmark copse_add_gpu --papers "${suite[@]}" --bench papers || note_status $?
    of_benchmark papers "$status"
}

# run_tables BENCH options...: copse_bench, whose lines go to the others as far as it came, and its tables by report/.
run_tables() {
    local program bench="$1" status left over=
    program="$(find_programs copse_bench)"
    [[ -n "$program" ]] || { detail "there is no copse_bench in $program_folder" && return 1; }
    shift
    touch "$out/benchmarks.jsonl"
    grep "^{\"bench\":\"$bench\"" "$out/benchmarks.jsonl" >"$work/measured.jsonl"
    limited "$(time_left)" "$program" "$@" --json "$work/lines.jsonl" --measured "$work/measured.jsonl" \
        --seconds "$(time_to_begin)" >/dev/null
    status=$?
    touch "$work/lines.jsonl"
    left="$(grep -c '"left_out":true' "$work/lines.jsonl")"
    grep -v '"left_out":true' "$work/lines.jsonl" | sed "s/^{/{\"bench\":\"$bench\",/" >>"$out/benchmarks.jsonl"
    ((left == 0)) || over="; no time for $left matrices, counted in either type"
    grep "^{\"bench\":\"$bench\"" "$out/benchmarks.jsonl" >"$work/measured.jsonl"
    [[ "$has_python" == no ]] || python3 "$here/report" "$work/measured.jsonl"
    detail "$(grep -vcE '"op":"(run|note|done)"' "$work/measured.jsonl") records; tables in benchmarks.log$over"
    rm -f "$work/lines.jsonl"
    ((status != 0 || left == 0)) || status=124
    return $status
}

stage_tables() { run_tables tables --papers "${suite[@]}" --repeat 9; }
stage_tuning() { run_tables tuning --tune --gpu "${suite[@]}"; }

# Each controller in a process of its own, so that one that hangs hides none of the others. One whose process has ended
# is not measured again; else its new lines take the place of those that there are.
stage_throughput() {
    local program names number part status=0 records failures
    program="$(find_programs copse_throughput_bench)"
    [[ -n "$program" ]] || { detail "there is no copse_throughput_bench in $program_folder" && return 1; }
    touch "$out/benchmarks.jsonl"
    IFS=, read -ra names <<<"$controllers"
    for number in "${!names[@]}"; do
        part="{\"bench\":\"throughput\",\"part\":\"${names[$number]}\","
        ! grep -qxF "$part\"op\":\"done\"}" "$out/benchmarks.jsonl" || continue
        : >"$work/lines.jsonl"
        limited $(($(time_left) / (${#names[@]} - number) + 1)) "$program" --on gpu --controllers "${names[$number]}" \
            --repeat 21 --json "$work/lines.jsonl" || note_status $?
        { grep -v "^$part" "$out/benchmarks.jsonl"; sed "s/^{/$part/" "$work/lines.jsonl"; } >"$work/all.jsonl"
        cp "$work/all.jsonl" "$out/benchmarks.jsonl"
    done
    records="$(grep -c '^{"bench":"throughput",.*"op":"throughput"' "$out/benchmarks.jsonl")"
    failures="$(grep -c '^{"bench":"throughput",.*"failure":"' "$out/benchmarks.jsonl")"
    detail "$records records, $failures of them failures"
    ((status != 0 || (records > 0 && failures == 0))) || status=1
    ((status == 0 || status == 124)) || status=1
    return $status
}

# Under the host controller, because kernels that the GPU launches are not seen. Few launches: each runs again for every
# group of counters, and what is seen is written when the program ends: one whose time is over before may leave nothing.
# What is done is not done again when the stage is repeated.
ncu_runs=(
    'copse_spmv_gpu stencil27:64 --type double'
    'copse_spmv_gpu rmat:18,16 --type double'
    'copse_spmv_gpu stencil27:64 --type float'
    'copse_add_gpu stencil27:64 --type double'
    'copse_add_gpu rmat:16,16 --type double'
    'copse_convert_gpu stencil27:64 --type double --formats hisparse'
    'copse_convert_gpu rmat:18,16 --type double --formats hisparse'
    'copse_convert_gpu rmat:18,16 --type double --formats csr5,sellp,cmrs'
)
# ncu_kernels PROGRAM: the scheduler's and those of plans; of conversions those by steps too, which would else be the
# first that are seen of products and sums.
ncu_kernels() {
    local steps=
    [[ "$1" != copse_convert_gpu ]] || steps='|step_kernel|group_kernel|DeviceRadixSort|DeviceScan|DeviceSelect'
    echo "drain_kernel|plain_kernel$steps"
}

# The metrics that this ncu knows: one that it does not know would cost all of them. Where it lists them in another way,
# all.
known_ncu_metrics() {
    local known
    limited 60 "$ncu" --query-metrics >"$work/metrics.txt" 2>&1
    known="$(while read -r name; do
        [[ "$name" != launch__* ]] && ! grep -q "^${name%%.*} " "$work/metrics.txt" || echo "$name"
    done <<<"$ncu_metrics")"
    ((${#known} * 2 > ${#ncu_metrics})) && echo "$known" || echo "$ncu_metrics"
}

# ncu.csv has a part for each run: a line that names it, what ncu printed, and a line that says that it is done.
# run_ncu RUN SECONDS: the part of this run, in the place of one that was not done. Adds to late or to empty where it is
# not done now either. Whether ncu may read counters.
run_ncu() {
    local run="$1" words status
    read -ra words <<<"$run"
    awk -v run="\"run: $run\"" '/^"run: / { is_it = $0 == run } !is_it' "$out/ncu.csv" >"$work/others.csv"
    rm -f "$work/ncu.csv"
    limited "$2" "$ncu" --csv --page raw --print-units base --clock-control none \
        --metrics "$(paste -sd, <<<"$metrics")" --kernel-name "regex:$(ncu_kernels "${words[0]}")" \
        --launch-count 120 --kill on --log-file "$work/ncu.csv" "$(find_programs "${words[0]}")" "${words[@]:1}" \
        --controllers host --no-cusparse --repeat 1 --sets 1 >"$work/ncu.txt" 2>&1
    status=$?
    cat "$work/ncu.txt"
    touch "$work/ncu.csv"
    { cat "$work/others.csv" && echo "\"run: $run\"" && cat "$work/ncu.csv"; } >"$out/ncu.csv"
    ! grep -q ERR_NVGPUCTRPERM "$work/ncu.csv" "$work/ncu.txt" || return 1
    # A program that ncu ended, because it had seen enough, has not ended well.
    if ((status == 124)); then
        ((late += 1))
    elif grep -q '^"[0-9]' "$work/ncu.csv"; then
        echo "\"done: $run\"" >>"$out/ncu.csv"
    else
        empty+=("$run")
    fi
}

stage_ncu() {
    local ncu run runs=() number metrics unknown late=0 empty=() text over=
    ncu="$(find_tool ncu)" || { detail "ncu is not there" && return $not_there; }
    [[ -n "$(find_programs copse_spmv_gpu)" ]] ||
        { detail "there is no copse_spmv_gpu in $program_folder" && return 1; }
    touch "$out/ncu.csv"
    for run in "${ncu_runs[@]}"; do
        [[ -z "$(find_programs "${run%% *}")" ]] || grep -qxF "\"done: $run\"" "$out/ncu.csv" || runs+=("$run")
    done
    metrics="$(known_ncu_metrics)"
    unknown="$(comm -23 <(sort <<<"$ncu_metrics") <(sort <<<"$metrics") | paste -sd' ')"
    for number in "${!runs[@]}"; do
        run_ncu "${runs[$number]}" $(($(time_left) / (${#runs[@]} - number) + 1)) ||
            { detail "this machine keeps its counters from ncu (ERR_NVGPUCTRPERM)" && return $not_there; }
    done
    text="$(printf ', %s' "${empty[@]}")"
    ((late == 0)) || over="; no time for $late of ${#ncu_runs[@]} runs"
    over+="${empty[0]+; nothing of ${text:2}}"
    detail "$(grep -c '^"[0-9]' "$out/ncu.csv") launches$over${unknown:+; unknown to this ncu: $unknown}"
    ((${#empty[@]} == 0)) || return 1
    ((late == 0)) || return 124
}

ncu_metrics="gpu__time_duration.sum
dram__bytes_read.sum
dram__bytes_write.sum
dram__throughput.avg.pct_of_peak_sustained_elapsed
sm__throughput.avg.pct_of_peak_sustained_elapsed
sm__warps_active.avg.pct_of_peak_sustained_active
l1tex__t_sector_hit_rate.pct
lts__t_sector_hit_rate.pct
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum
l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum
launch__registers_per_thread
launch__grid_size"
