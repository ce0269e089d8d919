// The members of union_cpu<union_state>, by the functions of the source that includes this at its end: they are
// compiled once for each instruction set, and the best that the machine has is chosen at run time. The source has
//
//   union_state                                            the state's type, in copse::detail
//   count_entries(state, sources)                          and in its anonymous HWY_NAMESPACE, for float and double:
//   find_shape(state, sources, value_bytes)
//   write_streaks(state, leaf_writer<T>)                      where streaks stand
//   write_entries<Add>(state, sources, values, writer)     everything else; Add: there are two sources
//   write_part(state, sources, values, wide_part_place)
#if defined(COPSE_FORMATS_UNION_CPU_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_FORMATS_UNION_CPU_INL_HPP
#undef COPSE_FORMATS_UNION_CPU_INL_HPP
#else
#define COPSE_FORMATS_UNION_CPU_INL_HPP
#endif

#include <hwy/highway.h>
#include <copse/formats/leaves/leaf_union_cpu.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

template <class T>
void write_leaf(union_state const& state, std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values,
                std::byte* node) {
    serial_worker w;
    leaf_writer<T> const writer(node, state.shape, state.order);
    writer.prepare(w);
    if (writer.has_streaks()) write_streaks(state, writer);
    if (sources.size() == 1) return write_entries<false>(state, sources, values, writer);
    writer.fill(w, T(-0.0));  // -0 + v is v for every v: no source needs to know which entries the other has
    write_entries<true>(state, sources, values, writer);
}

void write_leaf_float(union_state const& state, std::span<leaf_pattern const> sources,
                      std::span<leaf_values<float> const> values, std::byte* node) {
    write_leaf(state, sources, values, node);
}
void write_leaf_double(union_state const& state, std::span<leaf_pattern const> sources,
                       std::span<leaf_values<double> const> values, std::byte* node) {
    write_leaf(state, sources, values, node);
}
void write_part_float(union_state const& state, std::span<leaf_pattern const> sources,
                      std::span<leaf_values<float> const> values, wide_part_place const& place) {
    write_part(state, sources, values, place);
}
void write_part_double(union_state const& state, std::span<leaf_pattern const> sources,
                       std::span<leaf_values<double> const> values, wide_part_place const& place) {
    write_part(state, sources, values, place);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(count_entries);
HWY_EXPORT(find_shape);
HWY_EXPORT(write_leaf_float);
HWY_EXPORT(write_leaf_double);
HWY_EXPORT(write_part_float);
HWY_EXPORT(write_part_double);

}  // namespace

template <class State>
leaf_shape union_cpu<State>::shape(std::span<leaf_pattern const> sources, std::int64_t value_bytes) {
    HWY_DYNAMIC_DISPATCH(find_shape)(state_, sources, value_bytes);
    return state_.shape;
}

template <class State>
int union_cpu<State>::count(std::span<leaf_pattern const> sources) {
    return HWY_DYNAMIC_DISPATCH(count_entries)(state_, sources);
}

template <class State>
template <class T>
void union_cpu<State>::write(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values,
                             std::byte* node) const {
    if constexpr (std::is_same_v<T, float>)
        HWY_DYNAMIC_DISPATCH(write_leaf_float)(state_, sources, values, node);
    else
        HWY_DYNAMIC_DISPATCH(write_leaf_double)(state_, sources, values, node);
}

template <class State>
template <class T>
void union_cpu<State>::write_part(std::span<leaf_pattern const> sources, std::span<leaf_values<T> const> values,
                                  wide_part_place const& place) const {
    if constexpr (std::is_same_v<T, float>)
        HWY_DYNAMIC_DISPATCH(write_part_float)(state_, sources, values, place);
    else
        HWY_DYNAMIC_DISPATCH(write_part_double)(state_, sources, values, place);
}

template class union_cpu<union_state>;
template void union_cpu<union_state>::write(std::span<leaf_pattern const>, std::span<leaf_values<float> const>,
                                            std::byte*) const;
template void union_cpu<union_state>::write(std::span<leaf_pattern const>, std::span<leaf_values<double> const>,
                                            std::byte*) const;
template void union_cpu<union_state>::write_part(std::span<leaf_pattern const>, std::span<leaf_values<float> const>,
                                                 wide_part_place const&) const;
template void union_cpu<union_state>::write_part(std::span<leaf_pattern const>, std::span<leaf_values<double> const>,
                                                 wide_part_place const&) const;

}  // namespace copse::detail
#endif  // HWY_ONCE

#endif
