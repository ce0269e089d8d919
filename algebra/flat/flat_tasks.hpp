// The tasks of every flat format, for executors with many lanes.
#pragma once

#include <copse/algebra/flat/cmrs_tasks.hpp>
#include <copse/algebra/flat/csr5_tasks.hpp>
#include <copse/algebra/flat/csr_tasks.hpp>
#include <copse/algebra/flat/sellp_tasks.hpp>
#include <copse/formats/flat_formats.hpp>
#include <tuple>

namespace copse::detail {

template <template <class...> class List>
struct flat_runs {
    template <class... Matrix>
    using of = std::tuple<typename lanes_product<Matrix>::template runs<List>...>;
};
/// For the device controller.
template <template <class...> class List>
using flat_spmv_runs =
    std::tuple<flat_matrices<float, flat_runs<List>::template of>, flat_matrices<double, flat_runs<List>::template of>>;

}  // namespace copse::detail
