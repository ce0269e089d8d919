// Options of flat formats reach what makes the matrix.
#include "cli/options.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <utility>

namespace copse {
namespace {

cli::format_options read(std::string const& line) {
    CLI::App app;
    cli::format_options options;
    cli::add_flat_options(app, options);
    app.parse(line);
    return options;
}

/// `a` on `executor` as the line says.
template <class Matrix, class Executor>
auto content_of(Executor& executor, std::string const& line) {
    return cli::make_matrix<Matrix>(executor, to_csr(generate<double>("rmat:6")), read(line)).content();
}

TEST(options, csr_kernels_by_name) {
    cpu executor(1);
    for (auto const& [name, kernel] :
         {std::pair{"row_split", csr_kernel::row_split}, std::pair{"vector", csr_kernel::vector},
          std::pair{"merge_path", csr_kernel::merge_path}}) {
        EXPECT_EQ(content_of<csr_matrix<double>>(executor, std::string("--kernel ") + name)->kernel, kernel) << name;
    }
    EXPECT_EQ(std::get<csr_matrix_options>(read("--kernel automatic").flat).kernel, csr_kernel::automatic);
    EXPECT_EQ(std::get<csr_matrix_options>(read("").flat).kernel, csr_kernel::automatic);
}

TEST(options, strips_are_sorted_as_asked_or_by_the_executor) {
    cpu executor(1);
    emulated lanes;
    auto const is_sorted = [](auto& where, std::string const& line) {
        return content_of<cmrs<double>>(where, line)->options.sorted;
    };
    EXPECT_EQ(is_sorted(executor, ""), false);
    EXPECT_EQ(is_sorted(lanes, ""), true);
    EXPECT_EQ(is_sorted(executor, "--sorted yes"), true);
    EXPECT_EQ(is_sorted(lanes, "--sorted no"), false);
}

TEST(options, tiles_have_the_columns_asked_for) {
    cpu executor(1);
    emulated lanes;
    for (int const omega : {4, 8, 16, 32}) {
        auto const line = "--omega " + std::to_string(omega);
        EXPECT_EQ(content_of<csr5<double>>(executor, line)->layout.omega, omega);
        EXPECT_EQ(content_of<csr5<double>>(lanes, line)->layout.omega, omega);
    }
    EXPECT_EQ(std::get<csr5_options>(read("").flat).omega, 0);
}

TEST(options, those_of_sizes_leave_the_others_out) {
    CLI::App app;
    cli::format_options options;
    cli::add_size_options(app, options);
    EXPECT_NE(app.get_option_no_throw("--omega"), nullptr);
    EXPECT_EQ(app.get_option_no_throw("--kernel"), nullptr);
    EXPECT_EQ(app.get_option_no_throw("--sorted"), nullptr);
}

}  // namespace
}  // namespace copse
