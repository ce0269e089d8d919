# Looks for a CUDA toolkit that can build the GPU executor, and enables the language when there is one.
# COPSE_CUDA: AUTO takes a toolkit that works and otherwise says why there is no GPU executor; ON makes that an error;
# OFF does not look. Sets COPSE_HAS_CUDA.
# Included, not a function: enable_language() works only at the top level.

set(COPSE_CUDA_MINIMUM 13.0)

# The compiler, in CMake's own order (CMAKE_CUDA_COMPILER, CUDACXX, PATH), then where NVIDIA's packages put it.
function(copse_find_nvcc result)
  if(CMAKE_CUDA_COMPILER)
    set(nvcc "${CMAKE_CUDA_COMPILER}")
  elseif(DEFINED ENV{CUDACXX})
    set(nvcc "$ENV{CUDACXX}")
  else()
    find_program(nvcc nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin NO_CACHE)
  endif()
  set(${result} "${nvcc}" PARENT_SCOPE)
endfunction()

# Configures a project that only enables CUDA, because a compiler that fails in this one ends the configuration.
function(copse_try_nvcc nvcc result)
  set(folder "${PROJECT_BINARY_DIR}/CMakeFiles/copse_cuda")
  file(REMOVE_RECURSE "${folder}")
  file(WRITE "${folder}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)\nproject(copse_cuda LANGUAGES CUDA)\n")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${folder}" -B "${folder}/build" -G "${CMAKE_GENERATOR}"
            "-DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}" "-DCMAKE_CUDA_COMPILER=${nvcc}"
            "-DCMAKE_CUDA_ARCHITECTURES=${COPSE_CUDA_ARCHITECTURES}" "-DCMAKE_CUDA_FLAGS=${CMAKE_CUDA_FLAGS}"
            "-DCMAKE_CUDA_HOST_COMPILER=${CMAKE_CUDA_HOST_COMPILER}"
    OUTPUT_FILE "${folder}/log.txt" ERROR_FILE "${folder}/log.txt" RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(${result} "" PARENT_SCOPE)
  else()
    set(${result} "${nvcc} cannot compile for '${COPSE_CUDA_ARCHITECTURES}' (see ${folder}/log.txt)" PARENT_SCOPE)
  endif()
endfunction()

# Sets `reason` to why the compiler cannot be used, or to nothing.
function(copse_check_nvcc nvcc reason)
  execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE version ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT version MATCHES "release ([0-9]+\\.[0-9]+)")
    set(${reason} "${nvcc} does not run" PARENT_SCOPE)
    return()
  endif()
  set(release "${CMAKE_MATCH_1}")
  if(release VERSION_LESS COPSE_CUDA_MINIMUM)
    set(${reason} "CUDA ${release} (${nvcc}) is older than ${COPSE_CUDA_MINIMUM}" PARENT_SCOPE)
    return()
  endif()
  set(tried "${nvcc} ${release} ${COPSE_CUDA_ARCHITECTURES}")
  if(NOT COPSE_CUDA_TRIED STREQUAL tried)  # seconds, so only once for a compiler that works
    copse_try_nvcc("${nvcc}" failure)
    if(failure)
      set(${reason} "${failure}" PARENT_SCOPE)
      return()
    endif()
    set(COPSE_CUDA_TRIED "${tried}" CACHE INTERNAL "the CUDA compiler that was seen to work")
  endif()
  set(${reason} "" PARENT_SCOPE)
endfunction()

set(COPSE_HAS_CUDA OFF)
if(COPSE_CUDA)
  copse_find_nvcc(copse_nvcc)
  if(copse_nvcc)
    copse_check_nvcc("${copse_nvcc}" copse_no_cuda)
  else()
    set(copse_no_cuda "no CUDA toolkit was found")
  endif()
  if(NOT copse_no_cuda)
    set(CMAKE_CUDA_COMPILER "${copse_nvcc}")
    set(CMAKE_CUDA_ARCHITECTURES "${COPSE_CUDA_ARCHITECTURES}")
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know yet that nvcc speaks C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    find_package(CUDAToolkit ${COPSE_CUDA_MINIMUM} REQUIRED)
    include(copse_cudadevrt)
    set(COPSE_HAS_CUDA ON)
  elseif(NOT COPSE_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "copse: COPSE_CUDA is ${COPSE_CUDA}, but ${copse_no_cuda}. Install the CUDA toolkit "
                        "${COPSE_CUDA_MINIMUM} or newer, name its nvcc with -DCMAKE_CUDA_COMPILER=..., or build "
                        "without the GPU executor: -DCOPSE_CUDA=OFF")
  else()
    message(STATUS "copse: ${copse_no_cuda}: everything but the GPU executor is built")
  endif()
else()
  message(STATUS "copse: COPSE_CUDA is OFF: everything but the GPU executor is built")
endif()

# What nothing here can run need not be quick: COPSE_CUDA_IS_QUICK.
file(GLOB copse_gpus /dev/nvidia[0-9]* /dev/dxg)
set(quick "${COPSE_CUDA_QUICK}")
if(NOT COPSE_HAS_CUDA)
  set(quick OFF)
elseif(quick STREQUAL "AUTO")
  string(COMPARE EQUAL "${copse_gpus}" "" quick)
  set(COPSE_GPU_PROGRAMS_ARE_CHECKED_ONLY "${quick}")  # of tests, benchmarks, copse::device: no kernels
endif()
set(COPSE_CUDA_IS_QUICK "${quick}" CACHE INTERNAL "what COPSE_CUDA_QUICK means here; bench/kernels reads it")
if(COPSE_CUDA_IS_QUICK)
  message(STATUS "copse: the GPU code is compiled quickly and its kernels are slow (COPSE_CUDA_QUICK is "
                 "${COPSE_CUDA_QUICK}; OFF optimises)")
endif()
