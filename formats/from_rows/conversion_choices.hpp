// What a conversion to HiSparse by many lanes may do one way or the other. The defaults are what conversions do;
// measurements take others.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>

namespace copse::detail {

struct conversion_choices {
    // Leaves are written before they have their places, into temporary memory with room for them as lists, and then
    // copied: no leaf is measured by reading its entries once more. Trees without wide leaves only. Not yet timed.
    bool fill_first = false;
};

/// The matrix that hisparse(executor, a, options) is, made as chosen: for measurements. Throws what that throws.
template <class T, lanes_executor Executor>
hisparse<T> convert_as_chosen(Executor& executor, csr_view<T> const& a, hisparse_options options,
                              conversion_choices const& choices);

}  // namespace copse::detail
