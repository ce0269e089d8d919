# Headers are included as <copse/formats/csr.hpp>, in the build tree as where the project is installed:
# the build tree holds a folder `copse` of links to the rooms.
set(COPSE_ROOMS runtime formats cpu algebra)
set(COPSE_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${COPSE_INCLUDE_DIR}/copse")
foreach(room IN LISTS COPSE_ROOMS)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${room}" "${COPSE_INCLUDE_DIR}/copse/${room}" SYMBOLIC)
endforeach()
