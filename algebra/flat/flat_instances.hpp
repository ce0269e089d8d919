// What of spmv() and flat_plan is instantiated for a flat format, in one place for all executors.
//
//   COPSE_FLAT_FORMAT(cpu, csr5)       in csr5_spmv.cpp, behind the definitions (flat_host.hpp)
//   COPSE_FLAT_GPU_FORMATS()           in flat_spmv.cu: every format, and products that do not wait
#pragma once

#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>

#define COPSE_FLAT_MATRIX(executor, matrix, T)                                                      \
    template run_report spmv(executor&, T, matrix const&, vector_view<T const>, T, vector_view<T>); \
    template flat_plan<matrix>::flat_plan(executor&, matrix const&);                                \
    template void spmv(executor&, T, flat_plan<matrix> const&, vector_view<T const>, T, vector_view<T>)

#define COPSE_FLAT_FORMAT(executor, format)            \
    COPSE_FLAT_MATRIX(executor, format<float>, float); \
    COPSE_FLAT_MATRIX(executor, format<double>, double)

#define COPSE_FLAT_ASYNC(matrix, T)                                                            \
    template void spmv_async(gpu&, T, matrix const&, vector_view<T const>, T, vector_view<T>); \
    template void spmv_async(gpu&, T, flat_plan<matrix> const&, vector_view<T const>, T, vector_view<T>)

#define COPSE_FLAT_GPU_FORMAT(format)       \
    COPSE_FLAT_FORMAT(gpu, format);         \
    COPSE_FLAT_ASYNC(format<float>, float); \
    COPSE_FLAT_ASYNC(format<double>, double)

#define COPSE_FLAT_GPU_FORMATS()       \
    COPSE_FLAT_GPU_FORMAT(csr_matrix); \
    COPSE_FLAT_GPU_FORMAT(csr5);       \
    COPSE_FLAT_GPU_FORMAT(sellp);      \
    COPSE_FLAT_GPU_FORMAT(cmrs)
