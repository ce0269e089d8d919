// Makes the streams of a plan's parts (row_stream.hpp).
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

template <class T>
struct row_streams {
    std::vector<part_stream> parts;  // as many as the lists have; empty where no part gets a stream
    std::vector<std::uint32_t> words;
    std::vector<T> values;
};

/// tree: of the host, with turned leaves. Parallel (OpenMP).
template <class T>
row_streams<T> make_streams(node_reader const& tree, plan_lists const& lists, plan_shape const& shape);

}  // namespace copse::detail
