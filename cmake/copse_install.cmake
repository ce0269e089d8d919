# What `cmake --install` lays down: the static library, under include/copse/ the headers at the rooms' doors with what
# they need, the command, and the package that find_package(copse) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(COPSE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/copse")

set(copse_installed_targets copse)
if(TARGET copse_device)
  set_target_properties(copse_device PROPERTIES EXPORT_NAME device)
  set_target_properties(copse_device_separable PROPERTIES EXPORT_NAME device_separable)
  list(APPEND copse_installed_targets copse_device copse_device_separable)
endif()
install(TARGETS ${copse_installed_targets} EXPORT copse_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT copse_targets FILE copse-targets.cmake NAMESPACE copse:: DESTINATION "${COPSE_PACKAGE_DIR}")
if(TARGET copse_cli)
  install(TARGETS copse_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

install(CODE "set(COPSE_SOURCE [==[${PROJECT_SOURCE_DIR}]==])
  set(COPSE_ROOMS [==[${COPSE_ROOMS}]==])
  set(COPSE_DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/copse\")")
install(SCRIPT "${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake")

# The package looks for what this build was linked with, and for nothing else.
if(TARGET OpenMP::OpenMP_CXX)
  set(COPSE_USES_OPENMP ON)
else()
  set(COPSE_USES_OPENMP OFF)
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/copse-config.cmake.in"
  "${PROJECT_BINARY_DIR}/copse-config.cmake" INSTALL_DESTINATION "${COPSE_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/copse-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/copse-config.cmake" "${PROJECT_BINARY_DIR}/copse-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/copse_cudadevrt.cmake"
  DESTINATION "${COPSE_PACKAGE_DIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
