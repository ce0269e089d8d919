# Run by ctest: bench/gpu with programs that only pretend. What it says where there is no GPU; that a stage that fails or
# hangs hides none of the others; what summary.json holds.

set(script "${SOURCE}/bench/gpu")
file(REMOVE_RECURSE "${WORK}")
set(programs "${WORK}/programs")
set(tools "${WORK}/tools")

# fake(path lines): an executable shell script.
function(fake path lines)
  file(WRITE "${path}" "#!/bin/sh\n${lines}")
  file(CHMOD "${path}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# run_script(environment arguments...): sets `status` and `output`.
function(run_script environment)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${environment} bash "${script}" ${ARGN}
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(status "${code}" PARENT_SCOPE)
  set(output "${text}" PARENT_SCOPE)
endfunction()

function(expect actual expected what)
  if(NOT actual STREQUAL expected)
    message(FATAL_ERROR "${what}: '${actual}' instead of '${expected}'\n${output}")
  endif()
endfunction()
function(expect_match text pattern what)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${what}: no '${pattern}' in '${text}'\n${output}")
  endif()
endfunction()

# stage_value(summary.json, stage, key): sets `value`.
function(stage_value file stage key)
  file(READ "${file}" text)
  string(JSON count LENGTH "${text}" stages)
  math(EXPR last "${count} - 1")
  set(value "absent" PARENT_SCOPE)
  foreach(i RANGE ${last})
    string(JSON name GET "${text}" stages ${i} stage)
    if(name STREQUAL stage)
      string(JSON found GET "${text}" stages ${i} ${key})
      set(value "${found}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
function(expect_result file stage result)
  stage_value("${file}" "${stage}" result)
  expect("${value}" "${result}" "result of ${stage}")
endfunction()

# --- the command line -------------------------------------------------------------------------------------------------

foreach(file gpu gpu_stages.sh gpu_benchmarks.sh gpu_results.sh)
  execute_process(COMMAND bash -n "${SOURCE}/bench/${file}" RESULT_VARIABLE status)
  expect("${status}" 0 "bash -n ${file}")
endforeach()
run_script("" --help)
expect("${status}" 0 "--help")
expect_match("${output}" "usage: bench/gpu .*--pack DIR" "--help")
foreach(wrong "--stage;sleep" "--limit;tests" "--limit;tests=0" "--stage" "--loud" "tests" "--binaries;${WORK}/absent" "--matrices;${WORK}/absent")
  run_script("" ${wrong})
  expect("${status}" 2 "${wrong}")
endforeach()

# What a stage needs can be packed without the rest.
foreach(of_stage "first-light first_light" "tests copse_algebra_gpu_tests" "tests copse_cli_gpu_tests" "tests copse_cli" "sanitizers copse_device_tests" "spmv copse_spmv_gpu"
    "papers copse_add_gpu" "conversions copse_convert_gpu" "large copse_large_gpu" "tuning copse_bench" "ncu copse_gpu_report" "ncu copse_convert_gpu"
    "build copse_cli")
  separate_arguments(pair UNIX_COMMAND "${of_stage}")
  list(GET pair 0 stage)
  list(GET pair 1 program)
  execute_process(COMMAND bash -c "source '${SOURCE}/bench/gpu_stages.sh'; grep -cxE \"$(programs_of ${stage})\" <<<${program}"
    OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE)
  expect("${count}" 1 "${program} for ${stage}")
endforeach()

# A test program has half of the time that is left, or an equal share where that is more; what one does not need is there
# for the others. The first takes 300 seconds of 600, the third 50, the others none.
execute_process(COMMAND bash -c "
mkdir -p '${WORK}'
source '${SOURCE}/bench/gpu_stages.sh'
unset SECONDS
SECONDS=0 stage_end=600 work='${WORK}' log=/dev/null
say() { :; }
with_cuda_libraries() { \"$@\"; }
find_programs() { printf '%s\\n' first second third fourth; }
run_test_program() {
    echo \"$1 $2\"
    case $1 in first) SECONDS=300 ;; third) SECONDS=350 ;; esac
}
stage_tests" OUTPUT_VARIABLE shares RESULT_VARIABLE status)
expect("${status}" 0 "tests that pass")
expect("${shares}" "first 300\nsecond 150\nthird 150\nfourth 250\n" "seconds of test programs")

# A command has ten minutes, the first two.
execute_process(COMMAND bash -c "sed -n '/^declare -A limits/,/)/p' '${SOURCE}/bench/gpu'" OUTPUT_VARIABLE limits)
string(REGEX MATCHALL "\\[[a-z-]+\\]=[0-9]+" limits "${limits}")
list(LENGTH limits count)
expect("${count}" 12 "stages with limits")
foreach(one IN LISTS limits)
  string(REGEX MATCH "\\[([a-z-]+)\\]=([0-9]+)" one "${one}")
  set(most 600)
  if(CMAKE_MATCH_1 STREQUAL "first-light")
    set(most 120)
  endif()
  if(CMAKE_MATCH_2 GREATER most)
    message(FATAL_ERROR "the limit of ${CMAKE_MATCH_1} is ${CMAKE_MATCH_2} seconds: more than ${most}")
  endif()
endforeach()

# --- without a GPU ----------------------------------------------------------------------------------------------------

fake("${programs}/copse_quick_gpu_tests" "echo never run; exit 0\n")
run_script("CUDA_VISIBLE_DEVICES=" --binaries "${programs}" --out "${WORK}/none")
expect("${status}" 1 "status without a GPU")
expect_result("${WORK}/none/summary.json" build passed)
foreach(stage first-light tests sanitizers spmv addition conversions large papers tables tuning ncu)
  expect_result("${WORK}/none/summary.json" ${stage} "no GPU")
  expect_match("${output}" "${stage} +no GPU" "table")
endforeach()

# A driver whose nvidia-smi fails, or is not there, says what it is in files.
file(WRITE "${WORK}/driver/gpus/0000:01:00.0/information" "Model: \t\t Pretender 3\nIRQ: 1\n")
file(WRITE "${WORK}/driver/version" "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Fri Jan 1 1:00:00 UTC 2025\nGCC version: gcc 12.2.0 \n")
fake("${WORK}/failing-tools/nvidia-smi" "echo 'Failed to initialize NVML'; exit 18\n")
execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PATH=${WORK}/failing-tools:$ENV{PATH}" bash -c "
source '${SOURCE}/bench/gpu_stages.sh'; driver_files='${WORK}/driver'; ask_gpu name; ask_gpu driver_version
driver_files='${WORK}/absent'; ask_gpu name; ask_gpu driver_version" OUTPUT_VARIABLE said ERROR_VARIABLE said)
expect("${said}" "Pretender 3\n570.86.15\n" "the GPU without nvidia-smi")

# Tools and libraries may be those of Python packages.
fake("${WORK}/python/nvidia/cu13/bin/copse-tool" "")
file(MAKE_DIRECTORY "${WORK}/python/nvidia/cu13/lib")
execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${WORK}/python" bash -c "
source '${SOURCE}/bench/gpu_stages.sh'; find_tool copse-tool; library_folders | grep -F '${WORK}'; find_tool copse-no-tool || echo none"
  OUTPUT_VARIABLE said)
expect("${said}" "${WORK}/python/nvidia/cu13/bin/copse-tool\n${WORK}/python/nvidia/cu13/lib\nnone\n" "what Python packages have")

# --- with one that pretends -------------------------------------------------------------------------------------------

fake("${tools}/nvidia-smi" "[ \"$1\" = -L ] && echo 'GPU 0: Pretender' || echo 'Pretender \"1\"'\n")
# Notes what it was asked: the tool, its options, the program, the case. Finds a race.
set(note_options "tool=$2 options=; while [ \"\${1#/}\" = \"$1\" ]; do options=\"$options $1\"; shift; done\n")
fake("${tools}/compute-sanitizer" "${note_options}
echo \"$tool$options $1 $3\" >>'${WORK}/sanitized'
case \"$tool $*\" in racecheck*quick.two) exit 99 ;; esac\n")
fake("${programs}/copse_quick_gpu_tests" "
case \"$*\" in
  *list*) printf 'quick.\\n  one\\n  two\\n' ;;
  *) echo '[       OK ] quick.one (0 ms)'; echo '[  SKIPPED ] quick.two (0 ms)' ;;
esac\n")
# One case passes, one fails, one hangs; the second and third are seen only when each runs alone.
fake("${programs}/copse_slow_device_tests" "
case \"$*\" in
  *list*) printf 'slow.\\n  good\\n  bad\\n  endless  # comment\\n' ;;
  *slow.bad*) exit 1 ;;
  *slow.good*) echo ran again ;;
  *) echo '[       OK ] slow.good (0 ms)'; exec sleep 1000 ;;
esac\n")
# Runs the command that is beside it; nothing for a sanitizer.
fake("${programs}/copse" "echo a result\n")
fake("${programs}/copse_cli_gpu_tests" "
[ \"$COPSE_COMMAND\" = '${programs}/copse' ] && [ \"$(\"$COPSE_COMMAND\")\" = 'a result' ] &&
  echo '[       OK ] on.gpu (0 ms)'\n")
fake("${programs}/first_light" "echo '{\"question\": \"hop\", \"copy_gbytes_per_second\": 2817.5}'; echo '{\"question\": \"fall\", \"failed\": \"no\"}'; exit 1\n")
# One competitor hangs, as the programs' watchdog puts it; without that one all is well.
fake("${programs}/copse_spmv_gpu" "
echo \"$*\" >>'${WORK}/raced'
case \"$*\" in
  *'--without copse csr5 device'*) echo '{\"bench\":\"spmv\"}' >>'${WORK}/some/benchmarks.jsonl' ;;
  *) echo 'copse_spmv_gpu: no answer from [copse csr5 device] in A x of dense:4, double' >&2; exit 4 ;;
esac\n")
fake("${programs}/copse_add_gpu" "echo '{\"bench\":\"addition\",\"copy_gbytes_per_second\":3006.25}' >>'${WORK}/some/benchmarks.jsonl'\n")
# Names somebody who is in it with or without.
fake("${programs}/copse_convert_gpu" "echo 'copse_convert_gpu: the GPU is lost after [work on dense:4, float]: no more memory' >&2; exit 4\n")
fake("${programs}/copse_large_gpu" "exec sleep 1000\n")
fake("${programs}/copse_gpu_report" "echo '## report'; wc -l <\"$1\"; cat \"$2\"\n")
# Its tables come at the end; killed before, it leaves the lines that it has.
fake("${programs}/copse_bench" "
while [ \"$1\" != --json ]; do mode=\"$mode $1\"; shift; done
echo \"$mode\" >>'${WORK}/tried'
echo '{\"format\":\"csr5\"}' >\"$2\"
case \"$mode\" in *--tune*) exec sleep 1000 ;; esac\n")
# Knows all metrics but one; ends the program that it looks at.
fake("${tools}/ncu" "
if [ \"$1\" = --query-metrics ]; then
    printf '%s  text\\n' gpu__time_duration dram__bytes_read dram__bytes_write dram__throughput sm__throughput \\
        sm__warps_active l1tex__t_sector_hit_rate l1tex__data_pipe_lsu_wavefronts_mem_shared \\
        l1tex__data_bank_conflicts_pipe_lsu_mem_shared l1tex__t_bytes_pipe_lsu_mem_local_op_ld \\
        l1tex__t_bytes_pipe_lsu_mem_local_op_st
    exit
fi
echo \"$*\" >>'${WORK}/looked-at'
case \"$*\" in *lts__t*) exit 1 ;; esac
while [ \"$1\" != --log-file ]; do shift; done
printf '\"ID\",\"Kernel Name\"\\n\"\",\"\"\\n\"0\",\"a\"\\n\"1\",\"b\"\\n' >\"$2\"
exit 9\n")
set(environment "PATH=${tools}:$ENV{PATH}" "CUDA_VISIBLE_DEVICES=0")
run_script("${environment}" --binaries "${programs}" --out "${WORK}/some" --limit tests=12
  --limit large=2 --limit tuning=2)
set(summary "${WORK}/some/summary.json")
expect("${status}" 1 "status when stages failed")
expect_result("${summary}" first-light failed)
expect_result("${summary}" tests failed)
expect_result("${summary}" sanitizers failed)
expect_result("${summary}" spmv failed)
expect_result("${summary}" addition passed)
expect_result("${summary}" conversions failed)
expect_result("${summary}" large "out of time")
expect_result("${summary}" papers failed)
expect_result("${summary}" tables passed)
expect_result("${summary}" tuning "out of time")
expect_result("${summary}" ncu passed)
stage_value("${summary}" tuning detail)
expect("${value}" "1 records; tables in benchmarks.log" "tuning")
stage_value("${summary}" ncu detail)
expect("${value}" "16 launches; unknown to this ncu: lts__t_sector_hit_rate.pct" "ncu, of eight runs")
file(STRINGS "${WORK}/looked-at" looked)
foreach(line IN LISTS looked)
  set(wanted "regex:drain_kernel.plain_kernel --launch-count 120 ")
  if(line MATCHES "copse_convert_gpu")
    set(wanted "drain_kernel.*step_kernel.*group_kernel.*--launch-count 120 .*--formats ")
  endif()
  expect_match("${line}" "${wanted}" "kernels under ncu")
endforeach()
file(STRINGS "${WORK}/some/benchmarks.jsonl" lines REGEX "tables|tuning")
expect("${lines}" "{\"bench\":\"tables\",\"format\":\"csr5\"};{\"bench\":\"tuning\",\"format\":\"csr5\"}" "lines of copse_bench")

# Sizes are tried on the GPU alone, with matrices of its suite, and medians are of more than three.
file(STRINGS "${WORK}/tried" tried)
expect("${tried}" " --papers --quick --repeat 9; --tune --gpu --quick" "what copse_bench was asked")

stage_value("${summary}" first-light detail)
expect("${value}" "2 answers, 1 of them failures" "first-light")
stage_value("${summary}" tests detail)
expect_match("${value}" "^3 passed, 1 skipped, 2 failed: slow.bad: fails; slow.endless: no end within [0-9]+ seconds$" "tests")
stage_value("${summary}" sanitizers detail)
expect("${value}" "5 runs, 10 of 11 cases clean: racecheck copse_quick_gpu_tests: errors in quick.two" "sanitizers")
stage_value("${summary}" spmv detail)
expect("${value}" "1 records; no answer from: copse csr5 device" "spmv")
stage_value("${summary}" conversions detail)
expect("${value}" "0 records; no answer from: work on dense:4, float" "conversions")
file(READ "${summary}" text)
string(JSON device GET "${text}" device)
expect("${device}" "Pretender \"1\"" "device")
# Of what stages measured, the most.
string(JSON copy GET "${text}" copy_gbytes_per_second)
expect("${copy}" "3006.25" "copy bandwidth")
file(READ "${WORK}/some/summary.md" text)
expect_match("${text}" "toolkit [^\n]*; copies 3006 GB/s within its memory\n" "summary.md")
expect_match("${output}" "\nPretender \"1\", driver Pretender[^\n]*; copies 3006 GB/s within its memory\n" "the summary on the screen")

# Tools that cannot follow launches from the GPU are not asked to.
file(STRINGS "${WORK}/sanitized" asked)
foreach(line IN LISTS asked)
  if(line MATCHES "copse_cli" OR (line MATCHES "device" AND NOT line MATCHES "^memcheck"))
    message(FATAL_ERROR "run under compute-sanitizer: ${line}")
  endif()
  if(line MATCHES "^memcheck" AND NOT line MATCHES " --track-stream-ordered-races all /")
    message(FATAL_ERROR "without an option of memcheck: ${line}")
  elseif(NOT line MATCHES "^memcheck" AND line MATCHES "--track-stream-ordered-races")
    message(FATAL_ERROR "with an option of memcheck: ${line}")
  endif()
endforeach()
list(LENGTH asked count)
expect("${count}" 11 "runs under compute-sanitizer")

# Few enough files, all of them in one folder.
file(GLOB_RECURSE results "${WORK}/some/*")
list(LENGTH results count)
if(count GREATER 8)
  message(FATAL_ERROR "more than 8 files of results: ${results}")
endif()

# Another run adds to what is there of the same commit and device.
expect_match("${output}" "## report" "the report on the screen")
run_script("${environment}" --binaries "${programs}" --out "${WORK}/some" --stage addition)
expect("${status}" 0 "status of a stage that is well")
expect_result("${summary}" addition passed)
stage_value("${summary}" addition detail)
expect("${value}" "3 records" "addition, again, and that of the papers")
expect_result("${summary}" sanitizers failed)
stage_value("${summary}" tests detail)
expect_match("${value}" "^3 passed, 1 skipped, 2 failed: slow.bad: fails;" "tests of the run before")
file(READ "${summary}" text)
string(JSON count LENGTH "${text}" stages)
expect("${count}" 12 "stages, each once")
file(READ "${WORK}/some/summary.md" text)
expect_match("${text}" "\\| spmv \\| failed .*\\| addition \\| passed .*## report" "summary.md")
# Who hung is not asked again, nor forgotten.
file(REMOVE "${WORK}/raced")
run_script("${environment}" --binaries "${programs}" --out "${WORK}/some" --stage spmv --stage conversions)
expect_result("${summary}" spmv failed)
stage_value("${summary}" spmv detail)
expect("${value}" "3 records; no answer from: copse csr5 device" "spmv, again, and that of the papers")
file(STRINGS "${WORK}/raced" raced)
expect_match("${raced}" "^[^;]*--without copse csr5 device [^;]*$" "one run without the one that hung")
stage_value("${summary}" conversions detail)
expect("${value}" "0 records; no answer from: work on dense:4, float" "conversions, again")
# Not to those of another device.
fake("${tools}/nvidia-smi" "[ \"$1\" = -L ] && echo 'GPU 0: Pretender' || echo 'Pretender 2'\n")
run_script("${environment}" --binaries "${programs}" --out "${WORK}/some" --stage addition)
expect_result("${summary}" sanitizers absent)
stage_value("${summary}" addition detail)
expect("${value}" "1 records" "addition on another device")

# A program that had no time for all of its matrices ends well; its stage is out of time. The next run has the time.
set(short "${WORK}/short-programs")
fake("${short}/copse_add_gpu" "
line='{\"bench\":\"addition\"'
echo \"$line}\" >>'${WORK}/short/benchmarks.jsonl'
[ -e '${WORK}/short/again' ] || for i in 1 2; do echo \"$line,\\\"left_out\\\":true}\" >>'${WORK}/short/benchmarks.jsonl'; done
touch '${WORK}/short/again'\n")
set(summary "${WORK}/short/summary.json")
run_script("${environment}" --binaries "${short}" --out "${WORK}/short" --stage addition)
expect("${status}" 1 "status when a stage had no time for all")
expect_result("${summary}" addition "out of time")
stage_value("${summary}" addition detail)
expect("${value}" "1 records; no time for 2 matrices, counted in either type" "what there was no time for")
run_script("${environment}" --binaries "${short}" --out "${WORK}/short" --stage addition)
expect_result("${summary}" addition passed)
stage_value("${summary}" addition detail)
expect("${value}" "2 records" "the rest, in the next run")

# So do the tables: what is in the file is not asked for again.
fake("${short}/copse_bench" "
while [ \"$1\" != --json ]; do shift; done
echo \"$5 $6\" >>'${WORK}/short/paces'
[ \"$3\" = --measured ] || exit 3
if grep -q '^{\"bench\":\"tables\",\"matrix\":\"a\"}$' \"$4\"; then
    echo '{\"matrix\":\"b\"}' >\"$2\"
else
    printf '{\"matrix\":\"a\"}\\n{\"matrix\":\"b\",\"left_out\":true}\\n' >\"$2\"
fi\n")
run_script("${environment}" --binaries "${short}" --out "${WORK}/short" --stage tables --limit tables=40)
expect_result("${summary}" tables "out of time")
stage_value("${summary}" tables detail)
expect("${value}" "1 records; tables in benchmarks.log; no time for 1 matrices, counted in either type" "tables without time")
run_script("${environment}" --binaries "${short}" --out "${WORK}/short" --stage tables)
expect_result("${summary}" tables passed)
stage_value("${summary}" tables detail)
expect("${value}" "2 records; tables in benchmarks.log" "the rest of the tables")
file(STRINGS "${WORK}/short/benchmarks.jsonl" lines REGEX "tables")
expect("${lines}" "{\"bench\":\"tables\",\"matrix\":\"a\"};{\"bench\":\"tables\",\"matrix\":\"b\"}" "lines of both runs")
file(STRINGS "${WORK}/short/paces" paces)
expect_match("${paces}" "^--seconds (29|30);--seconds 4[34][0-9]$" "the time for tables")

# So does ncu, run by run: one has no time, and leaves what it had seen; one leaves nothing. Only these come again, and the
# figures of the first are those of the second time.
foreach(program spmv add convert)
  fake("${WORK}/ncu-programs/copse_${program}_gpu" "exit 0\n")
endforeach()
file(COPY "${tools}/nvidia-smi" DESTINATION "${WORK}/ncu-tools")
set(seen_by_ncu "
[ \"$1\" != --query-metrics ] || exit 0
asked=\"$*\"
while [ \"$1\" != --log-file ]; do shift; done
echo \"$asked\" | sed 's/.*copse_/copse_/' >>'${WORK}/seen-by-ncu'
printf '\"ID\",\"Kernel Name\"\\n' >\"$2\"\n")
fake("${WORK}/ncu-tools/ncu" "${seen_by_ncu}
case \"$asked\" in
  *spmv_gpu\\ rmat*) printf '\"0\",\"early\"\\n' >>\"$2\"; exec sleep 1000 ;;
  *csr5,sellp,cmrs*) exit 9 ;;
esac
printf '\"0\",\"first\"\\n' >>\"$2\"; exit 9\n")
set(under_ncu "PATH=${WORK}/ncu-tools:$ENV{PATH}" "CUDA_VISIBLE_DEVICES=0")
set(summary "${WORK}/ncu/summary.json")
run_script("${under_ncu}" --binaries "${WORK}/ncu-programs" --out "${WORK}/ncu" --stage ncu --limit ncu=14)
expect_result("${summary}" ncu failed)
stage_value("${summary}" ncu detail)
expect("${value}" "7 launches; no time for 1 of 8 runs; nothing of copse_convert_gpu rmat:18,16 --type double --formats csr5,sellp,cmrs"
  "ncu without time")
file(REMOVE "${WORK}/seen-by-ncu")
fake("${WORK}/ncu-tools/ncu" "${seen_by_ncu}
case \"$asked\" in *spmv_gpu\\ rmat*) printf '\"0\",\"early\"\\n' >>\"$2\"; exec sleep 1000 ;; esac
printf '\"0\",\"second\"\\n' >>\"$2\"; exit 9\n")
run_script("${under_ncu}" --binaries "${WORK}/ncu-programs" --out "${WORK}/ncu" --stage ncu --limit ncu=4)
expect_result("${summary}" ncu "out of time")
fake("${WORK}/ncu-tools/ncu" "${seen_by_ncu}printf '\"0\",\"second\"\\n\"1\",\"second\"\\n' >>\"$2\"; exit 9\n")
foreach(time RANGE 1)
  run_script("${under_ncu}" --binaries "${WORK}/ncu-programs" --out "${WORK}/ncu" --stage ncu)
  expect_result("${summary}" ncu passed)
  stage_value("${summary}" ncu detail)
  expect("${value}" "9 launches" "the rest for ncu")
endforeach()
file(STRINGS "${WORK}/seen-by-ncu" seen)
string(REGEX REPLACE " --controllers[^;]*" "" seen "${seen}")
expect("${seen}" "copse_spmv_gpu rmat:18,16 --type double;copse_convert_gpu rmat:18,16 --type double --formats csr5,sellp,cmrs;copse_spmv_gpu rmat:18,16 --type double"
  "runs that ncu sees again")
file(STRINGS "${WORK}/ncu/ncu.csv" early REGEX "early")
expect("${early}" "" "figures of a run that came again")

# Where no stage has said of what GPU the results are, first-light is asked.
file(COPY "${programs}/copse_quick_gpu_tests" DESTINATION "${WORK}/said-programs")
fake("${WORK}/said-programs/first_light" "
[ \"$*\" = '--question device' ] && echo '{\"question\": \"device\", \"copy_gbytes_per_second\": 2801.5}'\n")
run_script("${environment}" --binaries "${WORK}/said-programs" --out "${WORK}/said" --stage tests)
expect("${status}" 0 "status of tests")
expect_match("${output}" "\nPretender 2, driver Pretender 2, [^\n]*; copies 2801 GB/s within its memory\n" "what GPU it was")
file(READ "${WORK}/said/summary.json" text)
string(JSON copy GET "${text}" copy_gbytes_per_second)
expect("${copy}" "2801.5" "copy bandwidth")
run_script("${environment}" --binaries "${short}" --out "${WORK}/unsaid" --stage tables)
expect_match("${output}" "\nPretender 2, [^\n]*; copies not measured\n" "a GPU that nobody measured")

# What tests left in a build folder, this one among them, is none of its programs; the folder may be a link.
fake("${WORK}/tested-build/bench/copse_add_gpu" "echo '{\"bench\":\"addition\"}' >>'${WORK}/tested/benchmarks.jsonl'\n")
foreach(folder bench/gpu/programs bench/gpu/user-programs install/work/prefix/bin)
  fake("${WORK}/tested-build/tests/${folder}/copse_add_gpu" "exit 3\n")
endforeach()
file(CREATE_LINK "${WORK}/tested-build" "${WORK}/tested-link" SYMBOLIC)
foreach(folder "${WORK}/tested-build" "${WORK}/tested-build/" "${WORK}/tested-link")
  run_script("${environment}" --binaries "${folder}" --out "${WORK}/tested" --stage addition)
  expect_result("${WORK}/tested/summary.json" addition passed)
endforeach()

# Sums come before all other tests, for a short time: one that hangs is named, and the rest goes on without them.
fake("${WORK}/sums-programs/copse_algebra_gpu_tests" "
echo \"sums $*\" >>'${WORK}/summed'
case \"$*\" in
  *list*) printf 'add_on_gpu.\\n  endless\\nother.\\n  one\\n' ;;
  *-\\*add_on_gpu*:\\*.add_up\\*:*) echo '[       OK ] other.one (0 ms)' ;;
  *) exec sleep 1000 ;;
esac\n")
fake("${WORK}/sums-programs/copse_aaa_gpu_tests" "echo \"others $*\" >>'${WORK}/summed'; echo '[       OK ] a.one (0 ms)'\n")
run_script("${environment}" --binaries "${WORK}/sums-programs" --out "${WORK}/sums" --stage tests --limit tests=24)
expect_result("${WORK}/sums/summary.json" tests failed)
stage_value("${WORK}/sums/summary.json" tests detail)
expect_match("${value}" "^2 passed, 0 skipped, [12] failed: .*add_on_gpu.endless" "tests behind sums that hang")
file(STRINGS "${WORK}/summed" summed)
list(GET summed 0 first)
list(GET summed -1 last)
expect_match("${first}" "^sums .*--gtest_filter=[^-]add_on_gpu[^-]*$" "what comes first")
expect_match("${last}" "^sums .*--gtest_filter=.-.add_on_gpu[^-]*$" "what comes last")

# All tests with sums are among them: these suites and cases, by the names that they have in the source.
file(GLOB_RECURSE sources "${SOURCE}/tests/algebra/*_gpu_test.cpp" "${SOURCE}/tests/algebra/*_gpu_test.cu")
foreach(case add_on_gpu.unites_the_entries node_kinds_on_gpu.add_up stream_order.is_that_of_sums_and_plans full_gpu.makes_no_sum)
  string(REPLACE "." ", " name "${case}")
  set(found "")
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" lines REGEX "^TEST[_PF]*\\(${name}\\)")
    list(APPEND found ${lines})
  endforeach()
  expect_match("${found}" "${name}" "a test of sums")
  execute_process(COMMAND bash -c "source '${SOURCE}/bench/gpu_stages.sh'
    IFS=: read -ra patterns <<<\"$first_tests\"
    for pattern in \"\${patterns[@]}\"; do [[ controllers/${case}/0 != \$pattern ]] || exit 0; done; exit 1" RESULT_VARIABLE code)
  expect("${code}" 0 "${case} among the first tests")
endforeach()

# What has all of the GPU's memory is nothing for a sanitizer, which needs some; initcheck passes over what reads unwritten
# memory on purpose.
fake("${WORK}/full-programs/copse_full_gpu_tests" "
printf 'full_gpu.\\n  makes_no_sum\\nmemory_of_gpu.\\n  that_one_has\\n  keeps_little\\nnot_full_gpu.\\n  one\\ncomparison.\\n  large_sums_are_made_and_checked_there\\n'\n")
file(COPY "${tools}/nvidia-smi" DESTINATION "${WORK}/full-tools")
fake("${WORK}/full-tools/compute-sanitizer" "case \"$*\" in *full_gpu.makes*|*that_one*|*initcheck*large_sums*) exit 99 ;; esac\n")
run_script("PATH=${WORK}/full-tools:$ENV{PATH};CUDA_VISIBLE_DEVICES=0" --binaries "${WORK}/full-programs" --out "${WORK}/full"
  --stage sanitizers)
stage_value("${WORK}/full/summary.json" sanitizers detail)
expect("${value}" "4 runs, 11 of 11 cases clean" "sanitizers without what fills the memory")

# The user's matrices come behind the suite's.
file(MAKE_DIRECTORY "${WORK}/users")
foreach(program spmv add convert)
  fake("${WORK}/user-programs/copse_${program}_gpu" "echo \"${program} $*\" >>'${WORK}/users-raced'\n")
endforeach()
run_script("${environment}" --binaries "${WORK}/user-programs" --out "${WORK}/of-users" --matrices "${WORK}/users"
  --stage spmv --stage addition --stage conversions)
file(STRINGS "${WORK}/users-raced" raced)
foreach(program spmv add convert)
  expect_match("${raced}" "${program} --quick [^;]*;${program} ${WORK}/users " "the user's matrices for ${program}")
endforeach()

# Where the suite has used up the time, they wait for the next run; no program is told to begin nothing. What failed
# is not out of time because the next had none.
fake("${WORK}/late-programs/copse_spmv_gpu" "
case \"$*\" in
  *'--seconds 0'*) echo 'from 1 to'; exit 1 ;;
  *--quick*) [ -e '${WORK}/late-fails' ] && { sleep 2; exit 3; }; exec sleep 1000 ;;
  *) echo \"$*\" >>'${WORK}/late'; exec sleep 1000 ;;
esac\n")
set(summary "${WORK}/of-late/summary.json")
run_script("${environment}" --binaries "${WORK}/late-programs" --out "${WORK}/of-late" --matrices "${WORK}/users"
  --stage spmv --limit spmv=2)
expect_result("${summary}" spmv "out of time")
if(EXISTS "${WORK}/late")
  message(FATAL_ERROR "the user's matrices were begun without time")
endif()
run_script("${environment}" --binaries "${WORK}/late-programs" --out "${WORK}/of-late" --stage spmv --limit spmv=1)
expect_result("${summary}" spmv "out of time")
file(WRITE "${WORK}/late-fails" "")
run_script("${environment}" --binaries "${WORK}/late-programs" --out "${WORK}/of-late" --matrices "${WORK}/users"
  --stage spmv --limit spmv=3)
expect_result("${summary}" spmv failed)

# What an earlier run has said, which had no cuSPARSE and lost a competitor, is none of the next.
fake("${WORK}/said-once-programs/copse_add_gpu" "
[ -e '${WORK}/said-once' ] && exit 4
touch '${WORK}/said-once'
printf 'cuSPARSE: not there: no library\n no answer from [somebody] in it\n'\n")
fake("${WORK}/said-once-programs/copse_convert_gpu" "exit 0\n")
set(summary "${WORK}/said-once-results/summary.json")
foreach(expected "0 records; cuSPARSE: not there" "0 records; no answer from: unknown")
  run_script("${environment}" --binaries "${WORK}/said-once-programs" --out "${WORK}/said-once-results" --stage addition
    --stage conversions)
  stage_value("${summary}" addition detail)
  expect("${value}" "${expected}" "what a run has said")
  stage_value("${summary}" conversions detail)
  expect("${value}" "0 records" "what another stage has said")
endforeach()

# What was clean is remembered: the next run takes the rest, and only all of them pass.
file(COPY "${tools}/nvidia-smi" DESTINATION "${WORK}/slow-tools")
file(COPY "${programs}/copse_quick_gpu_tests" DESTINATION "${WORK}/few-programs")
fake("${WORK}/slow-tools/compute-sanitizer" "sleep 1\n")
set(slowly "PATH=${WORK}/slow-tools:$ENV{PATH}" "CUDA_VISIBLE_DEVICES=0")
set(summary "${WORK}/slow/summary.json")
run_script("${slowly}" --binaries "${WORK}/few-programs" --out "${WORK}/slow" --stage sanitizers --limit sanitizers=5)
expect_result("${summary}" sanitizers "out of time")
stage_value("${summary}" sanitizers detail)
expect_match("${value}" "^4 runs, [1-7] of 8 cases clean$" "sanitizers without enough time")
fake("${WORK}/slow-tools/compute-sanitizer" "echo ran >>'${WORK}/slowly'\n")
run_script("${slowly}" --binaries "${WORK}/few-programs" --out "${WORK}/slow" --stage sanitizers)
expect_result("${summary}" sanitizers passed)
stage_value("${summary}" sanitizers detail)
expect("${value}" "4 runs, 8 of 8 cases clean" "the rest for sanitizers")
file(REMOVE "${WORK}/slowly")
run_script("${slowly}" --binaries "${WORK}/few-programs" --out "${WORK}/slow" --stage sanitizers)
expect_result("${summary}" sanitizers passed)
if(EXISTS "${WORK}/slowly")
  message(FATAL_ERROR "what was clean ran again")
endif()

# All well: only then 0.
file(REMOVE "${programs}/copse_slow_device_tests")
run_script("${environment}" --binaries "${programs}" --out "${WORK}/well" --stage tests --stage build)
expect("${status}" 0 "status when all is well")

# --- packed -----------------------------------------------------------------------------------------------------------

# A build that makes the programs that it knows: shell scripts, which strip would refuse.
set(builders "${WORK}/builders")
fake("${builders}/strip" "exit 0\n")
fake("${builders}/cmake" "
case \"$1\" in
  --preset) echo \"$*\" >'${WORK}/configured' ;;
  --build)
    folder=\"$2\"
    if [ \"$4\" = help ]; then printf '%s: phony\\n' all copse_add_gpu copse_spmv_gpu copse_gpu_report copse_cli copse_cli_tests copse_cli_gpu_tests; exit; fi
    mkdir -p \"$folder/deep\" \"$folder/tests/bench/gpu/programs\"
    shift 3
    while [ \"$1\" != -- ]; do
      [ \"$1\" = copse_cli ] && program=copse || program=\"$1\"
      cp '${WORK}/made' \"$folder/deep/$program\"
      printf '#!/bin/sh\\nexit 3\\n' >\"$folder/tests/bench/gpu/programs/$program\"
      chmod +x \"$folder/tests/bench/gpu/programs/$program\"
      shift
    done ;;
esac\n")
fake("${WORK}/made" "
case \"$0\" in
  *report) echo '## packed report'; exit ;;
  */copse) echo 'of the pack'; exit ;;
  *copse_cli_gpu_tests) [ \"$(\"$COPSE_COMMAND\")\" = 'of the pack' ] && echo '[       OK ] on.gpu (0 ms)'; exit ;;
esac
while [ \"$1\" != --json ]; do shift; done
echo '{\"bench\":\"addition\"}' >>\"$2\"\n")
run_script("PATH=${builders}:$ENV{PATH}" --pack "${WORK}/packed" --stage addition --build-folder "${WORK}/pack-build"
  --architectures 90-real)
expect("${status}" 0 "status of packing")
file(READ "${WORK}/configured" text)
expect_match("${text}" "--preset gpu-pack -B ${WORK}/pack-build .*-DCOPSE_CUDA_ARCHITECTURES=90-real" "what is configured")

# Started elsewhere, where there is nothing to build with, and no source.
file(REMOVE_RECURSE "${WORK}/pack-build" "${WORK}/elsewhere")
file(RENAME "${WORK}/packed" "${WORK}/elsewhere")
file(GLOB_RECURSE carried RELATIVE "${WORK}/elsewhere" "${WORK}/elsewhere/*")
list(SORT carried)
expect("${carried}" "bin/copse_add_gpu;bin/copse_gpu_report;gpu;gpu_benchmarks.sh;gpu_results.sh;gpu_stages.sh;packed"
  "what is carried for one stage")
set(script "${WORK}/elsewhere/gpu")
run_script("${environment}" --stage addition)
expect("${status}" 0 "status of a packed stage")
set(summary "${WORK}/elsewhere/results/summary.json")
expect_result("${summary}" addition passed)
stage_value("${summary}" addition detail)
expect("${value}" "1 records" "a packed stage")
file(READ "${summary}" text)
string(JSON packed GET "${text}" packed)
expect("${packed}" ON "packed")
string(JSON commit GET "${text}" commit)
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE expected OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(expected)
  expect_match("${commit}" "^${expected}(-[0-9a-f]+)?$" "commit of packed programs")
endif()
expect_match("${output}" "## packed report" "the report of a packed stage")
run_script("" --pack "${WORK}/again")
expect("${status}" 2 "packing what is packed")

# The tests of the command take it along.
set(script "${SOURCE}/bench/gpu")
run_script("PATH=${builders}:$ENV{PATH}" --pack "${WORK}/packed" --stage tests --build-folder "${WORK}/pack-build")
expect("${status}" 0 "status of packing tests")
file(REMOVE_RECURSE "${WORK}/pack-build" "${WORK}/elsewhere")
file(RENAME "${WORK}/packed" "${WORK}/elsewhere")
file(GLOB carried RELATIVE "${WORK}/elsewhere" "${WORK}/elsewhere/bin/*")
list(SORT carried)
expect("${carried}" "bin/copse;bin/copse_cli_gpu_tests" "what is carried for tests")
set(script "${WORK}/elsewhere/gpu")
run_script("${environment}" --stage tests)
expect("${status}" 0 "status of packed tests")
stage_value("${WORK}/elsewhere/results/summary.json" tests detail)
expect("${value}" "1 passed, 0 skipped, 0 failed" "packed tests")

# Of two dirty trees each is a commit of its own: so it is where files are new, and where git does not answer.
set(tree "${WORK}/tree")
file(GLOB scripts "${SOURCE}/bench/gpu" "${SOURCE}/bench/gpu_*.sh")
file(COPY ${scripts} DESTINATION "${tree}/bench")
file(WRITE "${tree}/a.cpp" "first")
set(script "${tree}/bench/gpu")
# commit_now(environment): sets `commit`, which the next run names again.
function(commit_now environment)
  foreach(run RANGE 1)
    run_script("CUDA_VISIBLE_DEVICES=;${environment}" --binaries "${programs}" --out "${WORK}/of-tree" --stage build)
    file(READ "${WORK}/of-tree/summary.json" text)
    string(JSON found${run} GET "${text}" commit)
  endforeach()
  expect("${found1}" "${found0}" "the commit of what stays as it is")
  set(commit "${found0}" PARENT_SCOPE)
endfunction()
set(without_git "GIT_CEILING_DIRECTORIES=${WORK}")
commit_now("${without_git}")
expect_match("${commit}" "^unknown-[0-9a-f]+$" "commit without git")
set(before "${commit}")
file(WRITE "${tree}/a.cpp" "second")
commit_now("${without_git}")
expect_match("${commit}" "^unknown-" "commit without git")
if(commit STREQUAL before)
  message(FATAL_ERROR "two trees without git, both ${commit}")
endif()
find_program(GIT git)
if(GIT)
  execute_process(COMMAND bash -c "cd '${tree}' && git init -q && git add . &&
    git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm first" RESULT_VARIABLE code)
  expect("${code}" 0 "a commit")
  commit_now("")
  expect_match("${commit}" "^[0-9a-f]+$" "commit of a clean tree")
  set(before "${commit}")
  foreach(change "a.cpp third" "a.cpp fourth" "new.cpp fifth" "new.cpp sixth")
    separate_arguments(pair UNIX_COMMAND "${change}")
    list(GET pair 0 file)
    list(GET pair 1 content)
    file(WRITE "${tree}/${file}" "${content}")
    commit_now("")
    expect_match("${commit}" "^[0-9a-f]+-dirty-[0-9a-f]+$" "commit of a dirty tree")
    list(FIND before "${commit}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "two trees with ${change}, both ${commit}")
    endif()
    list(APPEND before "${commit}")
  endforeach()
endif()
