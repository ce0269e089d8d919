// The functions of cuSPARSE that we compare with, looked up when a program starts: it then also runs where the library
// cannot be loaded, and says so.
#pragma once

#include <cusparse.h>

#include <string>

namespace copse::bench {

class cusparse_library {
    struct symbol {
        void* address;
        template <class Function>
        operator Function() const {
            return reinterpret_cast<Function>(address);
        }
    };
    /// Throws cuda_error.
    symbol find(char const* name) const;

    void* library_;

  public:
    /// `library`: as dlopen() gives it. Throws cuda_error where it lacks a function.
    explicit cusparse_library(void* library) : library_(library) {}

    decltype(&::cusparseCreate) create = find("cusparseCreate");
    decltype(&::cusparseDestroy) destroy = find("cusparseDestroy");
    decltype(&::cusparseGetVersion) version = find("cusparseGetVersion");
    decltype(&::cusparseGetErrorString) error_string = find("cusparseGetErrorString");
    decltype(&::cusparseSetStream) set_stream = find("cusparseSetStream");
    decltype(&::cusparseCreateCsr) create_csr = find("cusparseCreateCsr");
    decltype(&::cusparseCreateCoo) create_coo = find("cusparseCreateCoo");
    decltype(&::cusparseCreateSlicedEll) create_sliced_ell = find("cusparseCreateSlicedEll");
    decltype(&::cusparseDestroySpMat) destroy_matrix = find("cusparseDestroySpMat");
    decltype(&::cusparseCreateDnVec) create_vector = find("cusparseCreateDnVec");
    decltype(&::cusparseDestroyDnVec) destroy_vector = find("cusparseDestroyDnVec");
    decltype(&::cusparseCreateDnMat) create_dense = find("cusparseCreateDnMat");
    decltype(&::cusparseDestroyDnMat) destroy_dense = find("cusparseDestroyDnMat");
    decltype(&::cusparseSpMM_bufferSize) spmm_buffer_size = find("cusparseSpMM_bufferSize");
    decltype(&::cusparseSpMM_preprocess) spmm_preprocess = find("cusparseSpMM_preprocess");
    decltype(&::cusparseSpMM) spmm = find("cusparseSpMM");
    decltype(&::cusparseSpMV_bufferSize) spmv_buffer_size = find("cusparseSpMV_bufferSize");
    decltype(&::cusparseSpMV_preprocess) spmv_preprocess = find("cusparseSpMV_preprocess");
    decltype(&::cusparseSpMV) spmv = find("cusparseSpMV");
    decltype(&::cusparseCsr2cscEx2_bufferSize) transpose_buffer_size = find("cusparseCsr2cscEx2_bufferSize");
    decltype(&::cusparseCsr2cscEx2) transpose = find("cusparseCsr2cscEx2");
    decltype(&::cusparseCreateMatDescr) create_description = find("cusparseCreateMatDescr");
    decltype(&::cusparseDestroyMatDescr) destroy_description = find("cusparseDestroyMatDescr");
    decltype(&::cusparseXcsrgeam2Nnz) count_sum = find("cusparseXcsrgeam2Nnz");
    decltype(&::cusparseScsrgeam2_bufferSizeExt) sum_buffer_size_float = find("cusparseScsrgeam2_bufferSizeExt");
    decltype(&::cusparseDcsrgeam2_bufferSizeExt) sum_buffer_size_double = find("cusparseDcsrgeam2_bufferSizeExt");
    decltype(&::cusparseScsrgeam2) sum_float = find("cusparseScsrgeam2");
    decltype(&::cusparseDcsrgeam2) sum_double = find("cusparseDcsrgeam2");
};

/// Null where it cannot be loaded or lacks a function; `why` then says what was tried. Searched: the loader's own
/// places (LD_LIBRARY_PATH first), then $CUDA_PATH/lib64, then /usr/local/cuda/lib64. Stays loaded.
cusparse_library const* load_cusparse(std::string& why);

}  // namespace copse::bench
