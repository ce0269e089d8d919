#include <algorithm>
#include <array>
#include <copse/formats/cmrs_padding.hpp>
#include <copse/runtime/parallel_for.hpp>
#include <numeric>

namespace copse::detail {
namespace {

constexpr int most_height = 16;

using row_counts = std::array<std::int64_t, most_height>;

/// Cuts the rows of a strip into pieces: emit(row, place, count), places counted from the strip's beginning. Returns the
/// strip's places. Each chunk takes from the longest rows first, so that short ones are left for the gaps at the end.
template <class Emit>
std::int64_t cut_into_chunks(row_counts left, int rows, int per_row, Emit emit) {
    std::int64_t chunk = 0;
    for (auto total = std::accumulate(left.begin(), left.begin() + rows, std::int64_t{0}); total > 0; ++chunk) {
        std::uint32_t taken = 0;
        int place = 0;
        while (place < cmrs_chunk) {
            int longest = -1;
            for (int row = 0; row < rows; ++row)
                if (!(taken >> row & 1) && left[row] > 0 && (longest < 0 || left[row] > left[longest])) longest = row;
            if (longest < 0) break;
            auto const count = static_cast<int>(std::min<std::int64_t>({per_row, left[longest], cmrs_chunk - place}));
            emit(longest, chunk * cmrs_chunk + place, count);
            taken |= 1u << longest;
            left[longest] -= count;
            total -= count;
            place += count;
        }
    }
    return chunk * cmrs_chunk;
}

int rows_in(strip_shape const& shape, std::int64_t strip) {
    return static_cast<int>(std::min<std::int64_t>(shape.height, shape.row_count - strip * shape.height));
}

row_counts lengths_in(strip_shape const& shape, std::int64_t const* row_offsets, std::int64_t strip) {
    row_counts lengths{};
    auto const* const offsets = row_offsets + strip * shape.height;
    for (int row = 0; row < rows_in(shape, strip); ++row) lengths[row] = offsets[row + 1] - offsets[row];
    return lengths;
}

}  // namespace

void count_padded_places(strip_shape const& shape, std::int64_t const* row_offsets, int per_row,
                         std::int64_t* strip_offsets) {
    auto const count = shape.strip_count();
    strip_offsets[0] = 0;
    parallel_for(count, strips_at_once, [&](std::int64_t strip) {
        strip_offsets[strip + 1] = cut_into_chunks(lengths_in(shape, row_offsets, strip), rows_in(shape, strip),
                                                   per_row, [](int, std::int64_t, int) {});
    });
    std::inclusive_scan(strip_offsets, strip_offsets + count + 1, strip_offsets);
}

template <class T>
void fill_padded_places(strip_shape const& shape, std::int64_t const* row_offsets, std::int32_t const* columns,
                        T const* values, int per_row, std::int64_t const* strip_offsets, strip_entries<T> places) {
    auto const count = shape.strip_count();
    parallel_for(count, strips_at_once, [&](std::int64_t strip) {
        auto const begin = strip_offsets[strip], end = strip_offsets[strip + 1];
        std::fill(places.columns_or_words + begin, places.columns_or_words + end,
                  static_cast<std::int32_t>(cmrs_view<T>::padding));
        std::fill(places.values + begin, places.values + end, T(0));
        auto const rows = rows_in(shape, strip);
        row_counts next{};
        std::copy_n(row_offsets + strip * shape.height, rows, next.begin());
        auto const emit = [&](int row, std::int64_t place, int pieces) {
            for (int k = 0; k < pieces; ++k) {
                auto const from = next[row]++;
                auto const word = static_cast<std::uint32_t>(columns[from]) << shape.row_bits;
                places.columns_or_words[begin + place + k] =
                    static_cast<std::int32_t>(word | static_cast<unsigned>(row));
                places.values[begin + place + k] = values[from];
            }
        };
        cut_into_chunks(lengths_in(shape, row_offsets, strip), rows, per_row, emit);
    });
}

void count_padded_rows(strip_shape const& shape, std::int64_t const* strip_offsets, std::int32_t const* words,
                       std::int64_t* row_offsets) {
    auto const count = shape.strip_count();
    std::uint32_t const row_mask = (1u << shape.row_bits) - 1;
    std::fill_n(row_offsets, shape.row_count + 1, 0);
    parallel_for(count, strips_at_once, [&](std::int64_t strip) {
        for (auto k = strip_offsets[strip]; k < strip_offsets[strip + 1]; ++k) {
            auto const word = static_cast<std::uint32_t>(words[k]);
            if (word != cmrs_view<float>::padding) ++row_offsets[strip * shape.height + (word & row_mask) + 1];
        }
    });
    std::inclusive_scan(row_offsets, row_offsets + shape.row_count + 1, row_offsets);
}

template <class T>
void take_padded_rows(strip_shape const& shape, std::int64_t const* strip_offsets, std::int32_t const* words,
                      T const* place_values, std::int64_t const* row_offsets, std::int32_t* columns, T* values) {
    auto const count = shape.strip_count();
    std::uint32_t const row_mask = (1u << shape.row_bits) - 1;
    parallel_for(count, strips_at_once, [&](std::int64_t strip) {
        row_counts next{};
        std::copy_n(row_offsets + strip * shape.height, rows_in(shape, strip), next.begin());
        for (auto k = strip_offsets[strip]; k < strip_offsets[strip + 1]; ++k) {
            auto const word = static_cast<std::uint32_t>(words[k]);
            if (word == cmrs_view<T>::padding) continue;
            auto const to = next[word & row_mask]++;
            columns[to] = static_cast<std::int32_t>(word >> shape.row_bits);
            values[to] = place_values[k];
        }
    });
}

template void fill_padded_places(strip_shape const&, std::int64_t const*, std::int32_t const*, float const*, int,
                                 std::int64_t const*, strip_entries<float>);
template void fill_padded_places(strip_shape const&, std::int64_t const*, std::int32_t const*, double const*, int,
                                 std::int64_t const*, strip_entries<double>);
template void take_padded_rows(strip_shape const&, std::int64_t const*, std::int32_t const*, float const*,
                               std::int64_t const*, std::int32_t*, float*);
template void take_padded_rows(strip_shape const&, std::int64_t const*, std::int32_t const*, double const*,
                               std::int64_t const*, std::int32_t*, double*);

}  // namespace copse::detail
