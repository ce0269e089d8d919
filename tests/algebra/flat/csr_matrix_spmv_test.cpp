// Which kernel is chosen for compressed rows, and what their products refuse.
#include <algebra/flat/flat_checks.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

TEST(csr_matrix_kernel, is_chosen_by_the_rows) {
    cpu executor(1);
    auto const chosen = [&](coo<double> const& a) { return csr_matrix<double>(executor, to_csr(a)).kernel(); };
    EXPECT_EQ(chosen(matrix_where(100, 100, [](auto i, auto j) { return i == j; })), csr_kernel::row_split);
    EXPECT_EQ(chosen(matrix_where(100, 100, [](auto i, auto j) { return (i + j) % 25 == 0; })), csr_kernel::row_split);
    auto const one_long_row = [](std::int64_t length) {
        return matrix_of_rows(500, 2000, [=](auto i) { return i == 9 ? every(0, 1, length) : every(i, 500, 2000); });
    };
    EXPECT_EQ(chosen(one_long_row(1024)), csr_kernel::merge_path);
    EXPECT_EQ(chosen(one_long_row(1023)), csr_kernel::row_split);
    auto const on_a_gpu = [](std::int64_t longest) {
        return detail::choose_csr_kernel(1000, 20000, longest, memory_space::device);
    };
    EXPECT_EQ(on_a_gpu(64), csr_kernel::row_split);
    EXPECT_EQ(on_a_gpu(65), csr_kernel::merge_path);
}

TEST(csr_matrix_kernel, is_that_of_a_matrix_that_it_is_like) {
    cpu executor(1);
    csr<double> const diagonal = to_csr(matrix_where(100, 100, [](auto i, auto j) { return i == j; }));
    csr<double> const fuller = to_csr(matrix_where(100, 100, [](auto i, auto j) { return (i + j) % 25 < 2; }));
    auto const chosen = [&](csr_kernel kernel) {
        return like(executor, csr_matrix<double>(executor, diagonal, {.kernel = kernel}), fuller).kernel();
    };
    EXPECT_EQ(chosen(csr_kernel::merge_path), csr_kernel::merge_path);
    EXPECT_EQ(chosen(csr_kernel::row_split), csr_kernel::row_split);
    EXPECT_EQ(chosen(csr_kernel::automatic), csr_kernel::row_split);
}

TEST(csr_matrix, refuses_what_does_not_fit) {
    cpu executor(1);
    csr_matrix<double> const a(executor, to_csr(empty_matrix(3, 2)));
    std::vector<double> two(2), three(3), four(4);
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, a, four, 0, three); }),
              "spmv: op(A) is 3 x 2, so x must have 2 elements; it has 4");
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, transposed(a), three, 0, four); }),
              "spmv: op(A) is 2 x 3, so y must have 2 elements; it has 4");
}

}  // namespace
}  // namespace copse::tests
