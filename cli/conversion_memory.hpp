// What converting a matrix, and what is done with it then, takes of the host's memory at most.
#pragma once

#include <algorithm>
#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/algebra/with_values.hpp>
#include <copse/formats/coo.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/hisparse_sharing.hpp>
#include <copse/formats/prune.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "cli/host_peak.hpp"

namespace copse::measure {

/// Beside what was there before, the result included. Each is measured in a call of its own.
struct conversion_memory {
    std::optional<std::int64_t> convert, back, plan;
    // Of HiSparse. `values`: the first time, when places are looked up; `update`: of the plan, with such values.
    std::optional<std::int64_t> back_to_coo, values, update, edit, prune, compact;
};

/// A thousand entries that lie apart, each twice as large; of fewer all.
template <class T>
edits<T> some_edits(csr<T> const& a) {
    edits<T> changes;
    auto const step = std::max<std::int64_t>(1, a.entry_count() / 1000);
    std::int64_t row = 0;
    for (std::int64_t k = 0; k < a.entry_count(); k += step) {
        while (a.row_offsets[row + 1] <= k) ++row;
        changes.set(row, a.column_indices[k], 2 * a.values[k]);
    }
    return changes;
}

/// make(): `a` in the format, in the memory of the executor, which is the host's.
template <class T, class Executor, class Make>
conversion_memory measure_conversion_memory(Executor& executor, csr<T> const& a, Make const& make) {
    conversion_memory m;
    m.convert = host_peak_bytes_of([&] { (void)make(); });
    auto const made = make();
    m.back = host_peak_bytes_of([&] { (void)to_csr(made); });
    if constexpr (std::is_same_v<std::remove_const_t<decltype(made)>, hisparse<T>>) {
        m.plan = host_peak_bytes_of([&] { spmv_plan<T>(executor, made); });
        m.back_to_coo = host_peak_bytes_of([&] { (void)to_coo(made); });
        m.values = host_peak_bytes_of([&] { (void)with_values(executor, made, a.values); });
        std::vector<T> half_zero = a.values;
        for (std::size_t i = 0; i < half_zero.size(); i += 2) half_zero[i] = T(0);
        auto const other = with_values(executor, made, half_zero);
        m.update = host_peak_bytes_of([&, plan = spmv_plan<T>(executor, made)] { (void)update(plan, other); });
        m.prune = host_peak_bytes_of([&] { (void)prune(executor, other); });
        m.compact = host_peak_bytes_of([&] { (void)compact(made); });
        auto const changes = some_edits(a);
        m.edit = host_peak_bytes_of([&] { (void)edit(made, changes); });
    } else {
        m.plan = host_peak_bytes_of([&] { flat_plan(executor, made); });
    }
    return m;
}

}  // namespace copse::measure
