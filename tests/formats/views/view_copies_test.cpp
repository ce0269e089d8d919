// What conversions copy of a view's arrays, and what they read where it lies.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/formats/steps/view_arrays.hpp>
#include <cstdint>
#include <formats/distant_memory.hpp>
#include <formats/views/foreign_arrays.hpp>
#include <memory>
#include <vector>

namespace copse::tests {
namespace {

csr<double> const& small() {
    static csr<double> const a = to_csr(scattered(50, 60, 300, 4));
    return a;
}

template <class Offset, class Index>
void check_rows(int base, bool takes_offsets, bool takes_columns) {
    foreign_rows<double, Offset, Index> const theirs(small(), base);
    detail::rows_in_order<double> const read(theirs.view(), "test");
    EXPECT_EQ(static_cast<void const*>((*read).values.data()), theirs.values.data());
    EXPECT_EQ(static_cast<void const*>((*read).offsets.data()) == theirs.offsets.data(), takes_offsets);
    EXPECT_EQ(static_cast<void const*>((*read).column_indices.data()) == theirs.columns.data(), takes_columns);
}

TEST(view_copies, only_indices_of_other_types_on_the_host) {
    check_rows<std::int64_t, std::int32_t>(0, true, true);
    check_rows<std::int32_t, std::int32_t>(0, false, true);
    check_rows<std::int64_t, std::int64_t>(0, true, false);
    check_rows<std::int64_t, std::int32_t>(1, false, false);
    foreign_rows<double, std::int64_t, std::int32_t> disordered(small(), 0);
    disordered.shuffle_rows();
    detail::rows_in_order<double> const sorted(disordered.view(), "test");
    EXPECT_NE((*sorted).values.data(), disordered.values.data());
}

TEST(view_copies, no_entries_of_32_bits_from_0) {
    coo<double> const entries = scattered(50, 60, 300, 4);
    detail::narrow_entries<double> const read(entries, "test");
    EXPECT_EQ((*read).rows, entries.rows.data());
    EXPECT_EQ((*read).columns, entries.columns.data());
    EXPECT_EQ((*read).values, entries.values.data());
    foreign_entries<double, std::int64_t> const wide(entries, 0);
    detail::narrow_entries<double> const narrowed(wide.view(), "test");
    EXPECT_EQ((*narrowed).values, wide.values.data());
}

TEST(view_copies, what_does_not_begin_at_a_multiple_of_16_bytes_for_lanes) {
    detail::host_steps steps;
    detail::view_arrays<detail::host_steps> arrays(steps, memory_space::host, {});
    buffer<std::int32_t> const indices(host_memory(), std::vector<std::int32_t>{3, 1, 4, 1, 5});
    buffer<double> const values(host_memory(), std::vector<double>{3, 1, 4, 1, 5});
    EXPECT_EQ(arrays.indices<std::int32_t>(indices), indices.data());
    EXPECT_EQ(arrays.values(vector_view<double const>(values)), values.data());
    auto const* const columns = arrays.indices<std::int32_t>(index_view(indices.data() + 1, 4));
    EXPECT_EQ(std::vector(columns, columns + 4), (std::vector<std::int32_t>{1, 4, 1, 5}));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(columns) % 16, 0u);
    auto const* const others = arrays.values(vector_view<double const>(values.data() + 1, 4, memory_space::host));
    EXPECT_EQ(std::vector(others, others + 4), (std::vector<double>{1, 4, 1, 5}));
    auto const* const offsets = arrays.indices<std::int64_t>(indices);
    EXPECT_EQ(std::vector(offsets, offsets + 5), (std::vector<std::int64_t>{3, 1, 4, 1, 5}));
    EXPECT_FALSE(arrays.is_broken());
    arrays.indices<std::int32_t>(std::vector<std::int64_t>{0, std::int64_t{1} << 32});
    EXPECT_TRUE(arrays.is_broken());
}

/// By the steps of a GPU.
TEST(view_copies, rows_by_steps) {
    detail::host_steps steps;
    csr<double> const& a = small();
    auto const made = [&](auto const& theirs) {
        return detail::rows_of_view<double>(host_memory(), theirs.view(), steps);
    };
    foreign_rows<double, std::int32_t, std::int64_t> theirs(a, 1);
    auto const rows = made(theirs);
    ASSERT_TRUE(rows);
    expect_equal(rows->to_rows(), a);
    EXPECT_NE(rows->values.data(), theirs.values.data());
    theirs.columns[0] = 61;
    EXPECT_FALSE(made(theirs));
    theirs.columns[0] = std::int64_t{1} << 33;
    EXPECT_FALSE(made(theirs));
    theirs = {a, 1};
    theirs.offsets.back() += 1;
    EXPECT_FALSE(made(theirs));
    theirs = {a, 1};
    theirs.shuffle_rows();
    EXPECT_FALSE(made(theirs));
    theirs = {a, 0};
    std::swap(theirs.offsets[20], theirs.offsets[24]);
    EXPECT_FALSE(made(theirs));
}

/// Given the memory of a device, the host fetches the arrays.
TEST(view_copies, device_arrays_through_their_memory) {
    auto const distant = std::make_shared<distant_memory>();
    foreign_rows<double, std::int32_t, std::int32_t> const theirs(small(), 0);
    buffer<std::int32_t> const offsets(distant, theirs.offsets), columns(distant, theirs.columns);
    buffer<double> const values(distant, theirs.values);
    csr_view const there(theirs.row_count, theirs.column_count, offsets, columns, values);
    EXPECT_EQ(there.options.space, memory_space::device);
    hisparse<double> const tree(distant, there);
    EXPECT_EQ(tree.space(), memory_space::device);
    expect_equal(to_csr(csr5<double>(distant, there)), small());
    csr_matrix<double> const rows_there(distant, there);
    expect_equal(to_csr(detail::converted_rows<csr5<double>>(rows_there, {}, true)), small());
    EXPECT_EQ(tree.entry_count(), small().entry_count());
    coo<double> const list = to_coo(small());
    buffer<std::int32_t> const rows(distant, list.rows);
    EXPECT_EQ(hisparse<double>(distant, coo_view(50, 60, rows, columns, values)).entry_count(), small().entry_count());
}

}  // namespace
}  // namespace copse::tests
