// Which leaves two trees do not share.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

struct tree_difference {
    std::vector<node> removed;  // leaves of the first tree, with their place, as stored
    std::vector<node> added;    // of the second
};

/// A leaf that is the same node at the same place in both is in neither list. Visits only nodes that differ, and their
/// children: after an edit, those on the way to it; what the host cannot read is fetched level by level. The trees have
/// the same node dimension and root level. value_bytes: of the matrices' type. Throws cuda_error.
tree_difference difference(hisparse_content const& before, hisparse_content const& after, std::int64_t value_bytes);

}  // namespace copse::detail
