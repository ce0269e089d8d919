// Reading Matrix Market: every layout, field and symmetry on matrices worked by hand; the same result however the text
// is cut and whatever the number of threads; files and vectors. What is refused: matrix_market_faults_test.cpp.
#include <gtest/gtest.h>
#include <copse/runtime/error.hpp>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <copse/formats/matrix_market.hpp>
#include <random>
#include <string>
#include <vector>

#include "formats/files/scratch_folder.hpp"

namespace {

using copse::coo;
using indices = std::vector<std::int32_t>;

template <class T>
class matrix_market_test : public testing::Test {
  protected:
    static coo<T> parse(std::string const& text) { return copse::parse_matrix_market<T>(text, "t.mtx"); }
};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(matrix_market_test, value_types);

template <class T>
void expect_entries(coo<T> const& a, indices const& rows, indices const& columns, std::vector<T> const& values) {
    EXPECT_EQ(a.rows, rows);
    EXPECT_EQ(a.columns, columns);
    EXPECT_EQ(a.values, values);
}

TYPED_TEST(matrix_market_test, reads_coordinate_real_general_in_file_order) {
    auto const a = this->parse(
        "%%MatrixMarket matrix coordinate real general\n"
        "3 4 4\n"
        "3 4 -2e3\n"
        "1 1 .5\n"
        "2 3 +7.\n"
        "1 2 0\n");
    EXPECT_EQ(a.row_count, 3);
    EXPECT_EQ(a.column_count, 4);
    expect_entries<TypeParam>(a, {2, 0, 1, 0}, {3, 0, 2, 1}, {-2000, 0.5, 7, 0});
}

TYPED_TEST(matrix_market_test, keeps_repeated_coordinates) {
    auto const a = this->parse("%%MatrixMarket matrix coordinate integer general\n2 2 3\n2 1 5\n2 1 -6\n2 1 5\n");
    expect_entries<TypeParam>(a, {1, 1, 1}, {0, 0, 0}, {5, -6, 5});
}

TYPED_TEST(matrix_market_test, gives_pattern_entries_the_value_one) {
    auto const a = this->parse("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 2\n3 1\n");
    expect_entries<TypeParam>(a, {1, 2, 0}, {1, 0, 2}, {1, 1, 1});
}

TYPED_TEST(matrix_market_test, puts_mirror_images_behind_the_entries_and_leaves_the_diagonal_alone) {
    auto const a = this->parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n3 1 2\n2 2 3\n3 2 4\n");
    expect_entries<TypeParam>(a, {0, 2, 1, 2, 0, 1}, {0, 0, 1, 1, 2, 2}, {1, 2, 3, 4, 2, 4});
}

TYPED_TEST(matrix_market_test, takes_the_upper_triangle_of_a_symmetric_matrix_too) {
    auto const a = this->parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 3 2\n2 2 3\n");
    expect_entries<TypeParam>(a, {0, 1, 2}, {2, 1, 0}, {2, 3, 2});
}

TYPED_TEST(matrix_market_test, negates_the_mirror_images_of_a_skew_symmetric_matrix) {
    auto const a = this->parse("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 4\n3 2 -5\n");
    expect_entries<TypeParam>(a, {1, 2, 0, 1}, {0, 1, 1, 2}, {4, -5, -4, 5});
}

TYPED_TEST(matrix_market_test, leaves_mirror_images_to_who_asks_for_them) {
    auto const half = [](std::string const& kind) {
        return copse::parse_symmetric_matrix_market<TypeParam>(
            "%%MatrixMarket matrix coordinate real " + kind + "\n3 3 2\n2 1 4\n3 2 -5\n", "t.mtx");
    };
    auto const skew = half("skew-symmetric");
    EXPECT_EQ(skew.symmetry, copse::matrix_symmetry::skew);
    expect_entries<TypeParam>(skew.entries, {1, 2}, {0, 1}, {4, -5});
    expect_entries<TypeParam>(copse::all_entries(skew), {1, 2, 0, 1}, {0, 1, 1, 2}, {4, -5, -4, 5});
    EXPECT_EQ(half("symmetric").symmetry, copse::matrix_symmetry::symmetric);
    auto const general = half("general");
    EXPECT_EQ(general.symmetry, copse::matrix_symmetry::general);
    expect_entries<TypeParam>(copse::all_entries(general), {1, 2}, {0, 1}, {4, -5});
}

// They are entries as explicit zeros elsewhere are, once each.
TYPED_TEST(matrix_market_test, keeps_zeros_on_the_diagonal_of_a_skew_symmetric_matrix) {
    auto const a = this->parse(
        "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 5\n1 1 0\n2 1 4\n2 2 -0.0\n3 2 -5\n3 3 0e9\n");
    expect_entries<TypeParam>(a, {0, 1, 1, 2, 2, 0, 1}, {0, 0, 1, 1, 2, 1, 2}, {0, 4, 0, -5, 0, -4, 5});
    auto const b = this->parse("%%MatrixMarket matrix coordinate integer skew-symmetric\n1 1 1\n1 1 0\n");
    expect_entries<TypeParam>(b, {0}, {0}, {0});
}

TYPED_TEST(matrix_market_test, makes_every_position_of_an_array_an_entry) {
    auto const a = this->parse("%%MatrixMarket matrix array real general\n2 3\n1\n0\n3\n4\n0\n6\n");
    EXPECT_EQ(a.row_count, 2);
    EXPECT_EQ(a.column_count, 3);
    expect_entries<TypeParam>(a, {0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 2, 2}, {1, 0, 3, 4, 0, 6});
}

// Stored by columns from the diagonal down: [ 1 2 3 ; 2 4 5 ; 3 5 6 ].
TYPED_TEST(matrix_market_test, unpacks_a_symmetric_array) {
    auto const a = this->parse("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n");
    expect_entries<TypeParam>(a, {0, 1, 2, 1, 2, 2, 0, 0, 1}, {0, 0, 0, 1, 1, 2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 2, 3, 5});
}

// Stored by columns from below the diagonal: [ 0 -1 -2 ; 1 0 -3 ; 2 3 0 ].
TYPED_TEST(matrix_market_test, unpacks_a_skew_symmetric_array) {
    auto const a = this->parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
    expect_entries<TypeParam>(a, {1, 2, 2, 0, 0, 1}, {0, 0, 1, 1, 2, 2}, {1, 2, 3, -1, -2, -3});
}

TYPED_TEST(matrix_market_test, reads_matrices_without_entries) {
    for (std::string const size : {"0 0", "0 5", "5 0"}) {
        auto const array = this->parse("%%MatrixMarket matrix array real general\n" + size);
        auto const list = this->parse("%%MatrixMarket matrix coordinate real general\n" + size + " 0");
        EXPECT_EQ(array.entry_count() + list.entry_count(), 0) << size;
        EXPECT_EQ(array.row_count, size[0] - '0');
        EXPECT_EQ(list.column_count, size[2] - '0');
    }
    for (std::string const symmetry : {"symmetric", "skew-symmetric"}) {
        EXPECT_EQ(this->parse("%%MatrixMarket matrix array real " + symmetry + "\n0 0\n").entry_count(), 0);
    }
    EXPECT_EQ(this->parse("%%MatrixMarket matrix array real skew-symmetric\n1 1\n").entry_count(), 0);
    EXPECT_EQ(this->parse("%%MatrixMarket matrix coordinate real general\n3 4 0\n%\n\n").entry_count(), 0);
}

TYPED_TEST(matrix_market_test, passes_over_comments_blank_lines_and_carriage_returns) {
    auto const a = this->parse(
        "\xef\xbb\xbf \t%%matrixMARKET\tMatrix  COORDINATE Real General \r\n"
        "%\r\n\r\n \t\r\n%%% 9 9 9\r\n"
        "  2\t2   2 \r\n"
        "  % between entries\r\n\r\n"
        "\t1  1 \t 3\t\r\n"
        "\r\n"
        "2 2 4\r\n"
        "% behind them\r\n \r\n");
    expect_entries<TypeParam>(a, {0, 1}, {0, 1}, {3, 4});
}

TYPED_TEST(matrix_market_test, needs_no_line_end_behind_the_last_entry) {
    auto const a = this->parse("%%MatrixMarket matrix coordinate real general\n9 9 2\n1 2 3\n4 5 6");
    expect_entries<TypeParam>(a, {0, 3}, {1, 4}, {3, 6});
}

TYPED_TEST(matrix_market_test, reads_the_largest_dimensions) {
    auto const a = this->parse(
        "%%MatrixMarket matrix coordinate pattern general\n2147483648 2147483648 2\n"
        "2147483648 1\n000000000000000000000000001 2147483648\n");
    EXPECT_EQ(a.row_count, std::int64_t{1} << 31);
    expect_entries<TypeParam>(a, {2147483647, 0}, {0, 2147483647}, {1, 1});
}

TYPED_TEST(matrix_market_test, reads_indices_of_every_length) {
    std::string text = "%%MatrixMarket matrix coordinate pattern general\n2147483648 2147483648 18\n";
    indices expected;
    for (std::int64_t index = 7; index < 2147483648; index = index * 10 + 3) {
        for (int twice = 0; twice < 2; ++twice) {
            text += std::to_string(index) + "\t" + std::to_string(index) + "\n";
            expected.push_back(static_cast<std::int32_t>(index - 1));
        }
    }
    auto const a = this->parse(text);
    EXPECT_EQ(a.rows, expected);
    EXPECT_EQ(a.columns, expected);
}

class thread_count {
  public:
    explicit thread_count([[maybe_unused]] int count) {
#ifdef _OPENMP
        before_ = omp_get_max_threads();
        omp_set_num_threads(count);
#endif
    }
    ~thread_count() {
#ifdef _OPENMP
        omp_set_num_threads(before_);
#endif
    }
    thread_count(thread_count const&) = delete;
    thread_count& operator=(thread_count const&) = delete;

  private:
    [[maybe_unused]] int before_ = 1;
};

/// A text with comments, blank lines and mixed line ends, and the entries that it lists, without mirror images.
struct made_text {
    std::string text;
    coo<double> listed;
};

made_text make_text(std::string const& layout, std::string const& symmetry, std::int32_t size) {
    std::mt19937 random(42);
    bool const is_array = layout == "array";
    made_text made{{}, {size, size, {}, {}, {}}};
    std::string lines;
    for (std::int32_t column = 0; column < size; ++column) {
        auto const first = symmetry == "general" ? 0 : symmetry == "symmetric" ? column : column + 1;
        for (auto row = first; row < size; ++row) {
            if (!is_array && random() % 3 != 0) continue;
            if (random() % 8 == 0) lines += random() % 2 ? "% 1 1 1\n" : " \r\n";
            auto const value = static_cast<double>(random() % 1000) / 8 + 1;
            if (!is_array) lines += std::to_string(row + 1) + " " + std::to_string(column + 1) + " ";
            lines += std::to_string(value) + (random() % 4 == 0 ? "\r\n" : "\n");
            made.listed.rows.push_back(row);
            made.listed.columns.push_back(column);
            made.listed.values.push_back(value);
        }
    }
    made.text = "%%MatrixMarket matrix " + layout + " real " + symmetry + "\n" + std::to_string(size) + " " +
                std::to_string(size);
    if (!is_array) made.text += " " + std::to_string(made.listed.entry_count());
    made.text += "\n" + lines;
    return made;
}

coo<double> completed(coo<double> a, std::string const& symmetry) {
    if (symmetry == "general") return a;
    for (std::size_t k = 0, listed = a.values.size(); k < listed; ++k) {
        if (a.rows[k] == a.columns[k]) continue;
        a.rows.push_back(a.columns[k]);
        a.columns.push_back(a.rows[k]);
        a.values.push_back(symmetry == "symmetric" ? a.values[k] : -a.values[k]);
    }
    return a;
}

TEST(matrix_market_chunks, give_the_same_entries_however_the_text_is_cut) {
    for (std::string const layout : {"coordinate", "array"}) {
        for (std::string const symmetry : {"general", "symmetric", "skew-symmetric"}) {
            auto const made = make_text(layout, symmetry, 23);
            auto const expected = completed(made.listed, symmetry);
            for (std::size_t const chunk_bytes : {1, 2, 7, 30, 100, 1000, 1 << 20}) {
                for (int const threads : {1, 2, 5}) {
                    thread_count const limit(threads);
                    auto const a =
                        copse::detail::parse_matrix_market_in_chunks<double>(made.text, "t.mtx", chunk_bytes);
                    ASSERT_EQ(a.rows, expected.rows) << layout << symmetry << chunk_bytes;
                    ASSERT_EQ(a.columns, expected.columns) << layout << symmetry << chunk_bytes;
                    ASSERT_EQ(a.values, expected.values) << layout << symmetry << chunk_bytes;
                }
            }
        }
    }
}

TEST(matrix_market_chunks, of_the_usual_size_join_in_a_longer_text) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n100000 100000 100000\n";
    for (int k = 1; k <= 100000; ++k) text += std::to_string(k) + " " + std::to_string(100001 - k) + " 0.5\n";
    ASSERT_GT(text.size(), std::size_t{1} << 20);
    auto const a = copse::parse_matrix_market<float>(text, "t.mtx");
    ASSERT_EQ(a.entry_count(), 100000);
    for (std::int32_t k = 0; k < 100000; ++k) {
        ASSERT_EQ(a.rows[static_cast<std::size_t>(k)], k);
        ASSERT_EQ(a.columns[static_cast<std::size_t>(k)], 99999 - k);
        ASSERT_EQ(a.values[static_cast<std::size_t>(k)], 0.5f);
    }
}

TEST(matrix_market_file, is_read_like_its_text) {
    scratch_folder const folder;
    auto const made = make_text("coordinate", "symmetric", 40);
    auto const a = copse::read_matrix_market<double>(folder.file("a.mtx", made.text));
    auto const expected = completed(made.listed, "symmetric");
    EXPECT_EQ(a.rows, expected.rows);
    EXPECT_EQ(a.columns, expected.columns);
    EXPECT_EQ(a.values, expected.values);
}

TYPED_TEST(matrix_market_test, reads_vectors) {
    scratch_folder const folder;
    auto const read = [&](std::string const& text) {
        return copse::read_matrix_market_vector<TypeParam>(folder.file("x.mtx", text));
    };
    using values = std::vector<TypeParam>;
    EXPECT_EQ(read("%%MatrixMarket matrix array real general\n3 1\n1.5\n0\n-2\n"), (values{1.5, 0, -2}));
    EXPECT_EQ(read("%%MatrixMarket matrix array integer general\n1 3\n1\n2\n3\n"), (values{1, 2, 3}));
    EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\n4 1 3\n3 1 5\n1 1 7\n3 1 -1\n"),
              (values{7, 0, 4, 0}));
    EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n1 3 1\n1 3\n"), (values{0, 0, 1}));
    EXPECT_EQ(read("%%MatrixMarket matrix array real general\n1 1\n8\n"), (values{8}));
    EXPECT_EQ(read("%%MatrixMarket matrix array real general\n0 1\n"), (values{}));
    EXPECT_EQ(read("%%MatrixMarket matrix array real general\n1 0\n"), (values{}));
    EXPECT_THROW(read("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"), copse::shape_error);
    EXPECT_THROW(read("%%MatrixMarket matrix array real general\n0 0\n"), copse::shape_error);
    EXPECT_THROW(read("%%MatrixMarket matrix array real general\n2 1\n1\n"), copse::format_error);
}

}  // namespace
