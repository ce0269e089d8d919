// What a sum may do one way or the other. The defaults are what add() does; measurements take others.
#pragma once

#include <copse/algebra/add.hpp>

namespace copse::detail {

struct sum_choices {
    // In lanes: the tasks that make C's nodes count them; else a run of their own does when they are there (an H200:
    // 0.05 ms of stencil27:64's 0.88, 0.26 of circuit:1000000's 13.5). Not yet timed.
    bool counts_at_once = true;
};

/// add(), as chosen. Throws what it throws.
template <class T, any_executor Executor>
hisparse<T> add_as_chosen(Executor& executor, T alpha, hisparse<T> const& a, T beta, hisparse<T> const& b,
                          add_options options, sum_choices const& choices);

}  // namespace copse::detail
