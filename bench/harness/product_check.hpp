// Whether y is what a product is to give, by the reference. Beside the product's own vectors this takes memory for the
// rows of op(A) that have entries, 20 bytes each in double: the sums in long double are made block by block.
#pragma once

#include <copse/formats/csr.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/harness/product.hpp"

namespace copse::bench::measure {

template <class T>
class product_check {
  public:
    /// a: A as stored; op(A) = A^T when `transposed`. `v` must outlive the check. Throws shape_error.
    product_check(csr<T> const& a, bool transposed, operands<T> const& v);

    /// max_error() of `computed`, as in cpu/reference.hpp, against alpha op(A) x + beta y, in every row.
    double error(std::span<T const> computed) const;

  private:
    expectation<T> expect_empty(std::size_t first, std::size_t count) const;
    void add_block(csr<T> const& block, bool transposed, std::span<T const> x, std::int64_t first, std::int64_t count);

    operands<T> const& v_;
    // The rows of op(A) that have entries, ascending; what y is to be there, and what it may be off by.
    std::vector<std::int32_t> rows_;
    std::vector<T> y_;
    std::vector<double> bound_;
};

/// Runs them as `take_turns` does.
template <class T>
void run_in_turn(std::vector<competitor<T>>& competitors, product_check<T> const& check, int repeats,
                 checks which = checks::every_run, memory_probe const& probe = {});

}  // namespace copse::bench::measure
