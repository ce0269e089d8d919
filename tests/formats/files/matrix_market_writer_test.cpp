// Writing Matrix Market: the text, exact round trips, and files that appear complete or not at all.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <copse/runtime/error.hpp>

#include <bit>
#include <cmath>
#include <copse/formats/matrix_market.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "formats/files/scratch_folder.hpp"

namespace {

using copse::coo;

template <class T>
class matrix_market_writer_test : public testing::Test {
  protected:
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

    // Equal to the last bit, so that -0 is not 0; every nan counts as equal to every other.
    static void expect_same(std::vector<T> const& a, std::vector<T> const& b) {
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t k = 0; k < a.size(); ++k) {
            if (std::isnan(a[k]) && std::isnan(b[k])) continue;
            ASSERT_EQ(std::bit_cast<bits>(a[k]), std::bit_cast<bits>(b[k])) << k << ": " << a[k] << " " << b[k];
        }
    }

    static std::vector<T> awkward_values() {
        using limits = std::numeric_limits<T>;
        std::vector<T> values{T(0),
                              -T(0),
                              T(1),
                              T(-1),
                              T(0.1),
                              T(1) / 3,
                              T(1e22),
                              T(123456789),
                              limits::max(),
                              limits::lowest(),
                              limits::min(),
                              limits::denorm_min(),
                              -limits::denorm_min(),
                              std::nextafter(limits::min(), T(0)),
                              std::nextafter(T(1), T(2)),
                              limits::infinity(),
                              -limits::infinity(),
                              limits::quiet_NaN()};
        std::mt19937_64 random(7);
        while (values.size() < 20000) values.push_back(std::bit_cast<T>(static_cast<bits>(random())));
        return values;
    }
};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(matrix_market_writer_test, value_types);

TYPED_TEST(matrix_market_writer_test, writes_entries_in_their_order_with_the_fewest_digits) {
    coo<TypeParam> const a{3, 2147483648, {2, 0, 2, 0}, {2147483647, 1, 0, 1}, {TypeParam(0.1), 2, 0, -3}};
    EXPECT_EQ(copse::detail::matrix_market_text(a),
              "%%MatrixMarket matrix coordinate real general\n"
              "3 2147483648 4\n"
              "3 2147483648 0.1\n"
              "1 2 2\n"
              "3 1 0\n"
              "1 2 -3\n");
}

TYPED_TEST(matrix_market_writer_test, reads_back_what_it_wrote) {
    scratch_folder const folder;
    coo<TypeParam> a{50000, 60000, {}, {}, this->awkward_values()};
    std::mt19937 random(3);
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        a.rows.push_back(static_cast<std::int32_t>(random() % 50000));
        a.columns.push_back(static_cast<std::int32_t>(random() % 60000));
    }
    copse::write_matrix_market(folder.path("a.mtx"), a);
    auto const b = copse::read_matrix_market<TypeParam>(folder.path("a.mtx"));
    EXPECT_EQ(b.row_count, a.row_count);
    EXPECT_EQ(b.column_count, a.column_count);
    EXPECT_EQ(b.rows, a.rows);
    EXPECT_EQ(b.columns, a.columns);
    this->expect_same(b.values, a.values);
}

TYPED_TEST(matrix_market_writer_test, reads_back_vectors) {
    scratch_folder const folder;
    auto const x = this->awkward_values();
    copse::write_matrix_market_vector<TypeParam>(folder.path("x.mtx"), x);
    this->expect_same(copse::read_matrix_market_vector<TypeParam>(folder.path("x.mtx")), x);
    copse::write_matrix_market_vector<TypeParam>(folder.path("x.mtx"), std::vector<TypeParam>{});
    EXPECT_EQ(text_of(folder.path("x.mtx")), "%%MatrixMarket matrix array real general\n0 1\n");
    EXPECT_EQ(copse::read_matrix_market_vector<TypeParam>(folder.path("x.mtx")).size(), 0u);
}

TEST(matrix_market_writer, writes_more_entries_than_it_holds_in_memory) {
    constexpr std::int32_t count = 64 * (1 << 14) + 3;
    coo<float> a{1, count, {}, {}, {}};
    for (std::int32_t k = 0; k < count; ++k) {
        a.rows.push_back(0);
        a.columns.push_back(count - 1 - k);
        a.values.push_back(static_cast<float>(k % 1000));
    }
    auto const b = copse::parse_matrix_market<float>(copse::detail::matrix_market_text(a), "t.mtx");
    EXPECT_EQ(b.columns, a.columns);
    EXPECT_EQ(b.values, a.values);
}

TEST(matrix_market_writer, refuses_what_is_no_matrix_before_it_touches_the_file) {
    scratch_folder const folder;
    auto const path = folder.file("a.mtx", "as it was");
    auto const refuses = [&](coo<double> const& a) {
        EXPECT_THROW(copse::write_matrix_market(path, a), copse::shape_error);
        EXPECT_EQ(text_of(path), "as it was");
        EXPECT_EQ(folder.file_count(), 1u);
    };
    refuses({2, 2, {0, 1}, {0}, {1, 2}});
    refuses({2, 2, {0}, {0, 1}, {1, 2}});
    refuses({2, 2, {2}, {0}, {1}});
    refuses({2, 2, {0}, {2}, {1}});
    refuses({2, 2, {-1}, {0}, {1}});
    refuses({2, 2, {0}, {-1}, {1}});
    refuses({-1, 2, {}, {}, {}});
    refuses({2, (std::int64_t{1} << 31) + 1, {}, {}, {}});
}

TEST(matrix_market_writer, leaves_the_new_file_and_nothing_else) {
    scratch_folder const folder;
    auto const path = folder.file("a.mtx", "an old file, longer than what replaces it, with rights of its own to keep");
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    copse::write_matrix_market(path, coo<double>{1, 1, {0}, {0}, {2.5}});
    EXPECT_EQ(text_of(path), "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n");
    EXPECT_EQ(folder.file_count(), 1u);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(matrix_market_writer, follows_a_link_to_the_file) {
    scratch_folder const folder;
    auto const path = folder.file("a.mtx", "old");
    std::filesystem::create_symlink("a.mtx", folder.path("link.mtx"));
    copse::write_matrix_market(folder.path("link.mtx"), coo<double>{1, 1, {}, {}, {}});
    EXPECT_EQ(text_of(path), "%%MatrixMarket matrix coordinate real general\n1 1 0\n");
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link.mtx")));
}

// The message for a path that cannot be written; nothing may stay behind.
std::string unwritable(std::string const& path) {
    try {
        copse::write_matrix_market(path, coo<double>{1, 1, {0}, {0}, {1}});
    } catch (copse::argument_error const& e) {
        return e.what();
    }
    return "";
}

TEST(matrix_market_writer, names_path_and_reason_when_it_cannot_write) {
    scratch_folder const folder;
    auto const missing = folder.path("none/a.mtx");
    EXPECT_EQ(unwritable(missing), "cannot write '" + missing + "': No such file or directory");
    EXPECT_EQ(unwritable(folder.path("")), "cannot write '" + folder.path("") + "': Is a directory; name a file in it");
    EXPECT_EQ(folder.file_count(), 0u);
}

// As a device is: a file put in its place would be a disaster.
TEST(matrix_market_writer, writes_into_a_pipe_and_leaves_it_there) {
    scratch_folder const folder;
    auto const path = folder.path("pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    // Opened for both, so that neither side waits for the other, whatever the writer does.
    std::fstream pipe(path, std::ios::in | std::ios::out);
    ASSERT_TRUE(pipe.is_open());
    copse::write_matrix_market(path, coo<double>{1, 1, {0}, {0}, {2.5}});
    ASSERT_TRUE(std::filesystem::is_fifo(path));
    std::string line, text;
    for (int lines = 0; lines < 3 && std::getline(pipe, line); ++lines) text += line + "\n";
    EXPECT_EQ(text, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n");
    EXPECT_EQ(folder.file_count(), 1u);
}

}  // namespace
