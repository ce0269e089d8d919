# COPSE_FLAT_FORMATS: the names of the flat formats' classes and files, from the list in formats/flat_formats.hpp:
# csr_matrix;csr5;... The same file says which files a format has.
set(list_of_formats "${PROJECT_SOURCE_DIR}/formats/flat_formats.hpp")
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list_of_formats}")
file(READ "${list_of_formats}" text)
string(REGEX MATCH "using flat_matrices = List<[^;]*" text "${text}")
string(REGEX MATCHALL "[a-z0-9_]+<T>" COPSE_FLAT_FORMATS "${text}")
list(TRANSFORM COPSE_FLAT_FORMATS REPLACE "<T>" "")
if(NOT COPSE_FLAT_FORMATS)
  message(FATAL_ERROR "${list_of_formats}: no 'using flat_matrices = List<name<T>, ...>;'")
endif()

# The files of all formats, as prefix<name>suffix
function(copse_flat_files result prefix suffix)
  set(files ${COPSE_FLAT_FORMATS})
  list(TRANSFORM files PREPEND "${prefix}")
  list(TRANSFORM files APPEND "${suffix}")
  set(${result} ${files} PARENT_SCOPE)
endfunction()
