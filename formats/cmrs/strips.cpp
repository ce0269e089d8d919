#include <algorithm>
#include <array>
#include <bit>
#include <copse/formats/cmrs/strips.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <utility>
#include <vector>

namespace copse::detail {
namespace {

constexpr int most_height = 16;

template <class T>
struct section_entry {
    std::uint32_t word;
    T value;
};

/// One strip's entries, in two places: sorting goes from one to the other.
template <class T>
struct strip_scratch {
    std::vector<section_entry<T>> from, to;
};

/// Two ascending rows into one. Without branches on the comparison: they are as good as random.
template <class T>
void merge(section_entry<T> const* a, section_entry<T> const* a_end, section_entry<T> const* b,
           section_entry<T> const* b_end, section_entry<T>* out) {
    while (a != a_end && b != b_end) {
        bool const second = b->word < a->word;
        *out++ = *(second ? b : a);
        b += second;
        a += !second;
    }
    std::copy(b, b_end, std::copy(a, a_end, out));
}

/// Sorts scratch.from, of which ends[0 .. rows] bound ascending rows, by merging neighbours. Words are unique.
template <class T>
void sort_rows(strip_scratch<T>& scratch, std::array<std::int64_t, most_height + 1>& ends, int rows) {
    scratch.to.resize(scratch.from.size());
    while (rows > 1) {
        int merged = 0;
        for (int row = 0; row < rows; row += 2, ++merged) {
            int const second_end = std::min(row + 2, rows);
            auto const* const from = scratch.from.data();
            merge(from + ends[row], from + ends[row + 1], from + ends[row + 1], from + ends[second_end],
                  scratch.to.data() + ends[row]);
            ends[merged + 1] = ends[second_end];
        }
        rows = merged;
        std::swap(scratch.from, scratch.to);
    }
}

template <class T>
void sort_strip(std::int64_t const* row_offsets, int rows, strip_entries<T> entries, strip_scratch<T>& scratch) {
    auto const begin = row_offsets[0], end = row_offsets[rows];
    std::array<std::int64_t, most_height + 1> ends{};
    for (int row = 0; row <= rows; ++row) ends[row] = row_offsets[row] - begin;
    scratch.from.resize(static_cast<std::size_t>(end - begin));
    for (auto k = begin; k < end; ++k)
        scratch.from[k - begin] = {static_cast<std::uint32_t>(entries.columns_or_words[k]), entries.values[k]};
    sort_rows(scratch, ends, rows);
    for (auto k = begin; k < end; ++k) {
        entries.columns_or_words[k] = static_cast<std::int32_t>(scratch.from[k - begin].word);
        entries.values[k] = scratch.from[k - begin].value;
    }
}

/// Entries of one strip by row, those of a row in the order in which they come; next[row]: where the row's next one
/// goes.
template <class T>
void group_by_row(strip_shape const& shape, std::int64_t begin, std::int64_t end, strip_entries<T> entries,
                  std::array<std::int64_t, most_height>& next, strip_scratch<T>& scratch) {
    scratch.from.resize(static_cast<std::size_t>(end - begin));
    for (auto k = begin; k < end; ++k)
        scratch.from[k - begin] = {static_cast<std::uint32_t>(entries.columns_or_words[k]), entries.values[k]};
    std::uint32_t const row_mask = (1u << shape.row_bits) - 1;
    for (auto const& entry : scratch.from) {
        auto const to = next[entry.word & row_mask]++;
        entries.columns_or_words[to] = static_cast<std::int32_t>(entry.word >> shape.row_bits);
        entries.values[to] = entry.value;
    }
}

template <class T>
void unpack_strip(strip_shape const& shape, std::int64_t strip, std::int64_t begin, std::int64_t end,
                  strip_entries<T> entries, std::int64_t* row_offsets, strip_scratch<T>& scratch) {
    std::uint32_t const row_mask = (1u << shape.row_bits) - 1;
    std::array<std::int64_t, most_height> counts{};
    std::uint32_t descents = 0, row_before = 0;
    for (auto k = begin; k < end; ++k) {
        auto const row = static_cast<std::uint32_t>(entries.columns_or_words[k]) & row_mask;
        ++counts[row];
        descents += row < row_before;
        row_before = row;
    }
    auto const first_row = strip * shape.height;
    auto const rows = std::min<std::int64_t>(shape.height, shape.row_count - first_row);
    std::array<std::int64_t, most_height> next{};
    for (std::int64_t row = 0, offset = begin; row < rows; ++row) {
        row_offsets[first_row + row] = next[row] = offset;
        offset += counts[row];
    }
    if (descents > 0) return group_by_row(shape, begin, end, entries, next, scratch);
    for (auto k = begin; k < end; ++k)
        entries.columns_or_words[k] =
            static_cast<std::int32_t>(static_cast<std::uint32_t>(entries.columns_or_words[k]) >> shape.row_bits);
}

}  // namespace

int cmrs_row_bits(std::int64_t column_count, bool padded) noexcept {
    auto const largest = column_count - (padded ? 0 : 1);
    int const column_bits = largest <= 0 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest)));
    return std::min(4, 32 - column_bits);
}

void make_strip_offsets(strip_shape const& shape, std::int64_t const* row_offsets, std::int64_t* strip_offsets) {
    auto const count = shape.strip_count();
    parallel_for(count, 1 << 14, [&](std::int64_t strip) { strip_offsets[strip] = row_offsets[strip * shape.height]; });
    strip_offsets[count] = row_offsets[shape.row_count];
}

template <class T>
void pack_strips(strip_shape const& shape, std::int64_t const* row_offsets, bool sorted, strip_entries<T> entries) {
    auto const pack = [&](strip_scratch<T>& scratch, std::int64_t strip) {
        auto const first_row = strip * shape.height;
        auto const rows = static_cast<int>(std::min<std::int64_t>(shape.height, shape.row_count - first_row));
        for (int row = 0; row < rows; ++row)
            for (auto k = row_offsets[first_row + row]; k < row_offsets[first_row + row + 1]; ++k) {
                auto const column = static_cast<std::uint32_t>(entries.columns_or_words[k]);
                entries.columns_or_words[k] =
                    static_cast<std::int32_t>(column << shape.row_bits | static_cast<std::uint32_t>(row));
            }
        if (sorted) sort_strip(row_offsets + first_row, rows, entries, scratch);
    };
    parallel_for(
        shape.strip_count(), strips_at_once, [] { return strip_scratch<T>(); }, pack);
}

template <class T>
void unpack_strips(strip_shape const& shape, std::int64_t const* strip_offsets, strip_entries<T> entries,
                   std::int64_t* row_offsets) {
    auto const unpack = [&](strip_scratch<T>& scratch, std::int64_t strip) {
        unpack_strip(shape, strip, strip_offsets[strip], strip_offsets[strip + 1], entries, row_offsets, scratch);
    };
    auto const count = shape.strip_count();
    parallel_for(
        count, strips_at_once, [] { return strip_scratch<T>(); }, unpack);
    row_offsets[shape.row_count] = strip_offsets[count];
}

template void pack_strips(strip_shape const&, std::int64_t const*, bool, strip_entries<float>);
template void pack_strips(strip_shape const&, std::int64_t const*, bool, strip_entries<double>);
template void unpack_strips(strip_shape const&, std::int64_t const*, strip_entries<float>, std::int64_t*);
template void unpack_strips(strip_shape const&, std::int64_t const*, strip_entries<double>, std::int64_t*);

}  // namespace copse::detail
