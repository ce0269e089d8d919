// oneMKL's inspector-executor for sparse matrices: its developer reference for C, "Inspector-executor Sparse BLAS
// Routines". Loaded while the program runs, so that nothing is needed to build it: COPSE_MKL names the library
// libmkl_rt.so.N or the folder that holds it; without it the system's loader is asked.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <type_traits>

#include "bench/peers/peers.hpp"

namespace copse::bench {
namespace {

namespace fs = std::filesystem;

// What mkl_spblas.h and mkl_service.h declare, for the interface with indices of 4 bytes (LP64).
using handle = void*;
struct matrix_descr {
    int type = general, mode = 0, diag = 0;
    static constexpr int general = 20, symmetric = 21, upper = 41, non_unit = 50;
};
constexpr int success = 0, index_base_zero = 0, non_transpose = 10, transpose_operation = 11;
constexpr int interface_lp64 = 0, threading_gnu = 3;

// In the products of solvers a matrix pays off; the hint says how often it is used.
constexpr int expected_calls = 1000;

template <class T>
struct sparse_functions {
    int (*create_csr)(handle*, int, int, int, int*, int*, int*, T*);
    int (*mv)(int, T, handle, matrix_descr, T const*, T, T*);
};

struct mkl_library {
    int (*set_interface_layer)(int);
    int (*set_threading_layer)(int);
    void (*set_num_threads)(int);
    void (*get_version_string)(char*, int);
    int (*set_mv_hint)(handle, int, matrix_descr, int);
    int (*optimize)(handle);
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

void check(int status, char const* call) {
    if (status != success) throw error(fmt::format("MKL: {} failed with code {}", call, status));
}

/// libmkl_rt.so, or libmkl_rt.so.N with the largest N, in the folder.
std::string library_in(fs::path const& folder) {
    std::string best;
    std::error_code failure;
    for (auto const& entry : fs::directory_iterator(folder, failure))
        if (entry.path().filename().string().starts_with("libmkl_rt.so")) best = std::max(best, entry.path().string());
    if (best.empty()) throw error(fmt::format("no libmkl_rt.so is in COPSE_MKL={}", folder.string()));
    return best;
}

void* open_library() {
    std::vector<std::string> names{"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"};
    if (char const* const named = std::getenv("COPSE_MKL"); named != nullptr && *named != '\0')
        names = {fs::is_directory(named) ? library_in(named) : std::string(named)};
    for (auto const& name : names)
        if (void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    char const* const why = names.size() == 1 ? ::dlerror() : nullptr;
    throw error(why ? why : "libmkl_rt.so was not found");
}

/// MKL ends the process where it misses one of the libraries that it loads in its turn: they lie beside it, with the
/// same number behind their names.
void check_companions(void* library) {
    link_map const* map = nullptr;
    if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) throw error("libmkl_rt.so cannot be asked where it lies");
    auto const path = fs::canonical(map->l_name);
    auto const name = path.filename().string();
    auto const number = name.substr(std::min(name.find(".so"), name.size()));
    for (auto const* part : {"libmkl_core", "libmkl_intel_lp64", "libmkl_gnu_thread"}) {
        auto const companion = path.parent_path() / (part + number);
        if (!fs::exists(companion)) throw error(companion.string() + " is missing");
    }
}

template <class Function>
void find(void* library, char const* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr) throw error(fmt::format("libmkl_rt.so has no {}", name));
}

/// "oneMKL 2026.2-Product" of "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build 20260915 for ..."
std::string short_version(std::string const& text) {
    std::string const before = "Version ";
    auto const begin = text.find(before);
    if (begin == text.npos) return text;
    auto const number = text.substr(begin + before.size());
    return "oneMKL " + number.substr(0, number.find(' '));
}

/// Layers are chosen before the first call that does work: GNU's OpenMP, which this program uses as well, so that no
/// second set of threads spins while the other competitors run.
mkl_library load() {
    void* const library = open_library();
    check_companions(library);
    mkl_library mkl;
    find(library, "MKL_Set_Interface_Layer", mkl.set_interface_layer);
    find(library, "MKL_Set_Threading_Layer", mkl.set_threading_layer);
    find(library, "MKL_Set_Num_Threads", mkl.set_num_threads);
    find(library, "MKL_Get_Version_String", mkl.get_version_string);
    find(library, "mkl_sparse_set_mv_hint", mkl.set_mv_hint);
    find(library, "mkl_sparse_optimize", mkl.optimize);
    find(library, "mkl_sparse_destroy", mkl.destroy);
    find(library, "mkl_sparse_s_create_csr", mkl.of_float.create_csr);
    find(library, "mkl_sparse_d_create_csr", mkl.of_double.create_csr);
    find(library, "mkl_sparse_s_mv", mkl.of_float.mv);
    find(library, "mkl_sparse_d_mv", mkl.of_double.mv);
    mkl.set_interface_layer(interface_lp64);
    mkl.set_threading_layer(threading_gnu);
    std::array<char, 200> text{};
    mkl.get_version_string(text.data(), static_cast<int>(text.size()) - 1);
    mkl.version = short_version(text.data());
    return mkl;
}

struct loaded {
    std::optional<mkl_library> functions;
    std::string why_not;
};

loaded const& find_mkl() {
    static loaded const found = []() -> loaded {
        try {
            return {load(), ""};
        } catch (std::exception const& e) {
            return {std::nullopt, e.what()};
        }
    }();
    return found;
}

template <class T>
class mkl_product final : public host_product<T> {
  public:
    /// a: what.a, or its upper half.
    mkl_product(mkl_library const& mkl, problem<T> const& what, csr<T> const& a, matrix_descr descr, int threads)
        : host_product<T>({}, what),
          mkl_(mkl),
          descr_(descr),
          operation_(what.transpose && descr.type == matrix_descr::general ? transpose_operation : non_transpose) {
        double const seconds = seconds_of([&] { convert(a); });
        double const optimize_seconds = seconds_of([&] { optimize(); });
        // What MKL was given; what it keeps beside that it does not say.
        auto const bytes = std::ssize(offsets_) * 4 + std::ssize(columns_) * static_cast<std::int64_t>(4 + sizeof(T));
        this->record =
            describe(what, descr.type == matrix_descr::general ? "mkl" : "mkl-symmetric", bytes, threads, seconds);
        this->record.m.plan_seconds = optimize_seconds;
        this->record.m.mode = "optimized";
    }
    ~mkl_product() override { mkl_.destroy(a_); }

    void multiply() override {
        check(mkl_.of<T>().mv(operation_, T(1), a_, descr_, this->x_.data(), T(0), this->y_.data()), "mkl_sparse_mv");
    }

  private:
    /// The matrix borrows the arrays.
    void convert(csr<T> const& a) {
        offsets_ = numbers_as<int>(a.row_offsets);
        columns_ = a.column_indices;
        values_ = a.values;
        check(mkl_.of<T>().create_csr(&a_, index_base_zero, static_cast<int>(a.row_count),
                                      static_cast<int>(a.column_count), offsets_.data(), offsets_.data() + 1,
                                      columns_.data(), values_.data()),
              "mkl_sparse_create_csr");
    }
    void optimize() {
        check(mkl_.set_mv_hint(a_, operation_, descr_, expected_calls), "mkl_sparse_set_mv_hint");
        check(mkl_.optimize(a_), "mkl_sparse_optimize");
    }

    mkl_library const& mkl_;
    matrix_descr descr_;
    int operation_;
    std::vector<int> offsets_;
    std::vector<int> columns_;
    std::vector<T> values_;
    handle a_ = nullptr;
};

template <class T>
std::unique_ptr<product<T>> multiply(problem<T> const& what, int threads) {
    check_32_bit_indices(what.a);
    auto const& mkl = find_mkl().functions.value();
    mkl.set_num_threads(threads);
    return std::make_unique<mkl_product<T>>(mkl, what, what.a, matrix_descr{}, threads);
}

/// The entries on the diagonal and above. None if the matrix is not symmetric.
template <class T>
std::optional<csr<T>> upper_half(csr<T> const& a) {
    if (a.row_count != a.column_count) return std::nullopt;
    csr<T> upper{a.row_count, a.column_count, {0}, {}, {}};
    auto const at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    for (std::int64_t i = 0; i < a.row_count; ++i) {
        for (std::int64_t k = a.row_offsets[at(i)]; k < a.row_offsets[at(i + 1)]; ++k) {
            std::int32_t const j = a.column_indices[at(k)];
            auto const first = a.column_indices.begin() + a.row_offsets[at(j)],
                       end = a.column_indices.begin() + a.row_offsets[at(std::int64_t{j} + 1)];
            auto const image = std::lower_bound(first, end, static_cast<std::int32_t>(i));
            if (image == end || *image != i || a.values[at(image - a.column_indices.begin())] != a.values[at(k)])
                return std::nullopt;
            if (j < i) continue;
            upper.column_indices.push_back(j);
            upper.values.push_back(a.values[at(k)]);
        }
        upper.row_offsets.push_back(std::ssize(upper.values));
    }
    return upper;
}

template <class T>
std::unique_ptr<product<T>> multiply_symmetric(problem<T> const& what, int threads) {
    check_32_bit_indices(what.a);
    auto const upper = upper_half(what.a);
    if (!upper) return nullptr;
    auto const& mkl = find_mkl().functions.value();
    mkl.set_num_threads(threads);
    matrix_descr const descr{matrix_descr::symmetric, matrix_descr::upper, matrix_descr::non_unit};
    return std::make_unique<mkl_product<T>>(mkl, what, *upper, descr, threads);
}

}  // namespace

template <class T>
peer<T> mkl_peer() {
    auto const& found = find_mkl();
    if (!found.functions)
        return {"mkl", std::nullopt,
                "MKL (" + found.why_not + "; bench/run --peers installs it, or COPSE_MKL names its folder)", false};
    return {.format = "mkl",
            .version = found.functions->version,
            .adds = false,
            .products = {{"mkl", multiply<T>}, {"mkl-symmetric", multiply_symmetric<T>}}};
}

template peer<float> mkl_peer();
template peer<double> mkl_peer();

}  // namespace copse::bench
