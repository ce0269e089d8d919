// The flat formats as the tests make them, each in several forms: what flat_checks.hpp goes through.
//
//   makes<csr5<double>> make{{.omega = 8}};
//   csr5<float> a = make.operator()<float>(executor, rows);
//
// A format whose options have forms worth testing has forms_of<its options> here; others are made as {} makes them.
#pragma once

#include <copse/formats/flat_formats.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::tests {

/// Options of a format to test it with.
///   main()      are tried with every matrix of the battery
///   others()    are tried with the matrices of few rows
///   name()      says in messages which they are
///   long_row    entries enough for one row to be shared by many tiles or lanes
template <class Options>
struct forms_of {
    static constexpr std::int64_t long_row = 2000;
    static std::vector<Options> main() { return {{}}; }
    static std::vector<Options> others() { return {}; }
    static std::string name(Options const&) { return ""; }
};

template <>
struct forms_of<csr_matrix_options> {
    using options = csr_matrix_options;
    static constexpr std::int64_t long_row = 20000;
    static std::vector<options> main() {
        return {{.kernel = csr_kernel::row_split}, {.kernel = csr_kernel::vector}, {.kernel = csr_kernel::merge_path}};
    }
    static std::vector<options> others() { return {{}}; }
    static std::string name(options const& o) { return "kernel " + std::to_string(static_cast<int>(o.kernel)); }
};

template <>
struct forms_of<csr5_options> {
    using options = csr5_options;
    static constexpr std::int64_t long_row = 20000;
    static std::vector<options> main() { return {{}}; }
    /// Tiles that the SIMD code takes, of every width, and others.
    static std::vector<options> others() {
        return {{4, 16}, {8, 16}, {16, 16}, {32, 16}, {4, 5}, {8, 3}, {16, 4}, {32, 40}};
    }
    static std::string name(options const& o) {
        return "omega " + std::to_string(o.omega) + ", sigma " + std::to_string(o.sigma);
    }
};

template <>
struct forms_of<sellp_options> {
    using options = sellp_options;
    static constexpr std::int64_t long_row = 2000;
    static std::vector<options> main() { return {{}}; }
    /// Fewer rows than a vector of a CPU or a GPU's lane has, one vector and several; workers of 32 and 64 lanes;
    /// sorted in windows of no whole slices.
    static std::vector<options> others() {
        return {{1, 1}, {2, 2}, {4, 8}, {8, 1}, {8, 4, 100}, {32, 1}, {64, 4, 64}, {128, 1}};
    }
    static std::string name(options const& o) {
        return "b " + std::to_string(o.slice_rows) + ", t " + std::to_string(o.row_threads) + ", sigma " +
               std::to_string(o.sorting_window);
    }
};

template <>
struct forms_of<cmrs_options> {
    using options = cmrs_options;
    static constexpr std::int64_t long_row = 2000;
    static std::vector<options> main() { return {{.sorted = false}}; }
    /// Each number of lanes for a row's sums; heights that are no powers of two; chunks with 1 to 32 entries of a row;
    /// long strips cut, with 256 sums and with 512, sorted, padded.
    static std::vector<options> others() {
        return {{1, false},
                {2, true},
                {6, true},
                {8, true},
                {12, false},
                {16, false, 8},
                {16, false, 1},
                {3, false, 32},
                {5, false, 4},
                {7, true, 0, {}, 40},
                {16, false, 0, {}, 64},
                {5, false, 4, {}, 32}};
    }
    static std::string name(options const& o) {
        return "height " + std::to_string(o.height) + (o.sorted.value_or(false) ? ", sorted" : "") + ", per row " +
               std::to_string(o.per_row) + ", stretch " + std::to_string(o.stretch);
    }
};

/// Format<T> for a Matrix that is Format<something>.
template <class Matrix, class T>
struct with_values_in;
template <template <class> class Format, class Value, class T>
struct with_values_in<Format<Value>, T> {
    using type = Format<T>;
};

template <class Matrix>
struct makes {
    using options_type = typename Matrix::options_type;
    using forms = forms_of<options_type>;
    static constexpr std::int64_t long_row = forms::long_row;
    options_type options = {};

    template <class T, class Executor>
    auto operator()(Executor& executor, csr<T> const& a) const {
        return typename with_values_in<Matrix, T>::type(executor, a, without_limit());
    }
    options_type without_limit() const {
        options_type all = options;
        if constexpr (requires { all.most_padding_bytes; }) all.most_padding_bytes = std::int64_t{1} << 40;
        return all;
    }
    static std::vector<makes> main_forms() { return of(forms::main()); }
    static std::vector<makes> other_forms() { return of(forms::others()); }
    std::string name() const { return forms::name(options); }

  private:
    static std::vector<makes> of(std::vector<options_type> const& all) {
        std::vector<makes> made;
        for (options_type const& one : all) made.push_back(makes{one});
        return made;
    }
};
using makes_csr = makes<csr_matrix<double>>;
using makes_csr5 = makes<csr5<double>>;
using makes_sellp = makes<sellp<double>>;
using makes_cmrs = makes<cmrs<double>>;

}  // namespace copse::tests
