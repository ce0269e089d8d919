// Products of CSR and SELL-P with several columns on one executor against the reference.
#pragma once

#include <algebra/columns/columns.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::tests {

template <class Matrix, class Executor>
void check_flat(Executor& executor, battery_case const& c, product_case const& p, columns_shape const& s,
                typename Matrix::options_type const& options = {}, special_values special = special_values::none) {
    using T = typename Matrix::value_type;
    csr<T> const a = to_csr(with_values_of<T>(c.matrix));
    Matrix const stored = scaled(Matrix(executor, a, options), static_cast<T>(p.scale));
    Matrix const op = p.transposed ? transposed(stored) : stored;
    expected_columns<T, T> const expected(a, p, s, special);
    expected.check(
        executor, [&](T alpha, dense_view<T> x, T beta, dense_view<T> y) { spmm(executor, alpha, op, x, beta, y); },
        c.name + ", " + Matrix::name);
    flat_plan<Matrix> const plan(executor, transposed(op));
    expected.check(
        executor,
        [&](T alpha, dense_view<T> x, T beta, dense_view<T> y) { spmm(executor, alpha, transposed(plan), x, beta, y); },
        c.name + ", plan of " + Matrix::name);
}

inline constexpr sellp_options padded{.most_padding_bytes = std::int64_t{1} << 40};
inline constexpr sellp_options sorted{
    .slice_rows = 4, .row_threads = 2, .sorting_window = 64, .most_padding_bytes = std::int64_t{1} << 40};

template <class Executor>
void check_all_flat(Executor& executor, std::vector<battery_case> const& cases) {
    auto const& shapes = columns_shapes();
    std::size_t turn = 0;
    for (battery_case const& c : cases) {
        columns_shape const& s = shapes[c.matrix.values.size() > 20000 ? turn % 4 : turn * 7 % shapes.size()];
        product_case const& p = product_cases()[turn * 3 % product_cases().size()];
        if (turn % 2 == 0) {
            check_flat<csr_matrix<double>>(executor, c, p, s);
            check_flat<sellp<float>>(executor, c, p, s, turn % 4 == 0 ? padded : sorted);
        } else {
            check_flat<csr_matrix<float>>(executor, c, p, s);
            check_flat<sellp<double>>(executor, c, p, s, turn % 4 == 1 ? padded : sorted);
        }
        check_flat<sellp<double>>(executor, c, {turn % 2 == 0, 2, 0}, s, turn % 3 == 0 ? padded : sorted,
                                  special_values::nan_and_infinity_in_x);
        ++turn;
    }
}
template <class Executor>
void check_flat_factors(Executor& executor, std::vector<battery_case> const& cases) {
    std::size_t turn = 0;
    for (battery_case const& c : cases) {
        auto const factors = factors_in_turn(turn);
        columns_shape const& s = columns_shapes()[turn++ * 3 % columns_shapes().size()];
        for (product_case const& p : factors.not_finite) {
            check_flat<csr_matrix<double>>(executor, c, p, s, {}, special_values::whole_numbers);
            check_flat<sellp<double>>(executor, c, p, s, padded, special_values::whole_numbers);
        }
        for (product_case const& p : factors.zero)
            check_flat<sellp<double>>(executor, c, p, s, sorted, special_values::nan_and_infinity_in_x);
    }
}

}  // namespace copse::tests
