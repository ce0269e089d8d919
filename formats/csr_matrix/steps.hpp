// Compressed rows made by parallel steps, what the steps of all formats share: room for rows, their kernel, a copy.
//
// primitives (steps/steps_on.hpp, steps/gpu_steps.cuh), in the steps of all formats:
//   for_each(count, f)                 f(i) for each i < count, in any order
//   for_each_by_group(count, bytes, f) f(i, group) by lanes that share memory: rank(), size(), sync(), add(), memory()
//   sum_before(p, count)               p[i] <- sum of p[0 .. i)
//   sort_pairs(keys, values, b, e)     stable, by bits b .. e - 1 of the keys
//   zero(p, count), copy(to, from, count)
//   temporary()                        memory that may be given back while steps that use it are on their way
//   wait()
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <memory>

namespace copse::detail {

COPSE_HOST_DEVICE inline void set_largest_for_all(std::uint64_t* p, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
    atomicMax(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
    *p = *p < value ? value : *p;
#endif
}

struct note_longest_row {
    std::int64_t const* row_offsets;
    std::uint64_t* longest;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const {
        auto const length = static_cast<std::uint64_t>(row_offsets[row + 1] - row_offsets[row]);
        if (length > *longest) set_largest_for_all(longest, length);
    }
};

/// Sets the kernel. Waits.
template <class T, class Primitives>
void choose_kernel_by_steps(csr_content<T>& rows, Primitives& primitives) {
    buffer<std::uint64_t> const longest(primitives.temporary(), 1);
    primitives.zero(longest.data(), 1);
    primitives.for_each(rows.row_count, note_longest_row{rows.row_offsets.data(), longest.data()});
    primitives.wait();
    std::uint64_t found = 0;
    longest.read(0, {&found, 1});
    rows.kernel =
        choose_csr_kernel(rows.row_count, rows.entry_count, static_cast<std::int64_t>(found), rows.where->space());
}

/// With room for the entries; row offsets of zero.
template <class T, class Primitives>
std::shared_ptr<csr_content<T>> make_rows_by_steps(flat_content const& a, Primitives& primitives) {
    auto rows = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*rows) = a;
    rows->row_offsets = {a.where, a.row_count + 1};
    rows->column_indices = {a.where, a.entry_count};
    rows->values = {a.where, a.entry_count};
    primitives.zero(rows->row_offsets.data(), a.row_count + 1);
    return rows;
}

/// The same rows in arrays of their own, for a conversion in place of rows that somebody shares.
template <class T, class Primitives>
csr_content<T> copied(csr_content<T> const& rows, Primitives const& primitives) {
    csr_content<T> copy;
    static_cast<flat_content&>(copy) = rows;
    copy.options = rows.options;
    copy.kernel = rows.kernel;
    auto const take = [&]<class Value>(buffer<Value> const& from, buffer<Value>& to) {
        to = buffer<Value>(rows.where, from.size());
        primitives.copy(to.data(), from.data(), from.size());
    };
    take(rows.row_offsets, copy.row_offsets);
    take(rows.column_indices, copy.column_indices);
    take(rows.values, copy.values);
    return copy;
}

}  // namespace copse::detail
