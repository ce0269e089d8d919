# Run by ctest: installs the build into an empty folder, builds tests/install/consumer against it as any outside
# project would, and runs the program. Every step must succeed.

set(work "${BUILD}/tests/install/work")
set(prefix "${work}/prefix")

# run_step(what command...): shows the command's output and stops the test when it fails.
function(run_step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message("${output}")
    message(FATAL_ERROR "${what} failed (${status})")
  endif()
endfunction()

function(expect_installed)
  foreach(file IN LISTS ARGN)
    if(NOT EXISTS "${prefix}/${file}")
      message(FATAL_ERROR "not installed: ${file}")
    endif()
  endforeach()
endfunction()

file(REMOVE_RECURSE "${work}")
run_step("cmake --install" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

# Every header at a room's door, under the path it is included by; and whatever an installed header includes.
foreach(room IN LISTS ROOMS)
  file(GLOB headers RELATIVE "${SOURCE}" "${SOURCE}/${room}/*.hpp" "${SOURCE}/${room}/*.cuh")
  list(TRANSFORM headers PREPEND include/copse/)
  expect_installed(${headers})
endforeach()
file(GLOB_RECURSE headers "${prefix}/include/*")
foreach(header IN LISTS headers)
  file(STRINGS "${header}" lines REGEX "^ *# *include <copse/[^>]+>")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*<(copse/[^>]+)>.*" "\\1" included "${line}")
    expect_installed("include/${included}")
  endforeach()
endforeach()
# What only sources need stays at home.
foreach(header algebra/sums/add_tasks.hpp cpu/leaves/leaf_products-inl.hpp formats/from_rows/block_rows.hpp)
  if(NOT EXISTS "${SOURCE}/${header}")
    message(FATAL_ERROR "this test looks for ${header}, which has gone: name another header that no door includes")
  endif()
  if(EXISTS "${prefix}/include/copse/${header}")
    message(FATAL_ERROR "installed, and nobody outside needs it: ${header}")
  endif()
endforeach()
expect_installed(share/doc/copse/LICENSE)

# Nothing that is installed may point back into the tree it came from.
file(GLOB_RECURSE package_files "${prefix}/*.cmake")
if(NOT package_files)
  message(FATAL_ERROR "no CMake package was installed in ${prefix}")
endif()
foreach(file IN LISTS package_files)
  file(READ "${file}" text)
  foreach(folder "${SOURCE}" "${BUILD}")
    string(REPLACE "${prefix}" "" text "${text}")
    string(FIND "${text}" "${folder}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} mentions ${folder}")
    endif()
  endforeach()
endforeach()

run_step("configuring the consumer" "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${work}/build"
  -G "${GENERATOR}" "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}" "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCOPSE_VERSION=${VERSION}"
  "-DCOPSE_HAS_CUDA=${HAS_CUDA}")
run_step("building the consumer" "${CMAKE_COMMAND}" --build "${work}/build")
run_step("running the consumer" "${work}/build/consumer")
if(HAS_CUDA)
  run_step("running the consumer of copse::device" "${work}/build/consumer_device")
endif()
