// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
//
// A lane goes down a column. Sums are kept from before every step, and set to zero where a row begins:
//
//   before[j][i]       what column i has of its open row before entry j; before[sigma][i]: at its bottom
//
// A row that begins at entry j of column i ends the row before it, whose sum is before[j][i] and, at a column's first
// flag, what flows into the column from its left: found by a walk over the columns (the flag-carrying scan). The flags
// of all columns, one behind the other, are the tile's entries in their order: a walk over their bits finds the sums of
// the tile's rows in order. Neither walk branches on what rows look like, but for the ends of 64 bits.
#include <algorithm>
#include <bit>
#include <copse/cpu/flat/csr5_tiles.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/cpu/flat/csr5_tiles.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <hwy/highway.h>

#include <copse/cpu/flat/column_indices-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Columns of a tile that fit a vector.
template <class T, int Omega>
using column_tag = hn::CappedTag<T, Omega>;

/// x[columns[i]] in lane i. Doubles one by one: the gather instruction took 1.2 to 1.4 times as long for whole products
/// in the cache (AMD EPYC with AVX-512), and helped only where nearly every element came from the third cache.
template <class Tag, class T>
HWY_INLINE hn::Vec<Tag> gather(Tag tag, T const* HWY_RESTRICT x, std::int32_t const* HWY_RESTRICT columns) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    if constexpr (sizeof(T) == 8) {
        auto const two = [&](int i) { return _mm_loadh_pd(_mm_load_sd(x + columns[i]), x + columns[i + 1]); };
        auto const four = [&](int i) { return _mm256_insertf128_pd(_mm256_castpd128_pd256(two(i)), two(i + 2), 1); };
        if constexpr (hn::MaxLanes(tag) == 4) return hn::Vec<Tag>{four(0)};
#if HWY_TARGET <= HWY_AVX3
        if constexpr (hn::MaxLanes(tag) == 8)
            return hn::Vec<Tag>{_mm512_insertf64x4(_mm512_castpd256_pd512(four(0)), four(4), 1)};
#endif
    }
#endif
    return hn::GatherIndex(tag, x, load_indices(tag, columns));
}

/// bit_flag of columns, in words of the values' width. has_more: the first word of a column has no room for all.
template <class Tag>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<Tag>> load_flags(Tag, std::uint32_t const* descriptor, int omega, int flag_bit,
                                                         bool has_more) {
    hn::Rebind<std::uint32_t, Tag> const words;
    auto flags = hn::ShiftRightSame(hn::LoadU(words, descriptor), flag_bit);
    if (has_more) flags = hn::Or(flags, hn::ShiftLeftSame(hn::LoadU(words, descriptor + omega), 32 - flag_bit));
    if constexpr (sizeof(hn::TFromD<Tag>) == 4)
        return flags;
    else
        return hn::PromoteTo(hn::RebindToUnsigned<Tag>(), flags);
}

/// Fixed: the tiles' height where the machine code knows it, or 0. At run time the default of 16 took 0 to 3 % longer
/// in double and 8 to 10 % in float (one thread, in the cache), float's own of 18 2 to 3 %.
template <class T, int Omega, int Fixed>
class tile_multiplier {
    using flag_word = std::conditional_t<Fixed == 16, std::uint16_t, std::uint32_t>;
    using flag_and_end = std::conditional_t<(Fixed > 0), std::uint32_t, std::uint64_t>;  // Fixed < 32
    static constexpr int most_rows = Fixed > 0 ? Fixed : most_simd_sigma;

  public:
    tile_multiplier(csr5_view<T> const& a, flat_product<T> const& p)
        : a_(a), p_(p), full_tiles_(a.full_tiles()), sigma_(a.layout.sigma), tiles_ahead_(std::max(1, 512 / size())) {}

    HWY_INLINE void multiply(std::int64_t tile, open_row<T>& open) {
        prefetch(tile + tiles_ahead_);
        std::int64_t const row = a_.first_row(tile);
        bool const continues = row == open.row;
        if (continues && a_.first_row(tile + 1) == row) {  // all of it is in one row
            open.sum += sum_all(tile);
            return;
        }
        std::uint32_t const* const descriptor = a_.descriptor(tile);
        sum_columns(tile, descriptor);
        keep_flags(descriptor);
        // The first entry is flagged always: here only where it begins a row.
        if (continues) flags_[0] &= static_cast<flag_word>(~flag_word{1});
        T const left = flow_through_columns(open.sum);
        int const count = collect_sums();
        if (count > 0) write_rows(tile, row, continues, count, open);
        open.sum = left;
    }

  private:
    /// 512 entries ahead, 256 and 1024 took as long. The hardware starts anew in every page and stops where gathers
    /// miss: with this, R-MAT, equal rows of random columns and a dense row took 0.65 to 0.9 of the time (one thread,
    /// from 20 MB on), stencils and matrices in the cache as long. The elements of x a tile or two ahead, instead: no
    /// clear gain, and slower on stencils.
    HWY_INLINE void prefetch(std::int64_t tile) const {
        if (tile >= full_tiles_) return;
        prefetch_lines(a_.values + tile * size());
        prefetch_lines(a_.column_indices + tile * size());
    }
    template <class Value>
    HWY_INLINE void prefetch_lines(Value const* values) const {
        for (int k = 0; k < size(); k += static_cast<int>(64 / sizeof(Value))) __builtin_prefetch(values + k, 0, 3);
    }

    HWY_INLINE int sigma() const { return Fixed > 0 ? Fixed : sigma_; }
    HWY_INLINE int size() const { return Omega * sigma(); }
    /// The first word of a column has no room for all flags.
    HWY_INLINE bool has_more_words() const {
        return Fixed == 0 ? a_.layout.words > 1 : make_csr5_layout(Omega, Fixed).words > 1;
    }

    HWY_INLINE void keep_flags(std::uint32_t const* descriptor) {
        int const bit = a_.layout.flag_bit();
        for (int i = 0; i < Omega; ++i) flags_[i] = static_cast<flag_word>(descriptor[i] >> bit);
        if (has_more_words())
            for (int i = 0; i < Omega; ++i) flags_[i] |= static_cast<flag_word>(descriptor[Omega + i] << (32 - bit));
    }

    HWY_INLINE T sum_all(std::int64_t tile) const {
        column_tag<T, Omega> const tag;
        int const lanes = static_cast<int>(hn::Lanes(tag));
        T const* HWY_RESTRICT values = a_.values + tile * size();
        std::int32_t const* HWY_RESTRICT columns = a_.column_indices + tile * size();
        auto sums = hn::Zero(tag);
        for (int k = 0; k < size(); k += lanes)
            sums = hn::MulAdd(hn::LoadU(tag, values + k), gather(tag, p_.x, columns + k), sums);
        return hn::GetLane(hn::SumOfLanes(tag, sums));
    }

    HWY_INLINE void sum_columns(std::int64_t tile, std::uint32_t const* descriptor) {
        column_tag<T, Omega> const tag;
        hn::RebindToUnsigned<decltype(tag)> const bits;
        int const lanes = static_cast<int>(hn::Lanes(tag));
        for (int i = 0; i < Omega; i += lanes) {
            T const* HWY_RESTRICT values = a_.values + tile * size() + i;
            std::int32_t const* HWY_RESTRICT columns = a_.column_indices + tile * size() + i;
            auto const flags = load_flags(tag, descriptor + i, Omega, a_.layout.flag_bit(), has_more_words());
            auto sums = hn::Zero(tag);
            for (int j = 0; j < sigma(); ++j) {
                hn::StoreU(sums, tag, before_ + j * Omega + i);
                auto const begins = hn::TestBit(flags, hn::Set(bits, hn::TFromD<decltype(bits)>{1} << j));
                sums = hn::IfThenZeroElse(hn::RebindMask(tag, begins), sums);
                sums = hn::MulAdd(hn::LoadU(tag, values + j * Omega), gather(tag, p_.x, columns + j * Omega), sums);
            }
            hn::StoreU(sums, tag, before_ + sigma() * Omega + i);
        }
    }

    /// Adds what flows into each column at its first flag; returns what flows out of the tile.
    HWY_INLINE T flow_through_columns(T flow) {
        using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        for (int i = 0; i < Omega; ++i) {
            flag_and_end const flags = flags_[i];
            T const bottom = before_[sigma() * Omega + i];
            before_[std::countr_zero(flags | flag_and_end{1} << sigma()) * Omega + i] += flow;
            // Where the column has a flag, nothing flows through it. By bits: a branch here is mispredicted often.
            bits const through = flags == 0 ? ~bits{0} : bits{0};
            flow = bottom + std::bit_cast<T>(std::bit_cast<bits>(flow) & through);
        }
        return flow;
    }

    /// sums_: of the rows that the tile's flags end, in order. Returns how many.
    HWY_INLINE int collect_sums() {
        int constexpr width = 8 * sizeof(flag_word), together = 64 / width;
        int count = 0;
        for (int i = 0; i < Omega; i += together) {
            std::uint64_t flags;
            hwy::CopyBytes<8>(flags_ + i, &flags);
            for (; flags != 0; flags &= flags - 1) {
                int const bit = std::countr_zero(flags);
                sums_[count++] = before_[bit % width * Omega + i + bit / width];
            }
        }
        return count;
    }

    HWY_INLINE void write_rows(std::int64_t tile, std::int64_t row, bool continues, int count,
                               open_row<T>& open) const {
        // sums_[0] is that of the open row, sums_[k] of the one that flag k - 1 begins.
        open.sum = sums_[0];
        open.close(p_);
        csr5_segments const segments = a_.segments(tile);
        int const skipped = continues ? 1 : 0;  // flags whose rows do not begin in the tile
        if (!continues) fill_gap(open.row, row);
        if (segments.empty_offsets) {
            write_with_gaps(segments, skipped, count, continues ? open.row : row - 1);
        } else {
            T* const y = p_.y + row + skipped;
            T const factor = p_.factor, beta = p_.beta;
            if (beta == T(0))
                for (int k = 0; k < count - 1; ++k) y[k] = factor * sums_[k + 1];
            else
                for (int k = 0; k < count - 1; ++k) y[k] = factor * sums_[k + 1] + beta * y[k];
        }
        open.row = segments.row(skipped + count - 1);
    }
    void write_with_gaps(csr5_segments const& segments, int skipped, int count, std::int64_t before) const {
        for (int k = 0; k < count; ++k) {
            std::int64_t const row = segments.row(skipped + k);
            fill_gap(before, row);
            if (k < count - 1) p_.write(row, sums_[k + 1]);
            before = row;
        }
    }
    /// Rows between `before` and `row` have no entries. before < 0: nothing is known of those.
    void fill_gap(std::int64_t before, std::int64_t row) const {
        if (before < 0) return;
        for (std::int64_t i = before + 1; i < row; ++i) p_.write_empty(i);
    }

    csr5_view<T> const& a_;
    flat_product<T> const& p_;
    std::int64_t const full_tiles_;
    int const sigma_;
    std::int64_t const tiles_ahead_;
    alignas(64) T before_[(most_rows + 1) * Omega];
    alignas(64) T sums_[most_rows * Omega];
    alignas(64) flag_word flags_[Omega];
};

template <class T, int Omega, int Fixed>
void multiply_tiles_of(csr5_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p,
                       open_row<T>& open) {
    tile_multiplier<T, Omega, Fixed> multiplier(a, p);
    for (std::int64_t tile = first; tile < last; ++tile) multiplier.multiply(tile, open);
}

template <class T, int Omega>
void multiply_tiles(csr5_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p,
                    open_row<T>& open) {
    if (a.layout.sigma == 16) return multiply_tiles_of<T, Omega, 16>(a, first, last, p, open);
    if constexpr (sizeof(T) == 4)
        if (a.layout.sigma == 18) return multiply_tiles_of<T, Omega, 18>(a, first, last, p, open);
    multiply_tiles_of<T, Omega, 0>(a, first, last, p, open);
}

template <class T>
void multiply(csr5_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p,
              open_row<T>& open) {
    switch (a.layout.omega) {
        case 4:
            return multiply_tiles<T, 4>(a, first, last, p, open);
        case 8:
            return multiply_tiles<T, 8>(a, first, last, p, open);
        case 16:
            return multiply_tiles<T, 16>(a, first, last, p, open);
        default:
            return multiply_tiles<T, 32>(a, first, last, p, open);
    }
}

void multiply_float(csr5_view<float> const& a, std::int64_t first, std::int64_t last, flat_product<float> const& p,
                    open_row<float>& open) {
    multiply(a, first, last, p, open);
}
void multiply_double(csr5_view<double> const& a, std::int64_t first, std::int64_t last, flat_product<double> const& p,
                     open_row<double>& open) {
    multiply(a, first, last, p, open);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

}  // namespace

template <>
void multiply_csr5_tiles(csr5_view<float> const& a, std::int64_t first, std::int64_t last, flat_product<float> const& p,
                         open_row<float>& open) {
    HWY_DYNAMIC_DISPATCH(multiply_float)(a, first, last, p, open);
}
template <>
void multiply_csr5_tiles(csr5_view<double> const& a, std::int64_t first, std::int64_t last,
                         flat_product<double> const& p, open_row<double>& open) {
    HWY_DYNAMIC_DISPATCH(multiply_double)(a, first, last, p, open);
}

}  // namespace copse::detail
#endif  // HWY_ONCE
