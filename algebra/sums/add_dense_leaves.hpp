// Unions of two dense leaves of which one has all d x d entries, by lanes that work together: what the sum is, and where
// each entry goes, is known at once. (On one core: add_dense_cpu.hpp.)
#pragma once

#include <array>
#include <copse/algebra/sums/addition.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

COPSE_HOST_DEVICE inline bool is_dense_leaf(leaf_part const& part) {
    return part.count > 0 && part.reference.kind() == dense_leaf::kind;
}

/// Whether add_dense_leaves does this pair.
COPSE_HOST_DEVICE inline bool is_full_union(leaf_part const& a, leaf_part const& b, int dimension) {
    int const full = dimension * dimension;
    return is_dense_leaf(a) && is_dense_leaf(b) && (a.count == full || b.count == full);
}

/// What a dense leaf adds to places k .. k + N - 1 of the union, k a multiple of N: -0, which changes nothing, where it has
/// no entry.
template <int N, class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE std::array<T, N> dense_addends(Worker& w, dense_leaf_view<T> const& leaf, T factor,
                                                              int k) {
    int const log2 = leaf.dimension_log2, mask = (1 << log2) - 1;
    std::array<T, N> addends;
    if (leaf.transposed) {
        COPSE_UNROLL
        for (int j = 0; j < N; ++j) {  // the next rows want what else is in these lines: they may stay
            int const place = ((k + j) & mask) << log2 | (k + j) >> log2;
            T const value = in_global_memory(leaf.values)[place];
            addends[static_cast<std::size_t>(j)] = leaf.is_entry(place) ? factor * value : T(-0.0);
        }
    } else {
        std::array<T, N> const values = w.template load_stream_vector<N>(leaf.values + k);
        std::uint32_t const entries = leaf.entries_from(k);
        COPSE_UNROLL
        for (std::size_t j = 0; j < N; ++j) addends[j] = (entries >> j & 1) != 0 ? factor * values[j] : T(-0.0);
    }
    return addends;
}

/// Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void add_dense_leaves(Worker& w, addition<T> const& run, child_reference a,
                                                           child_reference b, child_reference* result) {
    int constexpr wide = static_cast<int>(16 / sizeof(T)), at_once = 2;
    static_assert(64 * 64 % (at_once * wide * Worker::size()) == 0);  // of every d x d
    int const places = 1 << (2 * run.a.tree.dimension_log2());
    auto const of_a = run.a.tree.template dense_leaf<T>({a, 0, 0}), of_b = run.b.tree.template dense_leaf<T>({b, 0, 0});
    leaf_shape const shape = dense_leaf::shape(places);
    std::uint64_t const offset =
        run.nodes.reserve(w, dense_leaf::bytes(shape, run.a.tree.dimension(), sizeof(T)));
    T* const c = dense_leaf::values<T>(run.nodes.memory + offset);
    COPSE_NO_UNROLL
    for (int first = wide * w.rank(); first < places; first += at_once * wide * w.size()) {
        std::array<T, wide> sums[at_once];
        COPSE_UNROLL
        for (int i = 0; i < at_once; ++i) {
            int const k = first + i * wide * w.size();
            sums[i] = dense_addends<wide>(w, of_a, run.a.factor, k);
            std::array<T, wide> const more = dense_addends<wide>(w, of_b, run.b.factor, k);
            COPSE_UNROLL
            for (std::size_t j = 0; j < wide; ++j) sums[i][j] += more[j];
        }
        COPSE_UNROLL
        for (int i = 0; i < at_once; ++i) w.store_vector(c + first + i * wide * w.size(), sums[i]);
    }
    if (w.rank() == 0) *result = run.reference(offset, shape);
    w.sync();
}

}  // namespace copse::detail
