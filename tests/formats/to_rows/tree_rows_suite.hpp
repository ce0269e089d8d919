// Compressed rows that an executor has made of trees, against the host's.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/sums/add_pairs.hpp>
#include <copse/algebra/add.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstring>
#include <formats/from_rows/conversion_suite.hpp>
#include <memory>
#include <string>
#include <vector>

namespace copse::tests {

template <class T>
void expect_equal(csr_content<T> const& found, csr<T> const& wanted) {
    EXPECT_EQ(found.row_count, wanted.row_count);
    EXPECT_EQ(found.column_count, wanted.column_count);
    EXPECT_EQ(found.entry_count, wanted.entry_count());
    EXPECT_EQ(found.row_offsets.to_host(), wanted.row_offsets);
    EXPECT_EQ(found.column_indices.to_host(), wanted.column_indices);
    std::vector<T> const values = found.values.to_host();
    ASSERT_EQ(values.size(), wanted.values.size());
    if (!values.empty()) {
        EXPECT_EQ(std::memcmp(values.data(), wanted.values.data(), values.size() * sizeof(T)), 0);
    }
    EXPECT_EQ(found.kernel, csr_matrix<T>(found.where, wanted).kernel());
}

/// A tree in which `b` stands transposed, as a sum shares it: one entry more, in the last row.
inline hisparse<double> with_transposed_nodes(coo<double> const& b, int node_dimension) {
    cpu executor(1);
    coo<double> corner = empty_matrix(b.row_count, b.column_count);
    corner.rows.push_back(static_cast<std::int32_t>(b.row_count - 1));
    corner.columns.push_back(0);
    corner.values.push_back(0.5);
    hisparse<double> const a(host_memory(), corner, {.node_dimension = node_dimension});
    return add(executor, 1.0, a, 1.0, stored_as(host_memory(), to_csr(b), true, node_dimension));
}

/// convert(a): the rows of a's content, which is in host memory, as a std::shared_ptr<csr_content<double> const>.
template <class Convert>
void check_tree(std::string const& name, hisparse<double> const& a, Convert convert) {
    SCOPED_TRACE(name + ", d " + std::to_string(a.node_dimension()));
    expect_equal(*convert(hisparse<double>(a.content())), to_csr(hisparse<double>(a.content())));
}

/// Each case as it is and in a sum that shares its transpose.
template <class Convert>
void check_trees(std::vector<battery_case> const& cases, int node_dimension, Convert convert) {
    for (battery_case const& c : cases) {
        hisparse_options const options{.node_dimension = node_dimension};
        check_tree(c.name, hisparse<double>(host_memory(), c.matrix, options), convert);
        if (c.matrix.row_count > 0 && c.matrix.column_count > 0)
            check_tree(c.name + ", transposed in a sum", with_transposed_nodes(c.matrix, node_dimension), convert);
    }
}

/// Sums of nodes of all kinds, some of them transposed, shared or copied; d is 64.
template <class Convert>
void check_sums(std::vector<pair_case> const& pairs, Convert convert) {
    cpu executor(1);
    unsigned turn = 0;
    for (pair_case const& p : pairs) {
        auto const operand = [&](coo<double> const& m, bool transpose) {
            return stored_as(host_memory(), to_csr(m), transpose, 64);
        };
        check_tree(
            p.name,
            add(executor, 1.0, operand(p.a, turn % 2 == 1), turn % 3 == 0 ? 1.0 : 2.0, operand(p.b, turn / 2 % 2 == 1)),
            convert);
        turn += 3;
    }
}

/// Leaves of all kinds, small and large, in inner nodes and in wide leaves; rows that are few enough to be written.
inline std::vector<battery_case> all_in_few_lanes_of_rows() {
    auto cases = all_in_few_lanes();
    std::erase_if(cases, [](battery_case const& c) { return c.matrix.row_count > 1 << 20; });
    // One column more than three levels of nodes, or four, have; the transpose has an offset for each.
    cases.push_back({"levels", scattered(3000, (1 << 24) + 1, 20, 6)});
    return cases;
}

/// Several arenas; nodes with several parents.
template <class Convert>
void check_shared_nodes(Convert convert) {
    hisparse<double> const a(host_memory(), scattered(20000, 300, 4000, 3), {.node_dimension = 64});
    check_tree("edited", edit(a, edits<double>().set(77, 99, 1).set(19999, 299, 2).erase(77, 99)), convert);
    coo<double> twins = empty_matrix(1000, 1000);
    for (std::int32_t i = 0; i < 1000; ++i)
        for (std::int32_t j = i % 64; j < 1000; j += 64) {
            twins.rows.push_back(i);
            twins.columns.push_back(j);
            twins.values.push_back(i % 64);
        }
    hisparse<double> const shared(host_memory(), twins, {.node_dimension = 64, .share_identical = true});
    EXPECT_LT(shared.bytes(), hisparse<double>(host_memory(), twins, {.node_dimension = 64}).bytes() / 4);
    check_tree("identical nodes", shared, convert);
}

}  // namespace copse::tests
