// What converting a matrix, and what is done with it then, takes of memory at most.
#pragma once

#include <algorithm>
#include <copse/algebra/compact.hpp>
#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/algebra/with_values.hpp>
#include <copse/formats/coo.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_coo.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/prune.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "cli/memory_peak.hpp"

namespace copse::measure {

/// Beside what was there before, the result included. Each is measured in a call of its own.
struct conversion_memory {
    std::optional<memory_peak> convert, back, plan;
    // Of HiSparse. `values`: the first time, when places are looked up; `update`: of the plan, with such values.
    std::optional<memory_peak> back_to_coo, values, update, edit, prune, compact;
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

/// make(): `a` in the format, in the memory of the executor. The way back is the host's, but a gpu's to its own memory.
template <class T, class Executor, class Make>
conversion_memory measure_conversion_memory(Executor& executor, csr<T> const& a, Make const& make) {
    auto const peak_of = [&](auto const& work) { return memory_peak_of(executor, work); };
    conversion_memory m;
    m.convert = peak_of([&] { (void)make(); });
    auto const made = make();
    m.back = peak_of([&] {
        if constexpr (std::is_same_v<Executor, gpu> && requires { to_csr_matrix(executor, made); })
            (void)to_csr_matrix(executor, made);
        else
            (void)to_csr(made);
    });
    if constexpr (std::is_same_v<std::remove_const_t<decltype(made)>, hisparse<T>>) {
        m.plan = peak_of([&] { spmv_plan<T>(executor, made); });
        m.back_to_coo = peak_of([&] {
            if constexpr (std::is_same_v<Executor, gpu>)
                (void)to_coo(executor, made);
            else
                (void)to_coo(made);
        });
        buffer<T> const values(executor, a.values);
        m.values = peak_of([&] { (void)with_values(executor, made, values.view()); });
        std::vector<T> half_zero = a.values;
        for (std::size_t i = 0; i < half_zero.size(); i += 2) half_zero[i] = T(0);
        auto const other = with_values(executor, made, buffer<T>(executor, half_zero).view());
        m.update = peak_of([&, plan = spmv_plan<T>(executor, made)] { (void)update(plan, other); });
        m.prune = peak_of([&] { (void)prune(executor, other); });
        m.compact = peak_of([&] { (void)compact(executor, made); });
        auto const changes = some_edits(a);
        m.edit = peak_of([&] { (void)edit(made, changes); });
    } else {
        m.plan = peak_of([&] { flat_plan(executor, made); });
    }
    return m;
}

}  // namespace copse::measure
