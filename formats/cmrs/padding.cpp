#include <algorithm>
#include <array>
#include <copse/formats/cmrs/padding.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <numeric>

namespace copse::detail {
namespace {

constexpr int most_height = strip_rows::most;

using row_counts = std::array<std::int64_t, most_height>;

int rows_in(strip_shape const& shape, std::int64_t strip) {
    return static_cast<int>(std::min<std::int64_t>(shape.height, shape.row_count - strip * shape.height));
}

}  // namespace

void count_padded_places(strip_shape const& shape, std::int64_t const* row_offsets, int per_row,
                         std::int64_t* strip_offsets) {
    auto const count = shape.strip_count();
    strip_offsets[0] = 0;
    parallel_for(count, strips_at_once, [&](std::int64_t strip) {
        strip_offsets[strip + 1] = cut_into_chunks(rows_of_strip(shape, row_offsets, strip), per_row,
                                                   [](int, std::int64_t, int, std::uint32_t) {})
                                       .places;
    });
    std::inclusive_scan(strip_offsets, strip_offsets + count + 1, strip_offsets);
}

template <class T>
void fill_padded_places(padded_from<T> const& from, std::int64_t const* strip_offsets, strip_entries<T> places) {
    parallel_for(from.shape.strip_count(), strips_at_once, [&](std::int64_t strip) {
        auto const begin = strip_offsets[strip], end = strip_offsets[strip + 1];
        std::fill(places.columns_or_words + begin, places.columns_or_words + end,
                  static_cast<std::int32_t>(cmrs_view<T>::padding));
        std::fill(places.values + begin, places.values + end, T(0));
        auto const tail = fill_before_tail(from, strip, begin, places);
        for (auto at = tail.place; tail.left > 0 && at < end - begin; ++at)
            fill_or_clear_place(from, strip, tail, begin, at, places);
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

template void fill_padded_places(padded_from<float> const&, std::int64_t const*, strip_entries<float>);
template void fill_padded_places(padded_from<double> const&, std::int64_t const*, strip_entries<double>);
template void take_padded_rows(strip_shape const&, std::int64_t const*, std::int32_t const*, float const*,
                               std::int64_t const*, std::int32_t*, float*);
template void take_padded_rows(strip_shape const&, std::int64_t const*, std::int32_t const*, double const*,
                               std::int64_t const*, std::int32_t*, double*);

}  // namespace copse::detail
