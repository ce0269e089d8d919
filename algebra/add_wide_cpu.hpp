// The union of two wide leaves on one core: both become lists of keys that ascend in the order of a wide leaf, and the
// lists are merged. (On a GPU the blocks are united side by side: add_wide.hpp.)
#pragma once

#include <algorithm>
#include <bit>
#include <copse/algebra/add_nodes.hpp>
#include <cstring>
#include <type_traits>

namespace copse::detail {

/// Entries of a wide leaf in its order: block row, block column, position in the block.
template <class T>
struct keyed_entries {
    std::uint32_t const* keys;
    T const* values;
    int count;
};

template <class T>
class wide_union_cpu {
  public:
    /// Memory that two leaves with so many entries together need, in bytes.
    static constexpr std::int64_t bytes(std::int64_t entries) {
        return entries * static_cast<std::int64_t>(2 * sizeof(T) + 4 * sizeof(std::uint32_t)) + 128;
    }

    /// `memory`: bytes() of both leaves' entries, at a multiple of 16.
    wide_union_cpu(std::byte* memory, leaf_order order) : free_(memory), log2_(order.dimension_log2) {}

    /// The entries as op(A) has them; `transposed`: they are stored in the order of their transpose.
    keyed_entries<T> read(wide_leaf_view<T> const& leaf, bool transposed) {
        auto* const keys = take<std::uint32_t>(leaf.count);
        if (!transposed) {
            find_keys(leaf.rows, leaf.columns, leaf.count, keys);
            return {keys, leaf.values, leaf.count};
        }
        auto* const values = take<T>(leaf.count);
        sort(leaf, keys, values);
        return {keys, values, leaf.count};
    }

    /// factor_a A + factor_b B; the number of entries.
    int merge(keyed_entries<T> const& a, T factor_a, keyed_entries<T> const& b, T factor_b) {
        keys_ = take<std::uint32_t>(a.count + b.count);
        values_ = take<T>(a.count + b.count);
        int i = 0, j = 0, n = 0;
        while (i < a.count && j < b.count) {
            std::uint32_t const ka = a.keys[i], kb = b.keys[j];
            bool const from_a = ka <= kb, from_b = kb <= ka;
            keys_[n] = from_a ? ka : kb;
            values_[n++] = only_if(from_a, factor_a * a.values[i]) + only_if(from_b, factor_b * b.values[j]);
            i += from_a ? 1 : 0;
            j += from_b ? 1 : 0;
        }
        for (; i < a.count; ++i, ++n) {
            keys_[n] = a.keys[i];
            values_[n] = factor_a * a.values[i];
        }
        for (; j < b.count; ++j, ++n) {
            keys_[n] = b.keys[j];
            values_[n] = factor_b * b.values[j];
        }
        return n;
    }

    /// Whether the rule has a wide leaf for the n entries of merge(). Most have a block each, or nearly: a few tell.
    bool stays_wide(int n) const {
        int constexpr at_once = 512;
        int blocks = 1;
        for (int first = 1; first < n && !detail::stays_wide(n, blocks); first += at_once) {
            int const last = std::min(n, first + at_once);
            int const shift = 2 * log2_;
#pragma omp simd reduction(+ : blocks)
            for (int i = first; i < last; ++i) blocks += keys_[i] >> shift != keys_[i - 1] >> shift ? 1 : 0;
        }
        return detail::stays_wide(n, blocks);
    }

    /// The leaf with the n entries of merge(), to `node` of wide_leaf_bytes(n).
    void write(int n, std::byte* node) const {
        wide_leaf_writer<T>::prepare(node, n);
        wide_leaf_writer<T> const writer(node);
        std::memcpy(writer.values(), values_, static_cast<std::size_t>(n) * sizeof(T));
        std::uint16_t* const rows = writer.rows();
        std::uint16_t* const columns = writer.columns();
        std::uint32_t const mask = (1u << log2_) - 1;
        int const log2 = log2_;
#pragma omp simd
        for (int i = 0; i < n; ++i) {
            std::uint32_t const key = keys_[i];
            std::uint32_t const row = key & mask, column = (row + (key >> log2)) & mask;
            rows[i] = static_cast<std::uint16_t>(key >> 3 * log2 << log2 | row);
            columns[i] = static_cast<std::uint16_t>((key >> 2 * log2 & mask) << log2 | column);
        }
    }

  private:
    template <class U>
    U* take(int count) {
        auto* const p = reinterpret_cast<U*>(free_);
        free_ += align_node(static_cast<std::int64_t>(count) * static_cast<std::int64_t>(sizeof(U)));
        return p;
    }

    void find_keys(std::uint16_t const* rows, std::uint16_t const* columns, int count, std::uint32_t* keys) const {
        std::uint32_t const mask = (1u << log2_) - 1;
        int const log2 = log2_;
#pragma omp simd
        for (int i = 0; i < count; ++i) {
            std::uint32_t const row = rows[i], column = columns[i];
            std::uint32_t const block = row >> log2 << log2 | column >> log2;
            keys[i] = (block << log2 | ((column - row) & mask)) << log2 | (row & mask);
        }
    }

    /// Block rows of a transposed leaf are block columns of the stored one: a stable counting sort by them leaves the
    /// blocks in order, and then each block is sorted.
    void sort(wide_leaf_view<T> const& leaf, std::uint32_t* keys, T* values) {
        struct keyed {
            std::uint32_t key;
            std::int32_t from;
        };
        int ends[257] = {};
        for (int i = 0; i < leaf.count; ++i) ++ends[(leaf.rows[i] >> log2_) + 1];
        for (int k = 1; k <= 256; ++k) ends[k] += ends[k - 1];
        find_keys(leaf.rows, leaf.columns, leaf.count, keys);
        auto* const entries = take<keyed>(leaf.count);
        for (int i = 0; i < leaf.count; ++i) entries[ends[leaf.rows[i] >> log2_]++] = {keys[i], i};
        for (int i = 0; i < leaf.count;) {
            int last = i + 1;
            while (last < leaf.count && entries[last].key >> 2 * log2_ == entries[i].key >> 2 * log2_) ++last;
            std::sort(entries + i, entries + last, [](keyed const& x, keyed const& y) { return x.key < y.key; });
            i = last;
        }
        for (int i = 0; i < leaf.count; ++i) {
            keys[i] = entries[i].key;
            values[i] = leaf.values[entries[i].from];
        }
    }

    /// The value or -0, to which every v adds up to v; without a branch that nobody can predict.
    static T only_if(bool condition, T value) {
        using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        bits const none = std::bit_cast<bits>(T(-0.0)), taken = bits{0} - static_cast<bits>(condition);
        return std::bit_cast<T>((std::bit_cast<bits>(value) & taken) | (none & ~taken));
    }

    std::byte* free_;
    int log2_;
    std::uint32_t* keys_ = nullptr;
    T* values_ = nullptr;
};

/// The union of two wide leaves as one; false, and nothing, where the rule has leaves of their own for it.
template <class T, class Worker>
bool unite_wide_on_cpu(Worker& w, addition<T> const& run, node_pair const& pair) {
    auto const leaf_a = run.a.tree.template wide_leaf<T>({pair.a, 0, 0});
    auto const leaf_b = run.b.tree.template wide_leaf<T>({pair.b, 0, 0});
    std::uint64_t const scratch =
        run.temporary.reserve(w, wide_union_cpu<T>::bytes(std::int64_t{leaf_a.count} + leaf_b.count));
    wide_union_cpu<T> leaf(run.temporary.memory + scratch, run.order());
    keyed_entries<T> const from_a = leaf.read(leaf_a, pair.a.transposed());
    keyed_entries<T> const from_b = leaf.read(leaf_b, pair.b.transposed());
    int const entries = leaf.merge(from_a, run.a.factor, from_b, run.b.factor);
    if (!leaf.stays_wide(entries)) return false;
    leaf.write(entries, place_leaf(w, run, run.reference(0, entries, node_kind::wide, 1),
                                   wide_leaf_bytes(entries, sizeof(T)), pair.result));
    return true;
}

}  // namespace copse::detail
