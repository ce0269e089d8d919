// Wide leaves, turned.
//
// A wide leaf's entries are sorted by blocks of rows. Seen transposed they are not, and no owner of rows could take its
// entries without looking at all: for a direction in which a wide leaf is transposed, a plan has a copy of it, turned.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace copse::detail {

struct turned_leaf {
    child_reference original;  // transposed, as a direction sees it
    child_reference turned;
    std::int64_t places;  // where the leaf stands in the matrix: in each one direction sees it turned
};
/// By stored_key() of the original.
using turned_map = std::unordered_map<std::uint64_t, turned_leaf>;

struct turned_leaves {
    std::vector<std::byte> nodes;  // of the arena whose number was given; on the host
    turned_map map;
};

/// Of `directions`, each a list of leaves as an operation sees them, the wide ones that are transposed in it; in each
/// direction one after the other by rows. `stored` has fetched them. T: type of the values. Parallel (OpenMP).
/// Throws shape_error when they take more than 64 GiB.
template <class T>
turned_leaves turn(node_fetcher const& stored, std::vector<std::vector<node> const*> const& directions, int arena);

/// Those of `map` that are in the arena with this number, each at its place in `nodes`. `stored` has fetched the
/// originals.
template <class T>
void write_turned(node_fetcher const& stored, turned_map const& map, int arena, std::byte* nodes);

}  // namespace copse::detail
