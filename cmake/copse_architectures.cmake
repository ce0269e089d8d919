# Which GPU architectures a library serves that was compiled for others. Included by the installed package.

# copse_unserved_architectures(result wanted built): those in `wanted` whose GPUs cannot run what was compiled for
# `built`. A GPU runs machine code of its own major version up to its minor one, and PTX, which all but -real embeds, of
# any earlier version. Names (native, all) are not compared.
function(copse_unserved_architectures result wanted built)
  set(unserved)
  foreach(architecture IN LISTS wanted)
    if(NOT architecture MATCHES "^([0-9]+)([0-9])[af]?(-real|-virtual)?$")
      continue()
    endif()
    set(major "${CMAKE_MATCH_1}")
    set(minor "${CMAKE_MATCH_2}")
    set(served OFF)
    foreach(other IN LISTS built)
      if(NOT other MATCHES "^([0-9]+)([0-9])[af]?(-real|-virtual)?$")
        set(served ON)
      elseif("${major}${minor}" GREATER_EQUAL "${CMAKE_MATCH_1}${CMAKE_MATCH_2}"
             AND (major EQUAL CMAKE_MATCH_1 OR NOT other MATCHES "-real$"))
        set(served ON)
      endif()
    endforeach()
    if(NOT served)
      list(APPEND unserved "${architecture}")
    endif()
  endforeach()
  set(${result} "${unserved}" PARENT_SCOPE)
endfunction()

function(copse_warn_of_architectures built)
  if(NOT CMAKE_CUDA_COMPILER_LOADED)
    return()
  endif()
  copse_unserved_architectures(unserved "${CMAKE_CUDA_ARCHITECTURES}" "${built}")
  if(unserved)
    list(JOIN unserved ", " unserved)
    list(JOIN built ", " names)
    message(WARNING "copse: ${PROJECT_NAME} is compiled for GPU architecture ${unserved}, but the installed copse was "
      "built for ${names}, which such a GPU cannot run. Set CMAKE_CUDA_ARCHITECTURES to ${names}, or build and install "
      "copse with -DCOPSE_CUDA_ARCHITECTURES that names ${unserved}, too")
  endif()
endfunction()
