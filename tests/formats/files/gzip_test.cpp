// Matrix Market text that gzip compressed: read as it is without that, and refused where it is not complete.
#include <gtest/gtest.h>
#include <copse/runtime/error.hpp>

#include <copse/formats/matrix_market.hpp>
#include <string>
#include <vector>

#include "formats/files/gzipped.hpp"
#include "formats/files/scratch_folder.hpp"

namespace {

std::string const small = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1.5\n3 2 -2\n";

/// The message of the format_error that reading `bytes` ends in; empty when it does not.
std::string fault(std::string const& bytes) {
    try {
        copse::parse_matrix_market<double>(bytes, "t.mtx");
    } catch (copse::format_error const& e) {
        return e.what();
    }
    return "";
}

void expect_same(copse::coo<double> const& a, copse::coo<double> const& b) {
    EXPECT_EQ(a.row_count, b.row_count);
    EXPECT_EQ(a.column_count, b.column_count);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.columns, b.columns);
    EXPECT_EQ(a.values, b.values);
}

TEST(gzip, is_told_by_the_first_bytes_whatever_the_name) {
    scratch_folder const folder;
    auto const a = copse::parse_matrix_market<double>(small, "");
    for (auto const* name : {"a.mtx.gz", "a.mtx"}) {
        expect_same(copse::read_matrix_market<double>(folder.file(name, gzipped(small))), a);
    }
    expect_same(copse::read_matrix_market<double>(folder.file("b.mtx.gz", small)), a);
    auto const x = folder.file("x.mtx.gz", gzipped("%%MatrixMarket matrix array real general\n2 1\n7\n8\n"));
    EXPECT_EQ(copse::read_matrix_market_vector<float>(x), (std::vector<float>{7, 8}));
}

TEST(gzip, is_cut_into_chunks_like_its_text) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n100000 100000 50000\n";
    for (int k = 1; k <= 50000; ++k) text += std::to_string(k) + " " + std::to_string(100001 - k) + " 0.5\n";
    auto const a = copse::parse_matrix_market<double>(text, "");
    expect_same(copse::parse_matrix_market<double>(gzipped(text), ""), a);
    expect_same(copse::detail::parse_matrix_market_in_chunks<double>(gzipped(text), "", 1000), a);
}

// The length that the last member gives is no help here; the text grows beyond the room that was taken for it.
TEST(gzip, may_have_several_members_and_padding) {
    std::string const comments(200000, '%');
    auto const bytes =
        gzipped(small.substr(0, 60)) + gzipped(small.substr(60)) + gzipped(comments + "\n") + gzipped("");
    auto const a = copse::parse_matrix_market<double>(small, "");
    expect_same(copse::parse_matrix_market<double>(bytes, ""), a);
    expect_same(copse::parse_matrix_market<double>(bytes + std::string(500, '\0'), ""), a);
}

TEST(gzip, names_the_line_of_its_text) {
    EXPECT_EQ(fault(gzipped(small + "9 9 9\n")), fault(small + "9 9 9\n"));
    EXPECT_EQ(fault(gzipped("%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1\n")),
              "t.mtx:3: row index '4' is outside 1 to 3");
}

TEST(gzip, that_is_cut_short_is_refused) {
    auto const bytes = gzipped(small);
    for (std::size_t size = 2; size < bytes.size(); ++size) {
        auto const message = fault(bytes.substr(0, size));
        EXPECT_NE(message.find(": the gzip data are cut short here: get the file again"), message.npos)
            << size << message;
    }
}

TEST(gzip, with_any_damage_is_refused_or_read_right) {
    auto const bytes = gzipped(small);
    auto const a = copse::parse_matrix_market<double>(small, "");
    int refused = 0;
    for (std::size_t k = 2; k < bytes.size(); ++k) {
        auto damaged = bytes;
        damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
        auto const message = fault(damaged);
        EXPECT_EQ(message.find_first_of("\r\n"), message.npos);
        if (message.empty()) expect_same(copse::parse_matrix_market<double>(damaged, ""), a);  // time, file system
        refused += !message.empty();
    }
    EXPECT_GE(refused, static_cast<int>(bytes.size()) - 10);
    auto wrong_sum = bytes;
    wrong_sum[bytes.size() - 8] ^= 1;
    EXPECT_EQ(fault(wrong_sum),
              "t.mtx:5: the gzip data are damaged at or before this line (incorrect data check): get the file again");
}

TEST(gzip, with_something_else_behind_it_is_refused) {
    EXPECT_EQ(fault(gzipped(small) + "more"),
              "t.mtx:5: 4 bytes that are no gzip data follow the gzip data: get the file again");
}

// As SuiteSparse hands them out. What follows the first bytes is not inflated: here it is missing.
TEST(gzip, of_something_else_is_refused_early) {
    auto tar = std::string("A/A.mtx") + std::string(250, '\0') + "ustar";
    for (int k = 0; k < 40000; ++k) tar += std::to_string(k * 7919);
    auto const bytes = gzipped(tar);
    EXPECT_EQ(
        fault(bytes.substr(0, bytes.size() - 100)),
        "t.mtx:1: this is a tar archive, not Matrix Market text; unpack it with tar -xf 't.mtx' and name the .mtx "
        "file in it");
    EXPECT_EQ(fault(gzipped(gzipped(small))),
              "t.mtx:1: this is a file compressed by gzip twice, not Matrix Market text; decompress it once: "
              "gzip -dc 't.mtx' > matrix.mtx.gz");
}

}  // namespace
