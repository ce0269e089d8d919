#include "bench/gpu_comparison/cusparse_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

namespace copse::bench {
namespace {

std::string loader_message() {
    char const* const message = dlerror();
    return message ? message : "unknown reason";
}

void* open_library(std::string& why) {
    // The headers that this was compiled with name the version: another one may have other enumerators.
    auto const name = fmt::format("libcusparse.so.{}", CUSPARSE_VER_MAJOR);
    std::vector<std::string> places{name};
    if (char const* const toolkit = std::getenv("CUDA_PATH"))
        places.push_back(fmt::format("{}/lib64/{}", toolkit, name));
    places.push_back("/usr/local/cuda/lib64/" + name);
    why.clear();
    for (auto const& place : places) {
        if (void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
        why += (why.empty() ? "" : "; ") + loader_message();
    }
    return nullptr;
}

template <class Function>
bool find(void* library, char const* name, Function& function, std::string& why) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function) why = loader_message();
    return function != nullptr;
}

bool find_all(void* library, cusparse_library& found, std::string& why) {
    return find(library, "cusparseCreate", found.create, why) && find(library, "cusparseDestroy", found.destroy, why) &&
           find(library, "cusparseGetVersion", found.version, why) &&
           find(library, "cusparseGetErrorString", found.error_string, why) &&
           find(library, "cusparseSetStream", found.set_stream, why) &&
           find(library, "cusparseCreateCsr", found.create_csr, why) &&
           find(library, "cusparseCreateCoo", found.create_coo, why) &&
           find(library, "cusparseCreateSlicedEll", found.create_sliced_ell, why) &&
           find(library, "cusparseDestroySpMat", found.destroy_matrix, why) &&
           find(library, "cusparseCreateDnVec", found.create_vector, why) &&
           find(library, "cusparseDestroyDnVec", found.destroy_vector, why) &&
           find(library, "cusparseSpMV_bufferSize", found.spmv_buffer_size, why) &&
           find(library, "cusparseSpMV_preprocess", found.spmv_preprocess, why) &&
           find(library, "cusparseSpMV", found.spmv, why) &&
           find(library, "cusparseCsr2cscEx2_bufferSize", found.transpose_buffer_size, why) &&
           find(library, "cusparseCsr2cscEx2", found.transpose, why) &&
           find(library, "cusparseCreateMatDescr", found.create_description, why) &&
           find(library, "cusparseDestroyMatDescr", found.destroy_description, why) &&
           find(library, "cusparseXcsrgeam2Nnz", found.count_sum, why) &&
           find(library, "cusparseScsrgeam2_bufferSizeExt", found.sum_buffer_size_float, why) &&
           find(library, "cusparseDcsrgeam2_bufferSizeExt", found.sum_buffer_size_double, why) &&
           find(library, "cusparseScsrgeam2", found.sum_float, why) &&
           find(library, "cusparseDcsrgeam2", found.sum_double, why);
}

}  // namespace

cusparse_library const* load_cusparse(std::string& why) {
    static cusparse_library found{};
    void* const library = open_library(why);
    return library && find_all(library, found, why) ? &found : nullptr;
}

}  // namespace copse::bench
