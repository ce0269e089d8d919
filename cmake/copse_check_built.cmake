# Run by `cmake --install` before all else: ends it where something that is to be installed is not built.
# copse_built: the files; copse_build_folder.
set(missing)
foreach(file IN LISTS copse_built)
  if(NOT EXISTS "${file}")
    string(APPEND missing "  ${file}\n")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "Nothing was installed, because this is not built:\n\n${missing}\n"
    "Build it first:\n\n  cmake --build \"${copse_build_folder}\"\n")
endif()
