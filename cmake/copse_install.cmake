# What `cmake --install` lays down: the library, static or shared, under include/copse/ the headers at the rooms' doors
# with what they need, the command, and the package that find_package(copse) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(COPSE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/copse")

set(copse_installed_targets copse)
if(TARGET copse_device)
  set_target_properties(copse_device PROPERTIES EXPORT_NAME device)
  set_target_properties(copse_device_separable PROPERTIES EXPORT_NAME device_separable)
  list(APPEND copse_installed_targets copse_device copse_device_separable)
endif()
set(copse_installed_programs)
if(TARGET copse_cli)
  set(copse_installed_programs copse_cli)
  # The README's commands all build the command; with it they build whatever else is installed.
  add_dependencies(copse_cli ${copse_installed_targets})
endif()

# Comes first, so that a build that is not complete leaves no half of an installation.
set(copse_built ${copse_installed_targets} ${copse_installed_programs})
list(TRANSFORM copse_built REPLACE "(.+)" "$<TARGET_FILE:\\1>")
install(CODE "set(copse_built \"${copse_built}\")\nset(copse_build_folder \"${PROJECT_BINARY_DIR}\")")
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/copse_check_built.cmake")
if(COPSE_CUDA_IS_QUICK)
  install(CODE "message(WARNING \"copse: the GPU code was compiled quickly and its kernels are slow. To install for a \"
    \"machine with a GPU, configure with -DCOPSE_CUDA_QUICK=OFF and build again\")")
endif()

install(TARGETS ${copse_installed_targets} EXPORT copse_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT copse_targets FILE copse-targets.cmake NAMESPACE copse:: DESTINATION "${COPSE_PACKAGE_DIR}")
if(copse_installed_programs)
  file(RELATIVE_PATH copse_libraries "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  if(BUILD_SHARED_LIBS)
    set_target_properties(${copse_installed_programs} PROPERTIES INSTALL_RPATH "$ORIGIN/${copse_libraries}")
  endif()
  install(TARGETS ${copse_installed_programs} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
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
  "${PROJECT_SOURCE_DIR}/cmake/copse_cudadevrt.cmake" "${PROJECT_SOURCE_DIR}/cmake/copse_architectures.cmake"
  DESTINATION "${COPSE_PACKAGE_DIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
