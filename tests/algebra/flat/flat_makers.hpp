// The flat formats as the tests make them, each in several forms: what flat_checks.hpp goes through.
//
// A maker:
//
//   T, Executor -> matrix    operator()<T>(executor, csr)
//   main_forms()             those that take the whole battery
//   other_forms()            those that take the cases with few rows
//   name                     of the form, for messages
//   long_row                 elements of a row that many tiles or lanes share
#pragma once

#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::tests {

struct makes_csr {
    static constexpr std::int64_t long_row = 20000;
    csr_matrix_options options = {};

    template <class T, class Executor>
    csr_matrix<T> operator()(Executor& executor, csr<T> const& a) const {
        return {executor, a, options};
    }
    static std::vector<makes_csr> main_forms() {
        return {{{.kernel = csr_kernel::row_split}},
                {{.kernel = csr_kernel::vector}},
                {{.kernel = csr_kernel::merge_path}}};
    }
    static std::vector<makes_csr> other_forms() { return {{.options = {.kernel = csr_kernel::automatic}}}; }
    std::string name() const { return "kernel " + std::to_string(static_cast<int>(options.kernel)); }
};

struct makes_csr5 {
    static constexpr std::int64_t long_row = 20000;
    csr5_options options = {};

    template <class T, class Executor>
    csr5<T> operator()(Executor& executor, csr<T> const& a) const {
        return {executor, a, options};
    }
    static std::vector<makes_csr5> main_forms() { return {{}}; }
    /// Tiles that the SIMD code takes, of every width, and others.
    static std::vector<makes_csr5> other_forms() {
        return {form(4, 16), form(8, 16), form(16, 16), form(32, 16),
                form(4, 5),  form(8, 3),  form(16, 4),  form(32, 40)};
    }
    static makes_csr5 form(int omega, int sigma) { return {{.omega = omega, .sigma = sigma}}; }
    std::string name() const {
        return "omega " + std::to_string(options.omega) + ", sigma " + std::to_string(options.sigma);
    }
};

struct makes_sellp {
    static constexpr std::int64_t long_row = 2000;
    sellp_options options = {};

    template <class T, class Executor>
    sellp<T> operator()(Executor& executor, csr<T> const& a) const {
        sellp_options without_limit = options;
        without_limit.most_padding_bytes = std::int64_t{1} << 40;
        return {executor, a, without_limit};
    }
    static std::vector<makes_sellp> main_forms() { return {{}}; }
    /// Fewer rows than a vector of a CPU or a GPU's lane has, one vector and several; workers of 32 and 64 lanes; sorted
    /// in windows of no whole slices.
    static std::vector<makes_sellp> other_forms() {
        return {shape(1, 1),      shape(2, 2),  shape(4, 8),      shape(8, 1),
                shape(8, 4, 100), shape(32, 1), shape(64, 4, 64), shape(128, 1)};
    }
    static makes_sellp shape(int slice_rows, int row_threads, std::int64_t sorting_window = 1) {
        return {{.slice_rows = slice_rows, .row_threads = row_threads, .sorting_window = sorting_window}};
    }
    std::string name() const {
        return "b " + std::to_string(options.slice_rows) + ", t " + std::to_string(options.row_threads) + ", sigma " +
               std::to_string(options.sorting_window);
    }
};

struct makes_cmrs {
    static constexpr std::int64_t long_row = 2000;
    cmrs_options options = {};

    template <class T, class Executor>
    cmrs<T> operator()(Executor& executor, csr<T> const& a) const {
        cmrs_options without_limit = options;
        without_limit.most_padding_bytes = std::int64_t{1} << 40;
        return {executor, a, without_limit};
    }
    static std::vector<makes_cmrs> main_forms() { return {form(0, false)}; }
    /// Each number of lanes for a row's sums; heights that are no powers of two; chunks with 1 to 32 entries of a row.
    static std::vector<makes_cmrs> other_forms() {
        return {form(1, false),     form(2, true),      form(6, true),      form(8, true),    form(12, false),
                form(16, false, 8), form(16, false, 1), form(3, false, 32), form(5, false, 4)};
    }
    static makes_cmrs form(int height, bool sorted, int per_row = 0) {
        return {{.height = height, .sorted = sorted, .per_row = per_row}};
    }
    std::string name() const {
        return "height " + std::to_string(options.height) + (options.sorted ? ", sorted" : "") + ", per row " +
               std::to_string(options.per_row);
    }
};

}  // namespace copse::tests
