# Run when a test program was linked: writes a file of ctest's tests, one for each suite of the program.
#   PROGRAM      the program
#   FILTER       what is left out, as '-a:b', or nothing
#   REPORTS      the folder where each suite leaves its report, <name of the test>.xml, for tests/results.py
#   PROPERTIES   of the tests
#   LIST         the file to write
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests "--gtest_filter=*${FILTER}"
  OUTPUT_VARIABLE listed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} cannot list its tests: it ended with ${status}")
endif()
cmake_path(GET PROGRAM FILENAME program)
set(tests)
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.( |$)")  # a suite; its tests are indented
    set(suite "${CMAKE_MATCH_1}")
    string(REPLACE "/" "-" name "${program}.${suite}")
    string(APPEND tests "add_test(\"${name}\" \"${PROGRAM}\" \"--gtest_filter=${suite}.*${FILTER}\"
  \"--gtest_output=xml:${REPORTS}/${name}.xml\")
set_tests_properties(\"${name}\" PROPERTIES ${PROPERTIES})
")
  endif()
endforeach()
if(NOT tests)
  message(FATAL_ERROR "${PROGRAM} has no tests, or all are left out")
endif()
file(WRITE "${LIST}" "${tests}")
