// oneMKL, loaded while the program runs, so that nothing is needed to build it: COPSE_MKL names the library
// libmkl_rt.so.N or the folder that holds it; without it the system's loader is asked.
#pragma once

#include <copse/runtime/error.hpp>
#include <optional>
#include <string>
#include <type_traits>

namespace copse::bench::onemkl {

/// What mkl_spblas.h and mkl_service.h declare, for the interface with indices of 4 bytes (LP64).
using handle = void*;
struct matrix_descr {
    int type = general, mode = 0, diag = 0;
    static constexpr int general = 20, symmetric = 21, upper = 41, non_unit = 50;
};
constexpr int success = 0, index_base_zero = 0, non_transpose = 10, transpose_operation = 11;
constexpr int layout_row_major = 101, layout_column_major = 102;
constexpr int interface_lp64 = 0, threading_gnu = 3;

// In the products of solvers a matrix pays off; the hint says how often it is used.
constexpr int expected_calls = 1000;

template <class T>
struct sparse_functions {
    int (*create_csr)(handle*, int, int, int, int*, int*, int*, T*);
    int (*mv)(int, T, handle, matrix_descr, T const*, T, T*);
    int (*add)(int, handle, T, handle, handle*);
    int (*export_csr)(handle, int*, int*, int*, int**, int**, int**, T**);
    int (*mm)(int, T, handle, matrix_descr, int, T const*, int, int, T, T*, int);
};

struct library {
    int (*set_interface_layer)(int);
    int (*set_threading_layer)(int);
    void (*set_num_threads)(int);
    void (*get_version_string)(char*, int);
    int (*set_mv_hint)(handle, int, matrix_descr, int);
    int (*set_mm_hint)(handle, int, matrix_descr, int, int, int);
    int (*optimize)(handle);
    int (*convert_csr)(handle, int, handle*);
    int (*order)(handle);
    int (*destroy)(handle);
    sparse_functions<float> of_float;
    sparse_functions<double> of_double;
    std::string version;

    template <class T>
    sparse_functions<T> const& of() const {
        if constexpr (std::is_same_v<T, float>)
            return of_float;
        else
            return of_double;
    }
};

/// MKL where it could be loaded; else why not.
struct loaded {
    std::optional<library> functions;
    std::string why_not;
};
/// Loaded at the first call.
loaded const& find();

/// Throws error where MKL says that the call failed.
void check(int status, char const* call);

}  // namespace copse::bench::onemkl
