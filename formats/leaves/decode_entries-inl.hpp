// Entries as they are stored -> their positions, rows and columns in the leaf. For sources that Highway compiles once
// for each instruction set.
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

/// Where decoded entries go; rows may be nullptr: then columns are too, and neither is written.
struct decoded_entries {
    std::uint16_t* positions;
    std::uint16_t* rows;
    std::uint16_t* columns;
};

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
                            decoded_entries const& to) {
    auto const mask = hn::Set(tag, static_cast<std::uint16_t>(order.mask()));
    auto const row = hn::And(load_coordinates(tag, rows + i), mask);
    auto const column = hn::And(load_coordinates(tag, columns + i), mask);
    auto const diagonal = hn::And(hn::Sub(column, row), mask);
    hn::StoreU(hn::Or(hn::ShiftLeftSame(diagonal, order.dimension_log2), row), tag, to.positions + i);
    if (to.rows == nullptr) return;
    hn::StoreU(row, tag, to.rows + i);
    hn::StoreU(column, tag, to.columns + i);
}

/// The same from positions; `columns` is not used.
template <class Tag>
HWY_INLINE void decode_step(Tag tag, std::uint16_t const* positions, std::nullptr_t, int i, leaf_order order,
                            decoded_entries const& to) {
    auto const mask = hn::Set(tag, static_cast<std::uint16_t>(order.mask()));
    auto const position = hn::LoadU(tag, positions + i);
    hn::StoreU(position, tag, to.positions + i);
    if (to.rows == nullptr) return;
    hn::StoreU(hn::And(position, mask), tag, to.rows + i);
    hn::StoreU(hn::And(hn::Add(position, hn::ShiftRightSame(position, order.dimension_log2)), mask), tag,
               to.columns + i);
}

/// All of `count` entries: whole vectors, the last of which may overlap the one before; few entries by shorter ones.
template <class Row, class Column>
HWY_INLINE void decode_all(Row rows, Column columns, int count, leaf_order order, decoded_entries const& to) {
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

/// Single entries first .. first + count - 1 of a source.
HWY_INLINE void decode(leaf_pattern const& source, int first, int count, leaf_order order, decoded_entries const& to) {
    auto const* const bytes = static_cast<std::uint8_t const*>(source.rows);
    auto const* const words = static_cast<std::uint16_t const*>(source.rows);
    if (source.stored == leaf_pattern::coordinates::bytes)
        decode_all(bytes + first, static_cast<std::uint8_t const*>(source.columns) + first, count, order, to);
    else if (source.stored == leaf_pattern::coordinates::words)
        decode_all(words + first, static_cast<std::uint16_t const*>(source.columns) + first, count, order, to);
    else
        decode_all(words + first, nullptr, count, order, to);
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
