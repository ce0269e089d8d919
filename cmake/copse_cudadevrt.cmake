# CUDA::cudadevrt, the part of the CUDA runtime that lets kernels launch kernels: CMake's CUDAToolkit has no target for
# it. Included by our own build and by the installed package, after find_package(CUDAToolkit).
if(NOT TARGET CUDA::cudadevrt)
  find_library(COPSE_CUDADEVRT cudadevrt REQUIRED
    HINTS "${CUDAToolkit_LIBRARY_DIR}" "${CUDAToolkit_LIBRARY_ROOT}/lib64")
  mark_as_advanced(COPSE_CUDADEVRT)
  add_library(CUDA::cudadevrt STATIC IMPORTED)
  set_target_properties(CUDA::cudadevrt PROPERTIES IMPORTED_LOCATION "${COPSE_CUDADEVRT}")
  target_link_libraries(CUDA::cudadevrt INTERFACE CUDA::cudart_static)
endif()
