// Entries as they are stored -> their positions in the leaf, and back. For sources that Highway compiles once for each
// instruction set.
#if defined(COPSE_FORMATS_DECODE_ENTRIES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_FORMATS_DECODE_ENTRIES_INL_HPP
#undef COPSE_FORMATS_DECODE_ENTRIES_INL_HPP
#else
#define COPSE_FORMATS_DECODE_ENTRIES_INL_HPP
#endif

#include <hwy/highway.h>
#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(HWY_TARGET != HWY_SCALAR, "vectors of at least 4 words of a set are read");

using position_tag = hn::ScalableTag<std::uint16_t>;

template <class Tag>
HWY_INLINE hn::Vec<Tag> load_coordinates(Tag tag, std::uint16_t const* from) {
    return hn::LoadU(tag, from);
}
template <class Tag>
HWY_INLINE hn::Vec<Tag> load_coordinates(Tag tag, std::uint8_t const* from) {
    return hn::PromoteTo(tag, hn::LoadU(hn::Rebind<std::uint8_t, Tag>(), from));
}

/// Lanes(tag) entries from i on.
template <class Tag, class Coordinate>
HWY_INLINE void decode_step(Tag tag, Coordinate const* rows, Coordinate const* columns, int i, leaf_order order,
                            std::uint16_t* to) {
    auto const mask = hn::Set(tag, static_cast<std::uint16_t>(order.mask()));
    auto const row = hn::And(load_coordinates(tag, rows + i), mask);
    auto const column = hn::And(load_coordinates(tag, columns + i), mask);
    auto const diagonal = hn::And(hn::Sub(column, row), mask);
    hn::StoreU(hn::Or(hn::ShiftLeftSame(diagonal, order.dimension_log2), row), tag, to + i);
}

/// The same from positions; `columns` is not used.
template <class Tag>
HWY_INLINE void decode_step(Tag tag, std::uint16_t const* positions, std::nullptr_t, int i, leaf_order,
                            std::uint16_t* to) {
    hn::StoreU(hn::LoadU(tag, positions + i), tag, to + i);
}

/// All of `count` entries: whole vectors, the last of which may overlap the one before; few entries by shorter ones.
template <class Row, class Column>
HWY_INLINE void decode_all(Row rows, Column columns, int count, leaf_order order, std::uint16_t* to) {
    position_tag const tag;
    hn::CappedTag<std::uint16_t, 8> const eight;
    hn::CappedTag<std::uint16_t, 1> const one;
    auto const lanes = static_cast<int>(hn::Lanes(tag)), few = static_cast<int>(hn::Lanes(eight));
    int i = 0;
    for (; i + lanes <= count; i += lanes) decode_step(tag, rows, columns, i, order, to);
    if (i == count) return;
    if (count >= lanes) return decode_step(tag, rows, columns, count - lanes, order, to);
    for (; i + few <= count; i += few) decode_step(eight, rows, columns, i, order, to);
    if (i == count) return;
    if (count >= few) return decode_step(eight, rows, columns, count - few, order, to);
    for (; i < count; ++i) decode_step(one, rows, columns, i, order, to);
}

/// The positions of single entries first .. first + count - 1 of a source.
HWY_INLINE void decode(leaf_pattern const& source, int first, int count, leaf_order order, std::uint16_t* to) {
    auto const* const bytes = static_cast<std::uint8_t const*>(source.rows);
    auto const* const words = static_cast<std::uint16_t const*>(source.rows);
    if (source.stored == leaf_pattern::coordinates::bytes)
        decode_all(bytes + first, static_cast<std::uint8_t const*>(source.columns) + first, count, order, to);
    else if (source.stored == leaf_pattern::coordinates::words)
        decode_all(words + first, static_cast<std::uint16_t const*>(source.columns) + first, count, order, to);
    else
        decode_all(words + first, nullptr, count, order, to);
}

/// Rows and columns of positions.
HWY_INLINE void encode(std::uint16_t const* HWY_RESTRICT positions, int count, leaf_order order,
                       std::uint8_t* HWY_RESTRICT rows, std::uint8_t* HWY_RESTRICT columns) {
    position_tag const tag;
    hn::Rebind<std::uint8_t, position_tag> const bytes;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    auto const mask = hn::Set(tag, static_cast<std::uint16_t>(order.mask()));
    auto const as_bytes = [&](auto v) HWY_ATTR {
        return hn::DemoteTo(bytes, hn::BitCast(hn::Rebind<std::int16_t, position_tag>(), hn::And(v, mask)));
    };
    int i = 0;
    for (; i + lanes <= count; i += lanes) {
        auto const position = hn::LoadU(tag, positions + i);
        auto const diagonal = hn::ShiftRightSame(position, order.dimension_log2);
        hn::StoreU(as_bytes(position), bytes, rows + i);
        hn::StoreU(as_bytes(hn::Add(position, diagonal)), bytes, columns + i);
    }
    for (; i < count; ++i) {
        rows[i] = static_cast<std::uint8_t>(order.row(positions[i]));
        columns[i] = static_cast<std::uint8_t>(order.column(positions[i]));
    }
}

/// One value of an entry: there are two sources, or only one.
template <bool Add, class T>
HWY_INLINE void put(T& place, T value) {
    if constexpr (Add)
        place += value;
    else
        place = value;
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
