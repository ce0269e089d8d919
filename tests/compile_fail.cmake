# cmake -DCOMPILER=... -DINCLUDE=... -DSOURCE=... -DEXECUTOR=... -P compile_fail.cmake
# The program must not compile, and all that the compiler has to say is one error, which the program's first line quotes.
file(STRINGS "${SOURCE}" first_line LIMIT_COUNT 1)
string(REGEX REPLACE "^// " "" expected "${first_line}")
string(REPLACE "\\;" ";" expected "${expected}")  # file(STRINGS) makes a list and escapes what would divide it

execute_process(
  COMMAND "${COMPILER}" -std=c++20 -fsyntax-only "-I${INCLUDE}" "-DEXECUTOR=${EXECUTOR}" "${SOURCE}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but it must not: ${expected}")
endif()
string(FIND "${output}" "${expected}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the compiler does not say '${expected}':\n${output}")
endif()
string(REGEX MATCHALL "error: " errors "${output}")
list(LENGTH errors count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "${count} errors where one is enough:\n${output}")
endif()
