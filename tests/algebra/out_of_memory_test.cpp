// Operations whose memory ends at some point, each point in turn: they throw, leave nothing behind, and do their work
// once there is enough. Those that run tasks do so as on a GPU. out_of_memory_gpu_test.cpp has the gpu's.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <atomic>
#include <copse/algebra/add.hpp>
#include <copse/algebra/flat/flat_spmv_operation.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace copse::tests {
namespace {

/// The host's, which gives so many pieces and then no more. It may say that it is a device's: what the host makes is
/// then made elsewhere and copied here.
class limited_memory final : public memory {
  public:
    explicit limited_memory(memory_space space) : space_(space) {}

    void allow(int pieces) { left_ = pieces; }
    int pieces_in_use() const { return in_use_; }

    memory_space space() const noexcept override { return space_; }
    void* allocate(std::size_t bytes) override {
        if (bytes == 0) return nullptr;
        if (left_-- <= 0) throw out_of_memory(bytes, 0);
        ++in_use_;
        return host_memory()->allocate(bytes);
    }
    void deallocate(void* p) noexcept override {
        in_use_ -= p != nullptr;
        host_memory()->deallocate(p);
    }
    void copy_from_host(void* to, void const* from, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    void copy_to_host(void* to, void const* from, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }

  private:
    memory_space space_;
    std::atomic<int> left_ = 0;
    std::atomic<int> in_use_ = 0;
};

/// Lanes with such a memory for all that they make.
struct limited {
    explicit limited(memory_space space) : own(std::make_shared<limited_memory>(space)) {}

    std::shared_ptr<limited_memory> own;
    std::shared_ptr<copse::memory> where = own;
    emulated lanes{{.seed = 1, .memory = where, .temporary = where}};
};

/// work(limited&): does something and checks what comes out.
template <class Work>
void check_every_end(int least, Work const& work, memory_space space = memory_space::host) {
    limited on(space);
    int pieces = 0;
    for (bool done = false; !done; pieces += !done) {
        ASSERT_LT(pieces, 200);
        on.own->allow(pieces);
        try {
            work(on);
            done = true;
        } catch (out_of_memory const&) {
            ASSERT_EQ(on.own->pieces_in_use(), 0) << "after " << pieces;
        }
    }
    EXPECT_GE(pieces, least);
    EXPECT_EQ(on.own->pieces_in_use(), 0);
}

/// Inner nodes, small and large leaves, a wide one.
coo<double> const& matrix() {
    static coo<double> const a = matrix_where(300, 400, [](auto i, auto j) {
        return i == 7 || (i > 64 && j < 9 && i < 75) || i + 2 == j || (i < 30 && j > 100 && j < 130);
    });
    return a;
}
csr<double> rows() {
    return to_csr(matrix());
}
hisparse<double> tree() {
    return hisparse<double>(host_memory(), matrix(), {.node_dimension = 64});
}

void expect_same(csr<double> const& found, csr<double> const& wanted) {
    EXPECT_EQ(found.row_offsets, wanted.row_offsets);
    EXPECT_EQ(found.column_indices, wanted.column_indices);
    EXPECT_EQ(found.values, wanted.values);
}

TEST(out_of_memory, ends_a_conversion_to_a_tree) {
    csr<double> const a = rows();
    check_every_end(
        10, [&](limited& on) { expect_same(to_csr(hisparse<double>(on.lanes, a, {.node_dimension = 64})), a); });
    check_every_end(2, [&](limited& on) { expect_same(to_csr(hisparse<double>(on.where, a)), a); });
}

TEST(out_of_memory, ends_the_way_back) {
    hisparse<double> const a = tree();
    check_every_end(10, [&](limited& on) { expect_same(to_csr(to_csr_matrix(on.lanes, a)), rows()); });
}

TEST(out_of_memory, ends_conversions_to_flat_formats) {
    csr<double> const a = rows();
    auto const check = [&](int least, auto const& make) {
        check_every_end(
            least, [&](limited& on) { expect_same(to_csr(make(on)), a); }, memory_space::device);
    };
    check(3, [&](limited& on) { return csr_matrix<double>(on.lanes, a); });
    check(5, [&](limited& on) { return csr5<double>(on.where, a, {.omega = 32, .sigma = 16}); });
    check(3, [&](limited& on) { return sellp<double>(on.lanes, a); });
    check(3, [&](limited& on) { return cmrs<double>(on.lanes, a); });
}

TEST(out_of_memory, ends_a_sum) {
    hisparse<double> const a = tree();
    csr<double> expected = rows();
    for (double& value : expected.values) value *= 3;
    check_every_end(4, [&](limited& on) { expect_same(to_csr(add(on.lanes, 1.0, a, 2.0, a)), expected); });
    expect_same(to_csr(a), rows());
}

TEST(out_of_memory, ends_the_making_of_plans) {
    hisparse<double> const a = tree();
    check_every_end(4, [&](limited& on) {
        spmv_plan<double> const plan(on.lanes, a);
        EXPECT_GT(plan.bytes(), 0);
    });
    auto const make_flat_plan = [](limited& on) {
        sellp<double> const slices(on.lanes, rows());
        detail::flat_plan_content<sellp<double>> const content({slices, {}}, 0);
        expect_same(to_csr(detail::turned_of(on.lanes, content).matrix.transposed()), rows());
    };
    check_every_end(6, make_flat_plan, memory_space::device);
}

/// The plan stays as it was, and the lists are made once there is memory.
TEST(out_of_memory, ends_the_making_of_a_second_direction) {
    limited on(memory_space::host);
    on.own->allow(1000);
    spmv_plan<double> const plan(on.lanes, tree()), turned = plan.transposed();
    std::int64_t const before = plan.bytes();
    int const in_use = on.own->pieces_in_use();
    int pieces = 0;
    for (; plan.bytes() == before; ++pieces) {
        ASSERT_LT(pieces, 100);
        on.own->allow(pieces);
        try {
            detail::direction_of(turned);
        } catch (out_of_memory const&) {
            ASSERT_EQ(on.own->pieces_in_use(), in_use) << "after " << pieces;
        }
    }
    EXPECT_GE(pieces, 3);
    on.own->allow(1000);
    spmv_plan<double> const whole(on.lanes, tree(), plan_directions::both);
    EXPECT_EQ(plan.bytes(), whole.bytes());
}

TEST(out_of_memory, ends_new_values) {
    csr<double> expected = rows();
    for (double& value : expected.values) value *= 5;
    check_every_end(2, [&](limited& on) {
        hisparse<double> const a = tree();  // what knows its places would not look them up again
        expect_same(to_csr(with_values(on.lanes, a, expected.values)), expected);
    });
}

/// make(limited&): a matrix in its memory, which stays what it is wherever the memory of work(limited&, matrix) ends.
/// least: the pieces that this takes, in memory that the host cannot read.
template <class Make, class Work>
void check_operand_at_every_end(int least, Make const& make, Work const& work) {
    for (memory_space space : {memory_space::host, memory_space::device}) {
        SCOPED_TRACE(space == memory_space::host ? "host" : "device");
        limited on(space);
        on.own->allow(1000);
        hisparse<double> const a = make(on);
        csr<double> const whole = to_csr(a);
        std::int64_t const bytes = a.bytes();
        int const of_operand = on.own->pieces_in_use();
        int pieces = 0;
        for (bool done = false; !done; pieces += !done) {
            ASSERT_LT(pieces, 200);
            on.own->allow(pieces);
            try {
                work(on, a);
                done = true;
            } catch (out_of_memory const&) {
            }
            ASSERT_EQ(on.own->pieces_in_use(), of_operand) << "after " << pieces;
            expect_same(to_csr(a), whole);
            EXPECT_EQ(a.entry_count(), whole.entry_count());
            EXPECT_EQ(a.bytes(), bytes);
        }
        EXPECT_GE(pieces, space == memory_space::device ? least : 1);
    }
}

hisparse<double> tree_in(limited& on) {
    return hisparse<double>(on.where, matrix(), {.node_dimension = 64});
}

/// The same with `count` edits, each of which leaves an arena; value `count` at (290, 90).
hisparse<double> edited_in(limited& on, int count) {
    hisparse<double> a = tree_in(on);
    for (int k = 1; k <= count; ++k) a = edit(a, edits<double>().set(290, 90, k));
    return a;
}

csr<double> rows_with(std::int32_t row, std::int32_t column, double value) {
    coo<double> entries = to_coo(tree());
    entries.rows.push_back(row);
    entries.columns.push_back(column);
    entries.values.push_back(value);
    return to_csr(entries);
}

TEST(out_of_memory, ends_an_edit) {
    csr<double> const expected = rows_with(290, 90, 5);
    check_operand_at_every_end(2, tree_in, [&](limited&, hisparse<double> const& a) {
        expect_same(to_csr(edit(a, edits<double>().set(290, 90, 5))), expected);
    });
    // With the nodes of those before it.
    check_operand_at_every_end(
        2, [](limited& on) { return edited_in(on, 31); },
        [&](limited&, hisparse<double> const& a) {
            ASSERT_EQ(a.content()->arenas.size(), 32u);
            hisparse<double> const b = edit(a, edits<double>().set(290, 90, 5));
            EXPECT_EQ(b.content()->arenas.size(), 2u);
            expect_same(to_csr(b), expected);
        });
    // With a compaction.
    edits<double> most;
    for (std::int64_t i = 0; i < 300; ++i)
        for (std::int64_t j = 0; j < 400; ++j)
            if (i != 7) most.erase(i, j);
    check_operand_at_every_end(4, tree_in, [&](limited&, hisparse<double> const& a) {
        hisparse<double> const b = edit(a, most);
        EXPECT_EQ(b.content()->arenas.size(), 1u);
        EXPECT_EQ(b.entry_count(), 400);
    });
}

TEST(out_of_memory, ends_the_dropping_of_zeros) {
    edits<double> zeros;
    coo<double> const entries = to_coo(tree());
    for (std::size_t k = 0; k < entries.values.size(); ++k)
        if (entries.values[k] == 0) zeros.erase(entries.rows[k], entries.columns[k]);
    ASSERT_GT(zeros.size(), 0u);
    csr<double> const expected = to_csr(edit(tree(), zeros));
    check_operand_at_every_end(
        6, tree_in, [&](limited& on, hisparse<double> const& a) { expect_same(to_csr(prune(on.lanes, a)), expected); });
}

TEST(out_of_memory, ends_a_compaction) {
    csr<double> const expected = rows_with(290, 90, 3);
    auto const make = [](limited& on) { return edited_in(on, 3); };
    check_operand_at_every_end(3, make, [&](limited& on, hisparse<double> const& a) {
        hisparse<double> const b = compact(on.lanes, a);
        EXPECT_EQ(b.content()->arenas.size(), 1u);
        expect_same(to_csr(b), expected);
    });
    for (bool share_identical : {false, true})
        check_operand_at_every_end(2, make, [&](limited&, hisparse<double> const& a) {
            expect_same(to_csr(compact(a, {.share_identical = share_identical})), expected);
        });
}

}  // namespace
}  // namespace copse::tests
