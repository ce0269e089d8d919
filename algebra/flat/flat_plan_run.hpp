// Making flat plans, and the matrix that a plan multiplies with. Included where plans of a format are compiled.
#pragma once

#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/products/check_operands.hpp>
#include <copse/formats/padding_limit.hpp>
#include <copse/runtime/nvtx.hpp>
#include <memory>
#include <string>

namespace copse::detail {

/// A^T, which a plan keeps beside A.
template <class Executor, flat_format Matrix>
Matrix turned_like(Executor& executor, Matrix const& a) {
    try {
        return like(executor, a, to_csr(Matrix(a.content()).transposed()));
    } catch (too_much_padding const& e) {
        throw too_much_padding(std::string("spmv_plan: of A^T, which a plan keeps beside A: ") + e.what(),
                               e.padding_bytes(), e.limit_bytes());
    }
}

/// like(a, csr): `csr` in a's format, with a's options, in the executor's memory; a format has it beside its class.
/// parts_of(content): where the executor cuts a matrix.
template <class Executor, flat_format Matrix, class PartsOf>
std::shared_ptr<flat_plan_content<Matrix> const> make_flat_plan_in_parts(Executor& executor, Matrix const& a,
                                                                         PartsOf parts_of) {
    nvtx_range const range("copse spmv plan");
    check_space("spmv_plan", a.space(), "A", executor.memory()->space());
    Matrix const stored(a.content());
    Matrix const turned = turned_like(executor, a);
    return std::make_shared<flat_plan_content<Matrix> const>(
        flat_plan_content<Matrix>{{stored, parts_of(*stored.content())}, {turned, parts_of(*turned.content())}});
}

/// What op(A) is a product by rows of, with op(A)'s scale.
template <flat_format Matrix>
flat_direction<Matrix> const& direction_of(flat_plan<Matrix> const& plan) {
    return plan.matrix().is_transposed() ? content_of(plan)->turned : content_of(plan)->stored;
}

}  // namespace copse::detail
