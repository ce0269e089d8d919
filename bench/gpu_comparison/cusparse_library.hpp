// The functions of cuSPARSE that we compare with, looked up when a program starts: it then also runs where the library
// cannot be loaded, and says so.
#pragma once

#include <cusparse.h>

#include <string>

namespace copse::bench {

struct cusparse_library {
    decltype(&::cusparseCreate) create;
    decltype(&::cusparseDestroy) destroy;
    decltype(&::cusparseGetVersion) version;
    decltype(&::cusparseGetErrorString) error_string;
    decltype(&::cusparseSetStream) set_stream;
    decltype(&::cusparseCreateCsr) create_csr;
    decltype(&::cusparseCreateCoo) create_coo;
    decltype(&::cusparseCreateSlicedEll) create_sliced_ell;
    decltype(&::cusparseDestroySpMat) destroy_matrix;
    decltype(&::cusparseCreateDnVec) create_vector;
    decltype(&::cusparseDestroyDnVec) destroy_vector;
    decltype(&::cusparseSpMV_bufferSize) spmv_buffer_size;
    decltype(&::cusparseSpMV_preprocess) spmv_preprocess;
    decltype(&::cusparseSpMV) spmv;
    decltype(&::cusparseCsr2cscEx2_bufferSize) transpose_buffer_size;
    decltype(&::cusparseCsr2cscEx2) transpose;
    decltype(&::cusparseCreateMatDescr) create_description;
    decltype(&::cusparseDestroyMatDescr) destroy_description;
    decltype(&::cusparseXcsrgeam2Nnz) count_sum;
    decltype(&::cusparseScsrgeam2_bufferSizeExt) sum_buffer_size_float;
    decltype(&::cusparseDcsrgeam2_bufferSizeExt) sum_buffer_size_double;
    decltype(&::cusparseScsrgeam2) sum_float;
    decltype(&::cusparseDcsrgeam2) sum_double;
};

/// Null where it cannot be loaded or lacks a function; `why` then says what was tried. Searched: the loader's own
/// places (LD_LIBRARY_PATH first), then $CUDA_PATH/lib64, then /usr/local/cuda/lib64. Stays loaded.
cusparse_library const* load_cusparse(std::string& why);

}  // namespace copse::bench
