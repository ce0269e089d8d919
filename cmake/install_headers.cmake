# Run by `cmake --install`, with COPSE_SOURCE, COPSE_ROOMS and COPSE_DESTINATION set: the headers at the doors of the
# rooms, and of the folders below those that they include. What only sources include is not installed.
cmake_policy(VERSION 3.25)

set(headers)
foreach(room IN LISTS COPSE_ROOMS)
  file(GLOB doors RELATIVE "${COPSE_SOURCE}" "${COPSE_SOURCE}/${room}/*.hpp" "${COPSE_SOURCE}/${room}/*.cuh")
  list(APPEND headers ${doors})
endforeach()

set(todo ${headers})
while(todo)
  list(POP_FRONT todo header)
  file(STRINGS "${COPSE_SOURCE}/${header}" lines REGEX "^ *# *include <copse/[^>]+>")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*<copse/([^>]+)>.*" "\\1" included "${line}")
    if(NOT included IN_LIST headers)
      list(APPEND headers "${included}")
      list(APPEND todo "${included}")
    endif()
  endforeach()
endwhile()

foreach(header IN LISTS headers)
  get_filename_component(folder "${header}" DIRECTORY)
  file(INSTALL "${COPSE_SOURCE}/${header}" DESTINATION "${COPSE_DESTINATION}/${folder}")
endforeach()
