# TODO in this change: install rules
target_include_directories(copse PUBLIC $<BUILD_INTERFACE:${COPSE_INCLUDE_DIR}> $<INSTALL_INTERFACE:include>)
target_link_libraries(copse PUBLIC Threads::Threads Boost::context PRIVATE fmt::fmt)
if(TARGET OpenMP::OpenMP_CXX)
  target_link_libraries(copse PRIVATE $<BUILD_INTERFACE:OpenMP::OpenMP_CXX>)
endif()
