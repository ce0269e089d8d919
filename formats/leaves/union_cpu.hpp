// What the unions of leaves on one core have in common: small_union_cpu.hpp, large_union_cpu.hpp. Each has a state of
// its own, and its functions are compiled once for each instruction set (union_cpu-inl.hpp).
#pragma once

#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/leaf_sources.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

/// State: begins with a pointer to its `memory_type`, a leaf_order and a leaf_shape.
template <class State>
class union_cpu {
  public:
    /// `memory`: nobody else's until the leaf is written.
    union_cpu(typename State::memory_type& memory, leaf_order order) : state_{&memory, order, {}} {}

    /// One or two sources, each with any position at most once.
    leaf_shape shape(std::span<leaf_pattern const> sources, std::int64_t value_bytes);

    /// After shape(), for the same sources: writes all of the leaf to `node`, leaf_bytes() of the shape.
    template <class T>
    void write(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values, std::byte* node) const;

    /// Instead of shape(): the number of entries, as part of a wide leaf.
    int count(std::span<leaf_pattern const> sources);

    /// After count(), for the same sources: writes the entries to their place.
    template <class T>
    void write_part(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values,
                    wide_part_place const& place) const;

  private:
    State state_;
};

}  // namespace copse::detail
