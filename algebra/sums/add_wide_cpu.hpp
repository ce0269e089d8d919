// The union of two nodes over leaves on one core: both become lists of keys that ascend in the order of a wide leaf,
// and the lists are merged. (On a GPU the blocks of wide leaves are united side by side: add_wide.hpp.) What becomes of
// them says add_merged_cpu.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <copse/algebra/sums/add_leaves_cpu.hpp>
#include <copse/algebra/sums/block_table.hpp>
#include <cstring>

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
    /// Memory that two nodes with so many entries together need, in bytes: what is read, with what sorts it, and what
    /// is merged, with the positions of a leaf.
    static constexpr std::int64_t bytes(std::int64_t entries) {
        std::int64_t constexpr keyed = sizeof(std::uint32_t) + sizeof(T);
        std::int64_t constexpr sorted = std::max(sizeof(place), sizeof(keyed_value));
        return entries * (2 * keyed + sorted + static_cast<std::int64_t>(sizeof(std::uint16_t))) + 160;
    }

    /// `memory`: bytes() of both nodes' entries, at a multiple of 16.
    wide_union_cpu(std::byte* memory, leaf_order order) : free_(memory), log2_(order.dimension_log2) {}

    /// The entries as op(A) has them, values as they are stored; `transposed`: they are stored in the order of their
    /// transpose.
    keyed_entries<T> read(wide_leaf_view<T> const& leaf, bool transposed) {
        auto* const keys = take<std::uint32_t>(leaf.count);
        if (!transposed) {
            find_keys(leaf.rows, leaf.columns, leaf.count, keys);
            if (!leaf.values.once()) return {keys, leaf.values.data(), leaf.count};
            auto* const same = take<T>(leaf.count);
            std::fill_n(same, leaf.count, leaf.values[0]);
            return {keys, same, leaf.count};
        }
        auto* const values = take<T>(leaf.count);
        sort(leaf, keys, values);
        return {keys, values, leaf.count};
    }

    /// Those of whole leaves, with the leaves' signs, `count` together, which for_each_leaf(f) hands to f(leaf_operand)
    /// in the order of their blocks.
    template <class Worker, class ForEachLeaf>
    keyed_entries<T> read(Worker& w, node_reader const& tree, int count, ForEachLeaf for_each_leaf) {
        auto* const keys = take<std::uint32_t>(count);
        T* const values = take<T>(count);
        auto* const between = take<keyed_value>(count);
        leaf_order const order{log2_};
        int n = 0;
        for_each_leaf([&](leaf_operand const& leaf) {
            std::uint32_t const first_key = static_cast<std::uint32_t>(leaf.position) << 2 * log2_;
            int const first = n;
            visit_operand<T, leaf_kinds::dense>(w, tree, leaf, [&](int, int row, int column, T value) {
                keys[n] = first_key | static_cast<std::uint32_t>(order.position(row, column));
                values[n++] = value;
            });
            if (leaf.reference.kind() != sparse_leaf::kind || leaf.reference.transposed())
                sort(keys + first, values + first, n - first, between);
        });
        return {keys, values, n};
    }

    /// factor_a A + factor_b B.
    keyed_entries<T> merge(keyed_entries<T> const& a, T factor_a, keyed_entries<T> const& b, T factor_b) {
        keys_ = take<std::uint32_t>(a.count + b.count);
        values_ = take<T>(a.count + b.count);
        int constexpr many = 32;
        int n = 0;
        if (a.count / many >= b.count)
            n = merge_few(a, factor_a, b, factor_b);
        else if (b.count / many >= a.count)
            n = merge_few(b, factor_b, a, factor_a);
        else
            n = merge_all(a, factor_a, b, factor_b);
        return {keys_, values_, n};
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

    /// Room for the positions of the n entries of merge() in their leaves.
    std::uint16_t* positions(int n) {
        return take<std::uint16_t>(n);
    }

    /// The leaf with the n entries of merge(), to `node`, room for a wide leaf of n.
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
    struct place {
        std::uint32_t key;
        std::int32_t from;
    };
    struct keyed_value {
        std::uint32_t key;
        T value;
    };

    template <class U>
    U* take(int count) {
        auto* const p = reinterpret_cast<U*>(free_);
        free_ += align_node(static_cast<std::int64_t>(count) * static_cast<std::int64_t>(sizeof(U)));
        return p;
    }

    /// Each step waits for the comparison of the one before, so two stretches are merged side by side; then the second
    /// moves up to the first. Not inlined: beside other loops the pointers of these do not all stay in registers.
    [[gnu::noinline]] int merge_all(keyed_entries<T> const& a, T factor_a, keyed_entries<T> const& b,
                                    T factor_b) const {
        std::uint32_t const *const keys_a = a.keys, *const keys_b = b.keys;
        T const *const values_a = a.values, *const values_b = b.values;
        std::uint32_t* const keys = keys_;
        T* const values = values_;
        std::int64_t const middle_a = a.count / 2;
        std::int64_t const middle_b = std::lower_bound(keys_b, keys_b + b.count, keys_a[middle_a]) - keys_b;
        auto const step = [&](std::int64_t& i, std::int64_t& j, std::int64_t& n) {
            std::uint32_t const ka = keys_a[i], kb = keys_b[j];
            bool const from_a = ka <= kb, from_b = kb <= ka;
            keys[n] = std::min(ka, kb);
            values[n++] = only_if(from_a, factor_a * values_a[i]) + only_if(from_b, factor_b * values_b[j]);
            i += from_a;
            j += from_b;
        };
        auto const finish = [&](std::int64_t i, std::int64_t end_i, std::int64_t j, std::int64_t end_j,
                                std::int64_t n) {
            while (i < end_i && j < end_j) step(i, j, n);
            for (; i < end_i; ++i, ++n) {
                keys[n] = keys_a[i];
                values[n] = factor_a * values_a[i];
            }
            for (; j < end_j; ++j, ++n) {
                keys[n] = keys_b[j];
                values[n] = factor_b * values_b[j];
            }
            return n;
        };
        std::int64_t const second = middle_a + middle_b;
        std::int64_t i = 0, j = 0, n = 0, high_i = middle_a, high_j = middle_b, high_n = second;
        while (true) {
            std::int64_t sure = std::min({middle_a - i, middle_b - j, a.count - high_i, b.count - high_j});
            if (sure == 0) break;
            for (; sure > 0; --sure) {
                step(i, j, n);
                step(high_i, high_j, high_n);
            }
        }
        n = finish(i, middle_a, j, middle_b, n);
        high_n = finish(high_i, a.count, high_j, b.count, high_n);
        if (n < second) {
            std::copy(keys + second, keys + high_n, keys + n);
            std::copy(values + second, values + high_n, values + n);
        }
        return static_cast<int>(n + high_n - second);
    }

    /// Many entries, and few between which long stretches of them lie.
    int merge_few(keyed_entries<T> const& many, T factor_many, keyed_entries<T> const& few, T factor_few) const {
        int i = 0, n = 0;
        auto const copy_to = [&](int last) {
            int const count = last - i;
            std::copy(many.keys + i, many.keys + last, keys_ + n);
            T const* const from = many.values + i;
            T* const to = values_ + n;
#pragma omp simd
            for (int k = 0; k < count; ++k) to[k] = factor_many * from[k];
            i += count;
            n += count;
        };
        for (int j = 0; j < few.count; ++j) {
            std::uint32_t const key = few.keys[j];
            copy_to(static_cast<int>(std::lower_bound(many.keys + i, many.keys + many.count, key) - many.keys));
            T value = factor_few * few.values[j];
            if (i < many.count && many.keys[i] == key) value += factor_many * many.values[i++];
            keys_[n] = key;
            values_[n++] = value;
        }
        copy_to(many.count);
        return n;
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
        int ends[257] = {};
        for (int i = 0; i < leaf.count; ++i) ++ends[(leaf.rows[i] >> log2_) + 1];
        for (int k = 1; k <= 256; ++k) ends[k] += ends[k - 1];
        find_keys(leaf.rows, leaf.columns, leaf.count, keys);
        auto* const entries = take<place>(leaf.count);
        for (int i = 0; i < leaf.count; ++i) entries[ends[leaf.rows[i] >> log2_]++] = {keys[i], i};
        sort_blocks(entries, leaf.count);
        for (int i = 0; i < leaf.count; ++i) {
            keys[i] = entries[i].key;
            values[i] = leaf.values[entries[i].from];
        }
    }

    /// Blocks are in order, and most have an entry or two: insertion, unless an entry goes far, and then its block is
    /// sorted as a whole.
    void sort_blocks(place* entries, int count) const {
        int constexpr far = 8;
        int const shift = 2 * log2_;
        for (int i = 1; i < count; ++i) {
            place const own = entries[i];
            int to = i;
            for (; to > 0 && entries[to - 1].key > own.key && i - to < far; --to) entries[to] = entries[to - 1];
            entries[to] = own;
            if (i - to < far) continue;
            while (to > 0 && entries[to - 1].key >> shift == own.key >> shift) --to;
            while (i + 1 < count && entries[i + 1].key >> shift == own.key >> shift) ++i;
            std::sort(entries + to, entries + i + 1, [](place x, place y) { return x.key < y.key; });
        }
    }

    /// The entries of a leaf.
    static void sort(std::uint32_t* keys, T* values, int count, keyed_value* between) {
        for (int i = 0; i < count; ++i) between[i] = {keys[i], values[i]};
        std::sort(between, between + count, [](keyed_value const& x, keyed_value const& y) { return x.key < y.key; });
        for (int i = 0; i < count; ++i) {
            keys[i] = between[i].key;
            values[i] = between[i].value;
        }
    }

    /// The value or -0, to which every v adds up to v; without a branch that nobody can predict.
    static T only_if(bool condition, T value) {
        using bits = value_word<T>;
        bits const none = std::bit_cast<bits>(T(-0.0)), taken = bits{0} - static_cast<bits>(condition);
        return std::bit_cast<T>((std::bit_cast<bits>(value) & taken) | (none & ~taken));
    }

    std::byte* free_;
    int log2_;
    std::uint32_t* keys_ = nullptr;
    T* values_ = nullptr;
};

}  // namespace copse::detail
