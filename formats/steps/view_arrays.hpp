// The arrays of a view (views.hpp) in an executor's memory, in the types that conversions read there: offsets of 64
// bits and columns of 32, both from 0, columns and values at multiples of 16 bytes. Arrays that are so already are
// taken as they are.
//
// primitives: csr_matrix/steps.hpp.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/csr_matrix/steps.hpp>
#include <copse/formats/from_rows/row_stretches.hpp>
#include <copse/formats/views.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace copse::detail {

/// i: index.
template <class Index>
struct convert_indices {
    index_view from;
    std::int64_t base;
    Index* to;
    std::uint32_t* broken;  // becomes 1 when an index has more bits than Index

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t const index = from[i] - base;
        to[i] = static_cast<Index>(index);
        if (to[i] != index) *broken = 1;
    }
};

/// The rows of entries. For offsets that ascend.
struct note_rows {
    ordered_entries entries;  // of a csr
    std::int32_t* rows;

    shared_stretches stretches() const { return {entries.count}; }

    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t row = 0;
        shared_stretches{entries.count}.for_each(i, [&](std::int64_t k) {
            row = entries.row_of(k, row);
            rows[k] = static_cast<std::int32_t>(row);
        });
    }
};

/// Whether the arrays are there and as long as they must be, and hold all entries; what is in them is not looked at.
template <class T>
bool is_complete(csr_view<T> const& a) {
    std::int64_t const n = a.entry_count();
    return a.options.symmetry == matrix_symmetry::general && (a.options.index_base == 0 || a.options.index_base == 1) &&
           a.row_offsets.size() == a.row_count + 1 && a.column_indices.size() == n && a.row_offsets.data() != nullptr &&
           (n == 0 || (a.column_indices.data() != nullptr && a.values.data() != nullptr));
}
template <class T>
bool is_complete(coo_view<T> const& a) {
    std::int64_t const n = a.entry_count();
    return a.options.symmetry == matrix_symmetry::general && (a.options.index_base == 0 || a.options.index_base == 1) &&
           a.rows.size() == n && a.columns.size() == n &&
           (n == 0 || (a.rows.data() != nullptr && a.columns.data() != nullptr && a.values.data() != nullptr));
}

/// Owns the copies of what had to be copied. space: of the executor's memory.
template <class Primitives>
class view_arrays {
  public:
    view_arrays(Primitives& primitives, memory_space space, view_options const& options)
        : primitives_(primitives),
          base_(options.index_base),
          is_there_(options.space == space),
          broken_(primitives.temporary(), 1) {
        primitives_.zero(broken_.data(), 1);
    }

    /// Arrays in device memory cannot be read by an executor in host memory.
    static bool reads(memory_space space, view_options const& options) {
        return options.space == space || options.space == memory_space::host;
    }

    template <class Index>
    Index const* indices(index_view given) {
        if (given.size() == 0) return nullptr;
        if (!is_there_) given = given.at(sent(given.data(), given.bytes()));
        if (given.index_bytes() == sizeof(Index) && base_ == 0 && is_aligned(given.data(), sizeof(Index) == 4 ? 16 : 8))
            return static_cast<Index const*>(given.data());
        auto* const to = room<Index>(given.size());
        primitives_.for_each(given.size(), convert_indices<Index>{given, base_, to, broken()});
        return to;
    }
    template <class T>
    T const* values(vector_view<T const> given) {
        if (given.size() == 0) return nullptr;
        if (!is_there_)
            return static_cast<T const*>(sent(given.data(), static_cast<std::size_t>(given.size()) * sizeof(T)));
        if (is_aligned(given.data(), 16)) return given.data();
        auto* const to = room<T>(given.size());
        primitives_.copy(to, given.data(), given.size());
        return to;
    }

    /// Becomes 1 in steps that find an index that is not what it must be.
    std::uint32_t* broken() {
        looked_at_ = true;
        return broken_.data();
    }
    /// Waits, unless no step has looked at an index.
    bool is_broken() const {
        std::uint32_t found = 0;
        if (looked_at_) broken_.read(0, {&found, 1});
        return found != 0;
    }

  private:
    static bool is_aligned(void const* p, std::uintptr_t bytes) {
        return reinterpret_cast<std::uintptr_t>(p) % bytes == 0;
    }

    template <class U>
    U* room(std::int64_t count) {
        return reinterpret_cast<U*>(
            copies_.emplace_back(primitives_.temporary(), count * static_cast<std::int64_t>(sizeof(U))).data());
    }
    void const* sent(void const* data, std::size_t bytes) {
        return copies_
            .emplace_back(primitives_.temporary(),
                          std::span<std::byte const>(static_cast<std::byte const*>(data), bytes))
            .data();
    }

    Primitives& primitives_;
    std::int64_t base_;
    bool is_there_;
    buffer<std::uint32_t> broken_;
    bool looked_at_ = false;
    std::vector<buffer<std::byte>> copies_;
};

/// A copy of the rows of a view in device memory, in the memory `where`. Null where an offset or a column is not what
/// it must be, or columns do not ascend: the host then sorts the rows, or says what is wrong. Waits.
template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> rows_of_view(std::shared_ptr<memory> const& where, csr_view<T> const& a,
                                                   Primitives& primitives) {
    std::int64_t const n = a.entry_count(), most = std::int64_t{1} << 31;
    if (!is_complete(a) || a.row_count < 1 || a.row_count > most || a.column_count < 1 || a.column_count > most)
        return nullptr;
    flat_content sizes;
    sizes.row_count = a.row_count;
    sizes.column_count = a.column_count;
    sizes.entry_count = n;
    sizes.where = where;
    auto const rows = make_rows_by_steps<T>(sizes, primitives);
    std::int64_t* const offsets = rows->row_offsets.data();
    buffer<std::uint32_t> const broken(primitives.temporary(), 1), marks(primitives.temporary(), (n + 3) / 4);
    primitives.zero(broken.data(), 1);
    std::int64_t const base = a.options.index_base;
    primitives.for_each(a.row_count + 1, convert_indices<std::int64_t>{a.row_offsets, base, offsets, broken.data()});
    primitives.for_each(
        n, convert_indices<std::int32_t>{a.column_indices, base, rows->column_indices.data(), broken.data()});
    primitives.copy(rows->values.data(), a.values.data(), n);
    primitives.for_each(a.row_count, check_row_offsets{a.row_count, n, offsets, broken.data()});
    ordered_entries const entries{a.row_count, a.column_count, n, offsets, rows->column_indices.data(), nullptr, {}};
    mark_pieces const look{entries, 7, marks.data(), broken.data()};
    primitives.for_each(look.quads().indices(), look);
    primitives.wait();
    std::uint32_t found = 0;
    broken.read(0, {&found, 1});
    if (found != 0) return nullptr;
    choose_kernel_by_steps(*rows, primitives);
    return rows;
}

}  // namespace copse::detail
