# Run by ctest: what is installed is what the README's `bench/run` builds; and where a part of it is not built,
# `cmake --install` says so before it writes anything.

# What the install takes from the build folder.
file(READ "${BUILD}/cmake_install.cmake" install)
string(REGEX MATCHALL "TYPE (STATIC_LIBRARY|EXECUTABLE) FILES \"[^\"]+\"" built "${install}")
list(TRANSFORM built REPLACE ".* FILES \"${BUILD}/(.+)\"" "\\1")
if(NOT built)
  message(FATAL_ERROR "${BUILD}/cmake_install.cmake installs nothing that was built")
endif()

if(NINJA)
  file(READ "${SOURCE}/bench/run" bench_run)
  if(NOT bench_run MATCHES "\ncopse_build release ([a-z_ ]+) >")
    message(FATAL_ERROR "bench/run has no line that says which targets it builds")
  endif()
  string(REPLACE " " ";" targets "${CMAKE_MATCH_1}")
  execute_process(COMMAND "${NINJA}" -C "${BUILD}" -t commands ${targets}
    RESULT_VARIABLE status OUTPUT_VARIABLE commands ERROR_VARIABLE commands)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NINJA} does not know the targets of bench/run: ${commands}")
  endif()
  foreach(file IN LISTS built)
    string(FIND "${commands}" " ${file} " position)
    if(position EQUAL -1)
      message(FATAL_ERROR "${file} is installed, but bench/run, which builds ${targets}, does not build it")
    endif()
  endforeach()
endif()

# The same install from a folder that lacks one file after the other.
set(work "${BUILD}/tests/install/incomplete")
set(prefix "${work}/prefix")
file(REMOVE_RECURSE "${work}")
string(REPLACE "${BUILD}" "${work}" install "${install}")
file(WRITE "${work}/cmake_install.cmake" "${install}")
foreach(missing IN LISTS built)
  foreach(file IN LISTS built)
    file(WRITE "${work}/${file}" "")
  endforeach()
  file(REMOVE "${work}/${missing}")
  execute_process(  # without the scripts of sub-folders, which install nothing
    COMMAND "${CMAKE_COMMAND}" "-DCMAKE_INSTALL_PREFIX=${prefix}" -DCMAKE_INSTALL_LOCAL_ONLY=ON
            -P "${work}/cmake_install.cmake"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0 OR EXISTS "${prefix}")
    message(FATAL_ERROR "installed without ${missing}:\n${output}")
  endif()
  foreach(text "${work}/${missing}" "cmake --build \"${work}\"")
    string(FIND "${output}" "${text}" position)
    if(position EQUAL -1)
      message(FATAL_ERROR "without ${missing}, the install does not say ${text}:\n${output}")
    endif()
  endforeach()
endforeach()
