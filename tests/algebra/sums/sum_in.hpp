// Sums by an executor with another memory, compiled once for all tests: each instance takes as long as a large test.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/memory.hpp>
#include <memory>
#include <type_traits>

namespace copse::tests {

/// Where a sum's nodes go, and what it needs in between.
struct sum_memory {
    std::shared_ptr<memory> own;
    std::shared_ptr<memory> in_between;
};

/// alpha A + beta B by the tasks of add(), on a cpu or an emulated executor.
template <class T, class Executor>
hisparse<T> sum_in(Executor& executor, sum_memory const& where, std::type_identity_t<T> alpha, hisparse<T> const& a,
                   std::type_identity_t<T> beta, hisparse<T> const& b);

}  // namespace copse::tests
