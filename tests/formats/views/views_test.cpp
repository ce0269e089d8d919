// What is made of views, on cpu and emulated, is what is made of copse's own containers.
#include <copse/formats/views.hpp>

#include <gtest/gtest.h>

#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <formats/from_rows/conversion_suite.hpp>
#include <formats/views/foreign_arrays.hpp>
#include <span>

namespace copse::tests {
namespace {

template <class Value, class OffsetType, class IndexType>
struct array_types {
    using value = Value;
    using offset = OffsetType;
    using index = IndexType;
};

template <class Types>
class views : public testing::Test {
  public:
    using rows_type = foreign_rows<typename Types::value, typename Types::offset, typename Types::index>;
    using entries_type = foreign_entries<typename Types::value, typename Types::index>;

    static csr<typename Types::value> rows_of(battery_case const& c) {
        return to_csr(with_values_of<typename Types::value>(c.matrix));
    }
    /// f(executor, case, index base)
    template <class F>
    static void on_each(F f) {
        auto const run = [&](char const* name, auto&& executor, std::vector<battery_case> const& cases) {
            int base = 0;
            for (battery_case const& c : cases) {
                SCOPED_TRACE(c.name + " on " + name + ", from " + std::to_string(base));
                f(executor, c, base);
                base = 1 - base;
            }
        };
        run("cpu", cpu(2), whole_battery());
        run("emulated", emulated(),
            {{"scattered", scattered(300, 200, 900, 2)},
             {"scattered again", scattered(200, 300, 900, 3)},
             {"one row", scattered(1, 20000, 100, 3)},
             {"one column", scattered(20000, 1, 100, 3)},
             {"no entry", {7, 5, {}, {}, {}}},
             {"no row", {0, 5, {}, {}, {}}}});
    }
};
using types =
    testing::Types<array_types<float, std::int32_t, std::int32_t>, array_types<double, std::int64_t, std::int32_t>,
                   array_types<double, std::int32_t, std::int64_t>, array_types<float, long long, unsigned>>;
TYPED_TEST_SUITE(views, types);

TYPED_TEST(views, of_rows_become_the_tree_of_a_csr) {
    using T = typename TypeParam::value;
    this->on_each([](auto& executor, battery_case const& c, int base) {
        csr<T> const rows = views<TypeParam>::rows_of(c);
        typename views<TypeParam>::rows_type const theirs(rows, base);
        expect_same_content(*hisparse<T>(executor, theirs.view()).content(),
                            *hisparse<T>(host_memory(), rows).content(), sizeof(T));
    });
}

TYPED_TEST(views, of_rows_in_disorder_are_sorted) {
    using T = typename TypeParam::value;
    this->on_each([](auto& executor, battery_case const& c, int base) {
        csr<T> const rows = views<TypeParam>::rows_of(c);
        typename views<TypeParam>::rows_type theirs(rows, base);
        theirs.shuffle_rows();
        expect_same_content(*hisparse<T>(executor, theirs.view()).content(),
                            *hisparse<T>(host_memory(), rows).content(), sizeof(T));
        expect_equal(to_csr(csr_matrix<T>(executor, theirs.view())), rows);
        expect_equal(to_csr(theirs.view()), rows);
    });
}

TYPED_TEST(views, of_columns_are_transposed) {
    using T = typename TypeParam::value;
    this->on_each([](auto& executor, battery_case const& c, int base) {
        csr<T> const rows = views<TypeParam>::rows_of(c);
        typename views<TypeParam>::rows_type const theirs(transpose(rows), base);
        csc_view<T> const columns(rows.row_count, rows.column_count, theirs.offsets, theirs.columns, theirs.values,
                                  {.index_base = base});
        EXPECT_EQ(columns.row_count(), rows.row_count);
        EXPECT_EQ(columns.column_count(), rows.column_count);
        hisparse<T> const a(executor, columns);
        EXPECT_TRUE(a.is_transposed());
        expect_equal(to_csr(a), rows);
        expect_equal(to_csr(hisparse<T>(executor, transposed(theirs.view()))), rows);
        expect_equal(to_csr(csr5<T>(executor, columns)), rows);
        expect_equal(to_csr(csr_matrix<T>(executor, columns)), rows);
    });
}

TYPED_TEST(views, of_entries_become_the_tree_of_a_coo) {
    using T = typename TypeParam::value;
    this->on_each([](auto& executor, battery_case const& c, int base) {
        coo<T> const entries = with_values_of<T>(shuffled(c.matrix));
        typename views<TypeParam>::entries_type const theirs(entries, base);
        expect_same_content(*hisparse<T>(executor, theirs.view()).content(),
                            *hisparse<T>(host_memory(), entries).content(), sizeof(T));
        auto const turned = transposed(theirs.view());
        expect_equal(to_csr(hisparse<T>(executor, turned)), transpose(to_csr(entries)));
        expect_equal(to_csr(theirs.view()), to_csr(entries));
    });
}

/// 1e16 + 1 - 1e16 is 0 in this order, 1 in another.
TYPED_TEST(views, sum_entries_at_one_place_in_the_order_given) {
    using T = typename TypeParam::value;
    using Offset = typename TypeParam::offset;
    using Index = typename TypeParam::index;
    T const large = T(1e16);
    std::vector<Offset> const offsets{1, 1, 6};
    std::vector<Index> const columns{4, 2, 4, 2, 4}, rows{2, 2, 2, 2, 2};
    std::vector<T> const values{large, 5, 1, 6, -large};
    csr<T> const expected{2, 9, {0, 0, 2}, {1, 3}, {11, (large + 1) - large}};
    csr_view<T> const by_row(2, 9, offsets, columns, values, {.index_base = 1});
    coo_view<T> const listed(2, 9, rows, columns, values, {.index_base = 1});
    cpu here(2);
    emulated lanes;
    expect_equal(to_csr(by_row), expected);
    expect_equal(to_csr(listed), expected);
    expect_equal(to_csr(csr5<T>(here, by_row)), expected);
    expect_equal(to_csr(hisparse<T>(here, by_row)), expected);
    expect_equal(to_csr(hisparse<T>(here, listed)), expected);
    expect_equal(to_csr(hisparse<T>(lanes, by_row)), expected);
    expect_equal(to_csr(hisparse<T>(lanes, listed)), expected);
}

/// Far more rows than entries.
TYPED_TEST(views, of_few_entries_in_many_rows) {
    using T = typename TypeParam::value;
    coo<T> const entries = with_values_of<T>(scattered(1 << 20, 1 << 22, 500, 9));
    csr<T> const rows = to_csr(entries);
    typename views<TypeParam>::entries_type const listed(entries, 1);
    typename views<TypeParam>::rows_type const by_row(rows, 1);
    auto const expected = hisparse<T>(host_memory(), entries).content();
    cpu here(2);
    emulated lanes;
    expect_same_content(*hisparse<T>(here, listed.view()).content(), *expected, sizeof(T));
    expect_same_content(*hisparse<T>(here, by_row.view()).content(), *expected, sizeof(T));
    expect_same_content(*hisparse<T>(lanes, listed.view()).content(), *expected, sizeof(T));
}

TEST(view, takes_pointers_spans_vectors_and_buffers) {
    std::vector<int> const offsets{0, 1, 2}, columns{1, 0};
    std::vector<double> const values{3, 4};
    csr<double> const expected{2, 2, {0, 1, 2}, {1, 0}, {3, 4}};
    expect_equal(to_csr(csr_view(2, 2, 2, offsets.data(), columns.data(), values.data())), expected);
    expect_equal(to_csr(csr_view(2, 2, std::span(offsets), std::span(columns), std::span(values))), expected);
    buffer<int> const own_offsets(host_memory(), offsets), own_columns(host_memory(), columns);
    buffer<double> const own_values(host_memory(), values);
    expect_equal(to_csr(csr_view(2, 2, own_offsets, own_columns, own_values)), expected);
    expect_equal(to_csr(transposed(transposed(csr_view(2, 2, offsets, columns, values)))), expected);
    expect_equal(to_csr(csr_view<double>()), csr<double>());
    expect_equal(to_csr(coo_view<double>()), csr<double>());
    EXPECT_EQ(hisparse<double>(host_memory(), csc_view<double>()).row_count(), 0);
}

}  // namespace
}  // namespace copse::tests
