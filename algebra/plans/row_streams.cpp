#include <algorithm>
#include <array>
#include <copse/algebra/plans/row_stream.hpp>
#include <copse/algebra/plans/row_streams.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <limits>
#include <span>

namespace copse::detail {
namespace {

std::size_t at(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

std::span<listed_leaf const> items_of(plan_lists const& lists, std::int64_t part) {
    std::int64_t const first = lists.parts[at(part)].first_item, last = lists.parts[at(part + 1)].first_item;
    return std::span(lists.items).subspan(at(first), at(last - first));
}

/// f(row in the part, column, value) for the entries of an item that is a list.
template <class T, class F>
void for_each_listed(node_reader const& tree, plan_part const& part, listed_leaf const& item, F f) {
    std::int64_t row = std::int64_t{item.leaf.row} - part.first_row;
    value_sign<T> const sign(item.leaf.reference);
    auto const visit = [&](auto const& leaf, int first, int last) {
        for (int k = first; k < last; ++k)
            f(static_cast<int>(row + leaf.rows[k]), item.leaf.column + leaf.columns[k], sign(leaf.values[k]));
    };
    if (item.leaf.reference.is_wide_leaf()) {
        row -= row_in_leaf(item, tree.dimension_log2());
        visit(tree.template wide_leaf<T>(item.leaf), item.first, item.last);
    } else {
        auto const leaf = tree.template sparse_leaf<T>(item.leaf);
        visit(leaf, 0, leaf.count);
    }
}

/// The part's stream without its place; none where its columns are too far apart.
template <class T>
part_stream stream_of(node_reader const& tree, plan_part const& part, std::span<listed_leaf const> items,
                      plan_shape const& shape) {
    auto const end = std::find_if_not(items.begin(), items.end(),
                                      [&](listed_leaf const& item) { return goes_by_stream(item, shape); });
    part_stream stream{0, 0, 0, static_cast<std::int32_t>(end - items.begin())};
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max(), most = 0;
    for (auto item = items.begin(); item != end; ++item)
        for_each_listed<T>(tree, part, *item, [&](int, std::uint32_t column, T) {
            least = std::min(least, column);
            most = std::max(most, column);
            ++stream.count;
        });
    if (stream.count == 0 || most - least >= 1u << stream_column_bits) return {};
    stream.column = least;
    return stream;
}

/// Stably by rows, padded by entries of the last row that count for nothing.
template <class T>
void fill(node_reader const& tree, plan_part const& part, std::span<listed_leaf const> items, part_stream const& stream,
          row_streams<T>& streams) {
    std::array<std::int64_t, replay_rows + 1> next{};
    for (listed_leaf const& item : items)
        for_each_listed<T>(tree, part, item, [&](int row, std::uint32_t, T) { ++next[at(row + 1)]; });
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    auto const put = [&](std::int64_t place, int row, std::uint32_t column, T value) {
        streams.words[at(stream.first + place)] =
            static_cast<std::uint32_t>(row) << stream_column_bits | (column - stream.column);
        streams.values[at(stream.first + place)] = value;
    };
    for (listed_leaf const& item : items)
        for_each_listed<T>(tree, part, item,
                           [&](int row, std::uint32_t column, T value) { put(next[at(row)]++, row, column, value); });
    auto const last_row = static_cast<int>(streams.words[at(stream.first + stream.count - 1)] >> stream_column_bits);
    for (std::int64_t place = stream.count; place % stream_entries_per_lane != 0; ++place)
        put(place, last_row, stream.column, T(0));
}

}  // namespace

template <class T>
row_streams<T> make_streams(node_reader const& tree, plan_lists const& lists, plan_shape const& shape) {
    row_streams<T> streams;
    std::int64_t const parts = lists.part_count();
    streams.parts.resize(at(parts));
    parallel_for(parts, 64, [&](std::int64_t i) {
        streams.parts[at(i)] = stream_of<T>(tree, lists.parts[at(i)], items_of(lists, i), shape);
    });
    std::int64_t end = 0;
    for (part_stream& stream : streams.parts) {
        stream.first = end;
        end += (stream.count + stream_entries_per_lane - 1) / stream_entries_per_lane * stream_entries_per_lane;
    }
    streams.words.resize(at(end));
    streams.values.resize(at(end));
    parallel_for(parts, 64, [&](std::int64_t i) {
        if (streams.parts[at(i)].count > 0)
            fill(tree, lists.parts[at(i)], items_of(lists, i).first(at(streams.parts[at(i)].items)),
                 streams.parts[at(i)], streams);
    });
    return streams;
}

template row_streams<float> make_streams(node_reader const&, plan_lists const&, plan_shape const&);
template row_streams<double> make_streams(node_reader const&, plan_lists const&, plan_shape const&);

}  // namespace copse::detail
