# copse_add_operation(folder/name [header...] [NO_TASKS] [WITH header...]): an operation of a room, compiled for every
# executor.
#
# <room>/folder/name_operation.hpp defines it, and says what is compiled of it (runtime/executor.hpp has an example):
#
#   ... name(Executor& executor, ...) { if constexpr (!can_run_on<Executor>) refuse_without_cuda("name"); else ... }
#   template <any_executor Executor, class... Types>     // Types: of values, float and double
#   struct compiled_name { static constexpr auto functions = std::make_tuple(&name<Types, Executor>...); };
#   template <template <class...> class List>
#   using name_runs = std::tuple<List<tasks...>, ...>;      // the tasks of each run(), as run() gets them
#
# From these come the instances for cpu and emulated, for gpu by nvcc, and for the device controller; without a CUDA
# toolkit the gpu's instances throw. With NO_TASKS it runs no tasks of its own. The headers, by default
# name_operation.hpp, are what the device controller's source includes. All sources include those of WITH, as
# <copse/header>, too.
set(COPSE_VALUE_TYPES "float, double")

function(copse_add_operation operation)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_TASKS" "" "WITH")
  file(RELATIVE_PATH room "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  get_filename_component(name "${operation}" NAME)
  set(definition "copse/${room}/${operation}_operation.hpp")
  set(instances "${CMAKE_CURRENT_BINARY_DIR}/${operation}")
  string(REPLACE "/" "_" anchor "${room}/${operation}_device")
  set(device_includes "#include <${definition}>")
  if(arg_UNPARSED_ARGUMENTS)
    list(TRANSFORM arg_UNPARSED_ARGUMENTS REPLACE "(.+)" "#include <copse/${room}/\\1>" OUTPUT_VARIABLE device_includes)
    string(REPLACE ";" "\n" device_includes "${device_includes}")
  endif()

  set(with "${arg_WITH}")
  list(TRANSFORM with REPLACE "(.+)" "#include <copse/\\1>")
  string(REPLACE ";" "\n" with "${with}")

  file(CONFIGURE OUTPUT "${instances}.cpp" @ONLY CONTENT [[
@with@
#include <@definition@>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
template struct copse::detail::compiled_@name@<copse::cpu, @COPSE_VALUE_TYPES@>;
template struct copse::detail::compiled_@name@<copse::emulated, @COPSE_VALUE_TYPES@>;
]])
  target_sources(copse PRIVATE "${instances}.cpp")
  copse_compile_library_alone("${instances}.cpp")
  set(types "${COPSE_VALUE_TYPES}")
  set(absent)
  if(NOT COPSE_HAS_CUDA)
    set(absent "${types}")
  elseif(COPSE_GPU_PROGRAMS_ARE_CHECKED_ONLY AND COPSE_TESTS_ONCE)  # tests/run --once where no GPU is: double's suffice
    set(absent float)
    set(types double)
  endif()
  if(absent)
    set_property(GLOBAL APPEND_STRING PROPERTY copse_absent "${with}\n#include <${definition}>\n")
    set_property(GLOBAL APPEND_STRING PROPERTY copse_absent_instances
      "template struct copse::detail::compiled_${name}<copse::gpu, ${absent}>;\n")
  endif()
  if(NOT COPSE_HAS_CUDA)
    return()
  endif()
  file(CONFIGURE OUTPUT "${instances}.cu" @ONLY CONTENT [[
@with@
#include <@definition@>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>
template struct copse::detail::compiled_@name@<copse::gpu, @types@>;
]])
  target_sources(copse PRIVATE "${instances}.cu")
  if(arg_NO_TASKS)
    return()
  endif()
  file(CONFIGURE OUTPUT "${instances}_device.cu" @ONLY CONTENT [[
@with@
@device_includes@
#include <copse/runtime/gpu_device_controller.cuh>
extern "C" {
int copse_anchor_@anchor@ = 0;
}
static copse::detail::@name@_runs<copse::register_device_controller> const registered_@name@;
]])
  copse_add_device_source("${instances}_device.cu" ${anchor})
endfunction()

# After all operations: the gpu's instances that throw, in one source, so that the headers are read once.
function(copse_add_absent_operations)
  get_property(includes GLOBAL PROPERTY copse_absent)
  get_property(instances GLOBAL PROPERTY copse_absent_instances)
  if(NOT instances)
    return()
  endif()
  set(source "${PROJECT_BINARY_DIR}/absent_operations.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
@includes@
#include <copse/runtime/gpu.hpp>
@instances@
]])
  target_sources(copse PRIVATE "${source}")
  set_source_files_properties("${source}" TARGET_DIRECTORY copse PROPERTIES
    COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
