# Languages, packages and compile settings that every target of the project shares.

find_package(Threads REQUIRED)
if(COPSE_STATIC)
  include(copse_static)
else()
  find_package(fmt REQUIRED)
  find_package(hwy REQUIRED)
endif()
find_package(Boost REQUIRED COMPONENTS context)
find_package(ZLIB REQUIRED)

# The thread sanitizer reports false races in libgomp, which is not instrumented: without OpenMP its pragmas are serial.
# The fuzz targets, which are serial, do without it too.
if(NOT COPSE_SANITIZE MATCHES "thread" AND NOT COPSE_FUZZ)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
endif()

if(COPSE_TESTS_ONCE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG")
endif()
if(COPSE_SANITIZE_QUICK)
  set(CMAKE_CXX_FLAGS_DEBUG "-O0")
endif()

include(copse_cuda)  # COPSE_HAS_CUDA
if(COPSE_CUDA_IS_QUICK)  # nothing runs the host's part either; nvcc hands its own -O on, behind those of -Xcompiler
  set(CMAKE_CUDA_FLAGS_RELEASE "-O0 -DNDEBUG")
endif()

# Warnings, standard and sanitizers for one target of ours.
function(copse_compile_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  if(COPSE_CPU_BASELINE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=${COPSE_CPU_BASELINE}>)
  endif()
  set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  if(NOT TARGET OpenMP::OpenMP_CXX)
    list(APPEND warnings -Wno-unknown-pragmas)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND warnings -Wno-restrict)  # g++ 12 reports overlapping copies inside std::string that cannot happen
  endif()
  if(COPSE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND warnings -Wno-array-bounds)  # the sanitizers' checks make g++ see bounds crossed that are not
  endif()
  if(COPSE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    list(APPEND warnings -Wno-pass-failed)  # loops marked as simd, which the checks keep from becoming so
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>)
  if(COPSE_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
  if(COPSE_HAS_CUDA)
    set(launcher "${PROJECT_SOURCE_DIR}/cmake/keep_ptxas_report.sh" ${CMAKE_CUDA_COMPILER_LAUNCHER})
    set_target_properties(${target} PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF
                                               CUDA_RUNTIME_LIBRARY Static
                                               CUDA_COMPILER_LAUNCHER "${launcher}")
    if(COPSE_CUDA_IS_QUICK)
      target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CUDA>:-Ofc=min;-DCOPSE_CUDA_QUICK>)
    else()
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
    endif()
    # -Wpedantic and -Wshadow stay away from nvcc: the files it generates trip them.
    set(cuda_options --extended-lambda --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_options}>")
    if(COPSE_WERROR)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>)
    endif()
  endif()
  if(COPSE_FUZZ)
    target_compile_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
  if(COPSE_SANITIZE)
    set(sanitizer_options -fsanitize=${COPSE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    if(NOT COPSE_SANITIZE_QUICK)
      list(APPEND sanitizer_options -g1)
    endif()
    target_compile_options(${target} PUBLIC "$<$<COMPILE_LANGUAGE:CXX>:${sanitizer_options}>")
    target_link_options(${target} PUBLIC -fsanitize=${COPSE_SANITIZE})
    if(COPSE_SANITIZE MATCHES "undefined")
      if(COPSE_SANITIZE_QUICK AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        # What is undefined ends in an illegal instruction, which the address sanitizer reports with the functions that
        # led there; the type of a function of another library needs a longer look.
        target_compile_options(${target} PUBLIC
          $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-trap=undefined;-fno-sanitize=function;${COPSE_SANITIZE_LESS}>)
      endif()
      # The address sanitizer sees null pointers and the ends of objects; vptr and pointer-overflow are given up.
      # Together they took a fifth of the time to compile.
      target_compile_options(${target} PUBLIC
        $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size,vptr,pointer-overflow>)
    endif()
  endif()
endfunction()

# For a folder of programs around the library, whose speed is not that of their own code: less optimisation, and none
# with a sanitizer, whose checks take longest to optimise. Device code that nothing here can run is compiled as far as
# its errors show, in two fifths of the time. Set for the folder, because a target's own -O stands in front of nvcc's on
# the host compiler's command line.
macro(copse_compile_quickly)
  if(COPSE_SANITIZE)
    set(CMAKE_CXX_FLAGS_DEBUG "-O0")
    set(COPSE_SANITIZE_LESS -fno-sanitize=alignment)  # of all checks the one that costs most
  endif()
  if(NOT COPSE_TESTS_ONCE)
    set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
  endif()
  if(NOT COPSE_CUDA_IS_QUICK)
    set(CMAKE_CUDA_FLAGS_RELEASE "-O1 -DNDEBUG")
  endif()
  if(COPSE_GPU_PROGRAMS_ARE_CHECKED_ONLY)
    string(APPEND CMAKE_CUDA_FLAGS_RELEASE " -fdevice-syntax-only")
  endif()
endmacro()

# The target's sources go to the compiler several at a time, which halves what headers cost. Names of file scope have to
# be unique in the target.
function(copse_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${COPSE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(COPSE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # which takes the sources for headers
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
endfunction()

# These go alone. What includes <..._operation.hpp>, where operations are defined, must: the others would compile all
# that they call of the operation again.
function(copse_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# The same for sources of the library, which are compiled together for sanitizers and tests/run --once.
function(copse_compile_library_alone)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY copse PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# copse_compile_cuda_together(target sources...): where the GPU code is only checked, the target's sources in CUDA,
# without those named, go to nvcc together, the library's in two parts: it takes twelve seconds to read the headers,
# more than most sources take.
# CMake's own way, as above, is for C++ only before 3.31. Comes after all sources are known.
function(copse_compile_cuda_together target)
  if(NOT COPSE_GPU_PROGRAMS_ARE_CHECKED_ONLY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(others)
  set(parts 1)
  if(target STREQUAL "copse")
    set(parts 2)
  endif()
  set(part 0)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cu$" OR source IN_LIST ARGN)
      list(APPEND others "${source}")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    string(APPEND part_${part} "#include \"${source}\"\n")
    math(EXPR part "(${part} + 1) % ${parts}")
  endforeach()
  foreach(part 0 1)
    if(part_${part})
      set(together "${CMAKE_CURRENT_BINARY_DIR}/${target}_part_${part}.cu")
      file(CONFIGURE OUTPUT "${together}" CONTENT "${part_${part}}" @ONLY)
      list(APPEND others "${together}")
    endif()
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES ${others})
endfunction()
