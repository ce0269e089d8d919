# Run by ctest: bench/kernels on made-up reports of ptxas and a disassembler that only pretends.

file(REMOVE_RECURSE "${WORK}")
set(folder "${WORK}/build")
set(objects "${folder}/CMakeFiles/copse.dir/algebra")
file(MAKE_DIRECTORY "${objects}" "${folder}/runtime")

function(expect actual expected what)
  if(NOT actual STREQUAL expected)
    message(FATAL_ERROR "${what}: '${actual}' instead of '${expected}'\n${output}")
  endif()
endfunction()
function(expect_line line)
  string(FIND "${output}" "${line}\n" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "no line '${line}' in\n${output}")
  endif()
endfunction()

# run_script(arguments...): sets `status` and `output`.
function(run_script)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "COPSE_CUOBJDUMP=${WORK}/cuobjdump" "COPSE_HOT_KERNELS=${WORK}/hot"
      bash "${SOURCE}/bench/kernels" ${ARGN} "${folder}"
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(status "${code}" PARENT_SCOPE)
  set(output "${text}" PARENT_SCOPE)
endfunction()

# kernel(name stack stores loads used): what ptxas says of one. function(): of one that is called.
set(report "")
macro(kernel name stack stores loads used)
  string(APPEND report "ptxas info    : Compiling entry function '${name}' for 'sm_90'\n"
    "ptxas info    : Function properties for ${name}\n"
    "    ${stack} bytes stack frame, ${stores} bytes spill stores, ${loads} bytes spill loads\n"
    "ptxas info    : Used ${used}\n")
endmacro()
set(detail "N5copse6detail")
set(part "_Z${detail}12plain_kernelINS0_4partIdEEEEvT_l")   # copse::detail::plain_kernel<copse::detail::part<double> >
set(resident "_Z${detail}15resident_kernelIJNS0_4partIdEENS0_5splitEEEEvv")
set(unite "_Z${detail}12drain_kernelINS0_5uniteEiEEvT_T0_")
kernel(${part} 0 0 0 "40 registers, used 1 barriers, 8240 bytes smem")
kernel(${resident} 0 0 0 "72 registers, used 1 barriers")
kernel(${unite} 48 16 20 "64 registers, used 1 barriers, 48 bytes cumulative stack size, 31776 bytes smem")
kernel(_Z${detail}9separable12drain_kernelINS_4halfEEEvT_ 0 0 0 "32 registers, used 1 barriers")
kernel(_Z${detail}5whole12drain_kernelINS_4halfEEEvT_ 0 0 0 "32 registers, used 1 barriers, 65536 bytes smem")
kernel(_Z6othersv 400 0 0 "255 registers")                      # not the library's
kernel(_ZN3cub3CUB4SortIiEEvT_ 8 4 2 "60 registers, used 1 barriers, 1000 bytes smem")
kernel(_ZN3cub3CUB4ScanIiEEvT_ 16 0 0 "50 registers, used 1 barriers, 3000 bytes smem")
kernel(_ZN5copse6detail12_GLOBAL__N_111look_kernelEl 0 0 0 "40 registers")
file(WRITE "${objects}/spmv.cu.o.ptxas" "${report}")
file(WRITE "${objects}/gone.cu.o.ptxas" "ptxas info    : Function properties for _ZN5copse4goneEv
    800 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n")
file(WRITE "${objects}/spmv.cu.o" "")
execute_process(COMMAND ar qc libcopse.a CMakeFiles/copse.dir/algebra/spmv.cu.o WORKING_DIRECTORY "${folder}")
file(WRITE "${folder}/listing" "
	code for sm_90
		Function : ${part}
	.headerflags	@\"EF_CUDA_SM90\"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                 /* 0x00000a00ff017b82 */
                                                                          /* 0x000fe20000000800 */
        /*0010*/               @P0 LDG.E.128 R4, desc[UR4][R2.64] ;       /* 0x0 */
        /*0020*/              @!P0 LDG.E.64 R4, desc[UR4][R2.64] ;        /* 0x0 */
        /*0030*/                   LDG.E.NA.64 R4, desc[UR4][R2.64] ;     /* 0x0 */
        /*0040*/                   LDG.E R4, desc[UR4][R2.64] ;           /* 0x0 */
        /*0050*/                   LDG.E.U8 R4, desc[UR4][R2.64] ;        /* 0x0 */
        /*0060*/                   LD.E.U8 R4, desc[UR4][R2.64] ;         /* 0x0 */
        /*0068*/                   STG.E.U8 desc[UR4][R2.64+0x1], R4 ;    /* 0x0 */
        /*006c*/                   STG.E.64 desc[UR4][R2.64+0x8], R4 ;    /* 0x0 */
        /*0070*/                   LDS.128 R4, [R2] ;                     /* 0x0 */
        /*0080*/                   REDG.E.ADD.F64.RN [R2.64], R4 ;        /* 0x0 */
        /*0088*/                   UBLKRED.G.S.ADD.F64.RN [UR10], [UR7] ; /* 0x0 */
        /*0090*/                   ATOMS.CAST.SPIN.64 R2, [R3], R4, R6 ;  /* 0x0 */
        /*00a0*/                   STL [R1], R4 ;                         /* 0x0 */
        /*00b0*/                   EXIT ;                                 /* 0x0 */
		Function : _ZN3cub3CUB4SortIiEEvT_
        /*0000*/                   LDG.E R4, desc[UR4][R2.64] ;           /* 0x0 */
        /*0010*/                   EXIT ;                                 /* 0x0 */
")
# Twice: a kernel that two objects hold counts once.
file(WRITE "${WORK}/cuobjdump" "#!/bin/sh\ncat '${folder}/listing' '${folder}/listing'\n")
file(CHMOD "${WORK}/cuobjdump" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

# --- the table --------------------------------------------------------------------------------------------------------

file(WRITE "${WORK}/hot" "")
run_script()
expect("${status}" 0 "the table's status")
# 40 registers for 128 threads: 12 blocks. 72: 7. 64 and 31 KiB of shared memory: 7.
expect_line("| plain_kernel<part<double>> | 40 | 8240 | 12 | 1536 | 0 | 0/0 | 1 | 1 | 2 | 1 | 1 | 1 | 2 | 1 | 1 | 15 |")
expect_line("| resident_kernel<part<double>> and 1 more | 72 | 0 | 7 | 896 | 0 | 0/0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |")
expect_line("| drain_kernel<unite> | 64 | 31776 | 7 | 896 | 48 | 16/20 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |")
expect_line("| rdc drain_kernel<half> | 32 | 65536 | 3 | 384 | 0 | 0/0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |")
# Every kernel has a line, those of CUB one together: of no block size that is known here.
expect_line("| others | 255 | 0 |  |  | 400 | 0/0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |")
expect_line("| look_kernel | 40 | 0 | 24 | 1536 | 0 | 0/0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |")
expect_line("| CUB's, the most of 2 | 60 | 3000 |  |  | 16 | 4/2 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 2 |")
string(REGEX MATCHALL "\n\\|" lines "${output}")
list(LENGTH lines count)
expect("${count}" 10 "lines of the table")

# Hot kernels have their lines, others one for a kind.
file(WRITE "${WORK}/hot" "hot\tplain_kernel<copse::detail::part<double>\n")
run_script(--hot)
expect("${status}" 0 "the short table's status")
expect_line("| plain_kernel<part<double>> | 40 | 8240 | 12 | 1536 | 0 | 0/0 | 1 | 1 | 2 | 1 | 1 | 1 | 2 | 1 | 1 | 15 |")
expect_line("| drain_kernel, the most of 2 | 64 | 65536 |  |  | 48 | 16/20 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |")
expect_line("| for the device controller, the most of 1 | 32 | 65536 |  |  | 0 | 0/0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |")

# --- the check --------------------------------------------------------------------------------------------------------

run_script(--check)
expect("${status}" 1 "status with a kernel that spills")
expect_line("6 kernels and functions, 1 complaints")
string(FIND "${output}" "local memory: 48 bytes of stack, 16 stored and 20 loaded by spills (0 of stack allowed)" found)
expect("${found}" 0 "the complaint")
foreach(bytes 47 48)
  file(WRITE "${WORK}/hot" "# a reason\nhot\tplain_kernel<copse::detail::part<double>\n"
    "allowed\tdrain_kernel<copse::detail::unite\t${bytes}\n")
  run_script(--check)
  math(EXPR wanted "48 - ${bytes}")
  expect("${status}" "${wanted}" "status with ${bytes} bytes allowed")
endforeach()
file(APPEND "${WORK}/hot" "hot\tplain_kernel<copse::detail::missing\nhot\tdrain_kernel<copse::detail::unite\n")
run_script(--check)
expect("${status}" 1 "status with hot kernels missing and allowed memory")
expect_line("no such kernel: plain_kernel<copse::detail::missing")
expect_line("hot, but allowed local memory: drain_kernel<copse::detail::unite")

# --- without what it reads --------------------------------------------------------------------------------------------

file(REMOVE "${objects}/spmv.cu.o.ptxas")
run_script(--check)
expect("${status}" 2 "status without reports")
expect_line("bench/kernels: there is no report of ptxas in ${folder}: it was built without a CUDA toolkit")
file(APPEND "${folder}/CMakeCache.txt" "COPSE_CUDA_IS_QUICK:INTERNAL=ON\n")
run_script(--check)
expect("${status}" 2 "status where the GPU code was compiled quickly")
string(CONCAT quick "bench/kernels: the GPU code in ${folder} was compiled quickly: "
  "configure with -DCOPSE_CUDA_QUICK=OFF and build again")
expect_line("${quick}")

run_script(--loud)
expect("${status}" 2 "--loud")
