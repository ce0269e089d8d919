#include <algebra/products.hpp>
#include <copse/cpu/reference.hpp>
#include <cstddef>
#include <limits>

namespace copse::tests {

std::vector<product_case> const& product_cases() {
    static std::vector<product_case> const cases{
        {false, 1, 0}, {true, 1, 0}, {false, 2, 0.5, 1, 64},    {true, -0.75, 1, 3, 64},
        {false, 0, 2}, {true, 0, 0}, {false, -1, 1, -0.5, 256}, {true, 2, -3, 1, 256},
    };
    return cases;
}

factor_cases const& all_factors() {
    constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    static factor_cases const cases{{
                                        {false, inf, 0},
                                        {true, inf, 0.5},
                                        {false, -inf, 1},
                                        {true, -inf, 0},
                                        {false, nan, 0.5},
                                        {true, nan, 0},
                                        {false, inf, inf},
                                        {true, inf, -inf},
                                        {false, 2, -inf},
                                        {true, -1, nan},
                                        {false, 2, 0, inf},
                                        {true, -0.5, 1, inf},
                                        {false, 2, 0.5, nan},
                                        {true, 1, 0, -inf},
                                        {false, inf, 2, 0},
                                        {true, 0x1p1000, 0, 0x1p1000},
                                    },
                                    {
                                        {false, 0, 2, inf},
                                        {true, -1, 0, 0},
                                        {false, 2, 0.5, 0},
                                        {true, 0, 0.5, nan},
                                        {false, 1e-200, 1, 1e-200},
                                        {true, 0, 0, -inf},
                                    }};
    return cases;
}

factor_cases factors_in_turn(std::size_t k) {
    auto const& [not_finite, zero] = all_factors();
    std::size_t const pair = 2 * k % not_finite.size();
    return {{not_finite[pair], not_finite[pair + 1]}, {zero[k % zero.size()]}};
}

namespace {

template <class T>
T small_whole_number(std::size_t i) {
    return static_cast<T>((i * 2654435761u >> 7) % 4) - 1;  // -1, 0, 1, 2
}

/// The factor of a product of which alpha is not 0 is 0: the reference would not read the matrix.
template <class T>
csr<T> times_zero(csr<T> a) {
    for (T& value : a.values) value *= T(0);
    return a;
}

}  // namespace

template <class T>
std::vector<T> output_before(std::int64_t size, T beta, special_values special) {
    std::vector<T> y(static_cast<std::size_t>(size), std::numeric_limits<T>::quiet_NaN());
    value_source value(99);
    if (beta != 0)
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] = special == special_values::whole_numbers ? small_whole_number<T>(i + 3) : static_cast<T>(value());
    return y;
}

template <class T>
std::vector<T> input_vector(std::int64_t size, special_values special) {
    std::vector<T> x(static_cast<std::size_t>(size));
    value_source value(7);
    for (T& element : x) element = static_cast<T>(value());
    if (special == special_values::whole_numbers)
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = small_whole_number<T>(i);
    if (special == special_values::nan_and_infinity_in_x) {
        // Element 0 too: padding that is not masked has coordinates 0, 0.
        for (std::size_t i = 0; i < x.size(); i += 41) x[i] = std::numeric_limits<T>::quiet_NaN();
        for (std::size_t i = 9; i < x.size(); i += 53) x[i] = std::numeric_limits<T>::infinity();
    }
    return x;
}

template <class T>
expected_product<T>::expected_product(csr<T> const& a, product_case const& c, special_values special)
    : which_(c),
      x_(input_vector<T>(c.transposed ? a.row_count : a.column_count, special)),
      before_(output_before(c.transposed ? a.column_count : a.row_count, static_cast<T>(c.beta), special)),
      expected_(before_) {
    auto const alpha = static_cast<T>(c.alpha), beta = static_cast<T>(c.beta);
    T const factor = alpha == 0 ? T(0) : alpha * scale();
    bool const is_zero = factor == 0 && alpha != 0;
    T const by = is_zero ? T(1) : factor;
    csr<T> const& times = is_zero ? times_zero(a) : a;
    reference::spmv<T>(by, times, c.transposed, x_, beta, expected_);
    if (special == special_values::whole_numbers)
        bound_.assign(before_.size(), 0);
    else
        bound_ = reference::spmv_error_bound<T>(by, times, c.transposed, x_, beta, before_);
}

template <class T>
void expected_product<T>::check_result(std::vector<T> const& y, std::string const& what) const {
    EXPECT_LE(reference::max_error<T>(y, expected_, bound_), 1)
        << what << (which_.transposed ? ", transposed" : "") << ", alpha " << which_.alpha << ", beta " << which_.beta
        << ", scale " << which_.scale << (sizeof(T) == 4 ? ", float" : ", double");
}

template std::vector<float> output_before(std::int64_t, float, special_values);
template std::vector<double> output_before(std::int64_t, double, special_values);
template std::vector<float> input_vector(std::int64_t, special_values);
template std::vector<double> input_vector(std::int64_t, special_values);
template class expected_product<float>;
template class expected_product<double>;

}  // namespace copse::tests
