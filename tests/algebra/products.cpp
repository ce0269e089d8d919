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

template <class T>
std::vector<T> output_before(std::int64_t size, T beta) {
    std::vector<T> y(static_cast<std::size_t>(size), std::numeric_limits<T>::quiet_NaN());
    value_source value(99);
    if (beta != 0)
        for (T& element : y) element = static_cast<T>(value());
    return y;
}

template <class T>
std::vector<T> input_vector(std::int64_t size, special_values special) {
    std::vector<T> x(static_cast<std::size_t>(size));
    value_source value(7);
    for (T& element : x) element = static_cast<T>(value());
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
      before_(output_before(c.transposed ? a.column_count : a.row_count, static_cast<T>(c.beta))),
      expected_(before_) {
    auto const alpha = static_cast<T>(c.alpha) * scale(), beta = static_cast<T>(c.beta);
    reference::spmv<T>(alpha, a, c.transposed, x_, beta, expected_);
    bound_ = reference::spmv_error_bound<T>(alpha, a, c.transposed, x_, beta, before_);
}

template <class T>
void expected_product<T>::check_result(std::vector<T> const& y, std::string const& what) const {
    EXPECT_LE(reference::max_error<T>(y, expected_, bound_), 1)
        << what << (which_.transposed ? ", transposed" : "") << ", alpha " << which_.alpha << ", beta " << which_.beta
        << ", scale " << which_.scale << (sizeof(T) == 4 ? ", float" : ", double");
}

template std::vector<float> output_before(std::int64_t, float);
template std::vector<double> output_before(std::int64_t, double);
template std::vector<float> input_vector(std::int64_t, special_values);
template std::vector<double> input_vector(std::int64_t, special_values);
template class expected_product<float>;
template class expected_product<double>;

}  // namespace copse::tests
