// What the Matrix Market reader refuses: one line with file, line number and reason, the first offence in the file
// whatever the chunks, and no more memory than the text has lines.
#include <gtest/gtest.h>
#include <copse/runtime/error.hpp>

#include <copse/formats/matrix_market.hpp>
#include <filesystem>
#include <string>

#include "formats/files/scratch_folder.hpp"

namespace {

constexpr char const* coordinate = "%%MatrixMarket matrix coordinate real general\n";

/// The message of the format_error that reading `text` as `T` ends in; empty when it does not.
template <class T = double>
std::string fault(std::string const& text, std::size_t chunk_bytes = 1 << 20) {
    try {
        copse::detail::parse_matrix_market_in_chunks<T>(text, "t.mtx", chunk_bytes);
    } catch (copse::format_error const& e) {
        EXPECT_EQ(e.file(), "t.mtx");
        return e.what();
    }
    return "";
}

struct fault_case {
    std::string text;
    std::string message;  // starts with this
};

void expect_faults(std::vector<fault_case> const& cases) {
    for (auto const& [text, message] : cases) {
        for (std::size_t const chunk_bytes : {1, 9, 1 << 20}) {
            auto const found = fault(text, chunk_bytes);
            EXPECT_EQ(found.substr(0, message.size()), message) << text;
            EXPECT_EQ(found.find_first_of("\r\n"), std::string::npos) << text;
        }
    }
}

TEST(matrix_market_faults, in_the_banner) {
    std::string const start = "%%MatrixMarket ";
    std::string const rest = "\n2 2 1\n1 1 1\n";
    expect_faults({
        {"", "t.mtx:1: the file is empty"},
        {"\n" + start + "matrix coordinate real general" + rest, "t.mtx:1: the banner stands in line 2"},
        {"2 2 1\n1 1 1\n", "t.mtx:1: the banner is missing above"},
        {"%%NotMatrixMarket matrix coordinate real general" + rest, "t.mtx:1: the banner starts with '%%NotMatrix"},
        {"%%MatrixMarketmatrix coordinate real general" + rest, "t.mtx:1: the banner starts with '%%MatrixMarketm"},
        {"%MatrixMarket matrix coordinate real general" + rest, "t.mtx:1: a percent sign is missing"},
        {"Words" + rest, "t.mtx:1: the first line has to be a banner"},
        {start + "matrix coordinate real" + rest, "t.mtx:1: a banner has five words"},
        {start + "matrix coordinate real general sorted" + rest, "t.mtx:1: a banner has five words"},
        {start + "vector coordinate real general" + rest, "t.mtx:1: the banner says 'vector'; only matrix"},
        {start + "matrix list real general" + rest, "t.mtx:1: the banner says 'list' where coordinate or array"},
        {start + "matrix coordinate double general" + rest, "t.mtx:1: the banner says 'double' where real, integer"},
        {start + "matrix coordinate ____ general" + rest, "t.mtx:1: the banner says '____' where real, integer"},
        {start + "matrix coordinate real lower" + rest, "t.mtx:1: the banner says 'lower' where general, symmetric"},
        {start + "matrix coordinate real hermitian" + rest, "t.mtx:1: hermitian goes with complex matrices only"},
        {start + "matrix coordinate complex hermitian" + rest, "t.mtx:1: complex matrices are not supported yet"},
        {start + "matrix array COMPLEX general\n1 1\n1 0\n", "t.mtx:1: complex matrices are not supported yet"},
        {start + "matrix array pattern general\n1 1\n", "t.mtx:1: an array has values"},
        {start + "matrix coordinate pattern skew-symmetric" + rest, "t.mtx:1: a pattern has no signs"},
    });
}

TEST(matrix_market_faults, in_the_size_line) {
    std::string const c = coordinate;
    std::string const array = "%%MatrixMarket matrix array real general\n";
    expect_faults({
        {c, "t.mtx:1: the file ends before its size line"},
        {"%%MatrixMarket matrix coordinate real general", "t.mtx:1: the file ends before its size line"},
        {array + "% nothing\n\n% more\n", "t.mtx:4: the file ends before its size line"},
        {c + "%\n2 2\n1 1 1\n", "t.mtx:3: the size line has to be 'rows columns entries'; it has 2 words"},
        {c + "2 2 1 1\n1 1 1\n", "t.mtx:2: the size line has to be 'rows columns entries'; it has 4 words"},
        {array + "2\n1\n2\n", "t.mtx:2: the size line has to be 'rows columns'; it has 1 words"},
        {array + "1 1 1\n2\n", "t.mtx:2: the size line has to be 'rows columns'; it has 3 words"},
        {c + "-2 2 1\n1 1 1\n", "t.mtx:2: the size line has '-2'; it must be from 0 to 2147483648"},
        {c + "2 2147483649 1\n1 1 1\n", "t.mtx:2: the size line has '2147483649'; it must be from 0 to 2147483648"},
        {c + "99999999999999999999 2 1\n1 1 1\n",
         "t.mtx:2: the size line has '99999999999999999999'; it must be from 0 to"},
        {c + "2 2 -1\n", "t.mtx:2: the size line has '-1'; it must be from 0 to 9223372036854775807"},
        {c + "2 2 9223372036854775808\n", "t.mtx:2: the size line has '9223372036854775808'; it must be from 0 to"},
        {c + "2 two 1\n1 1 1\n", "t.mtx:2: the size line has 'two' where a whole number belongs"},
        {c + "2 2.0 1\n1 1 1\n", "t.mtx:2: the size line has '2.0' where a whole number belongs: write its"},
        {c + "1 1 0.5\n2 2 1\n", "t.mtx:2: the size line has '0.5' where a whole number belongs; the first line that"},
        {c + "2 2\n1 1\n", "t.mtx:2: the size line has to be 'rows columns entries'; it has 2 words: is it missing"},
        {c + "2 2 1e0\n1 1 1\n", "t.mtx:2: the size line has '1e0' where a whole number belongs"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n", "t.mtx:2: 3 rows and 4 columns"},
        {"%%MatrixMarket matrix array real skew-symmetric\n1 2\n1\n", "t.mtx:2: 1 rows and 2 columns"},
    });
}

TEST(matrix_market_faults, in_indices) {
    std::string const c = std::string(coordinate) + "7 8 2\n1 1 1\n";
    expect_faults({
        {c + "5000 2 1\n", "t.mtx:4: row index '5000' is outside 1 to 7"},
        {c + "8 2 1\n", "t.mtx:4: row index '8' is outside 1 to 7"},
        {c + "2 9 1\n", "t.mtx:4: column index '9' is outside 1 to 8"},
        {c + "2 0 1\n", "t.mtx:4: column index '0' is outside 1 to 8: the first index is 1, not 0"},
        {c + "-1 2 1\n", "t.mtx:4: row index '-1' is outside 1 to 7"},
        {c + "4294967297 2 1\n", "t.mtx:4: row index '4294967297' is outside 1 to 7"},
        {c + "2 18446744073709551617 1\n", "t.mtx:4: column index '18446744073709551617' is outside 1 to 8"},
        {c + "two 2 1\n", "t.mtx:4: row index 'two' is not a whole number"},
        {c + "2 zero pi\n", "t.mtx:4: column index 'zero' is not a whole number"},
        {c + "1.0 2 1\n", "t.mtx:4: row index '1.0' is not a whole number as such: write its digits alone"},
        {c + "2 1e+05 1\n", "t.mtx:4: column index '1e+05' is not a whole number as such: write its digits alone"},
        {c + "+1 2 1\n", "t.mtx:4: row index '+1' is not a whole number"},
        {c + "1,2,1\n", "t.mtx:4: row index '1,2,1' is not a whole number: blanks part words"},
        {c + std::string("1\0 2 1\n", 7), "t.mtx:4: row index '1\\x00' is not a whole number"},
        {c + std::string(100, '\xff') + " 2 1\n", "t.mtx:4: row index '\\xff\\xff"},
    });
    EXPECT_LT(fault(c + std::string(100000, 'x')).size(), 120u);
}

TEST(matrix_market_faults, in_values) {
    std::string const c = std::string(coordinate) + "7 7 2\n1 1 1\n";
    std::string const integer = "%%MatrixMarket matrix coordinate integer general\n7 7 1\n";
    expect_faults({
        {c + "2 2 forty-two\n", "t.mtx:4: value 'forty-two' is not a number"},
        {c + "2 2 1.5x\n", "t.mtx:4: value '1.5x' is not a number"},
        {c + "2 2 1.0D+05\n", "t.mtx:4: value '1.0D+05' is not a number: E stands before an exponent"},
        {c + "2 2 0,5\n",
         "t.mtx:4: value '0,5' is not a number: blanks part words, and a point stands before decimals"},
        {c + "2 2 0x10\n", "t.mtx:4: value '0x10' is not a number"},
        {c + "2 2 1e\n", "t.mtx:4: value '1e' is not a number"},
        {c + "2 2 +-1\n", "t.mtx:4: value '+-1' is not a number"},
        {c + "2 2 +\n", "t.mtx:4: value '+' is not a number"},
        {c + "2 2 .\n", "t.mtx:4: value '.' is not a number"},
        {c + "2 2 infinite\n", "t.mtx:4: value 'infinite' is not a number"},
        {c + "2 2 1E9999\n", "t.mtx:4: value '1E9999' is too large for a double"},
        {c + "2 2 -2e308\n", "t.mtx:4: value '-2e308' is too large for a double"},
        {c + "2 2 1" + std::string(309, '0') + "\n", "t.mtx:4: value '1000"},
        {c + "2 2 0." + std::string(30, '0') + "1e999999999999999999999\n", "t.mtx:4: value '0.0"},
        {integer + "1 1 1.5\n", "t.mtx:3: value '1.5' is not a whole number: write real for integer in the banner"},
        {integer + "1 1 15e-1\n", "t.mtx:3: value '15e-1' is not a whole number: write real for integer in the banner"},
        {integer + "1 1 inf\n", "t.mtx:3: value 'inf' is not a whole number: write real for integer in the banner"},
        {integer + "1 1 one\n", "t.mtx:3: value 'one' is not a whole number"},
        {integer + "1 1 -\n", "t.mtx:3: value '-' is not a whole number"},
        {"%%MatrixMarket matrix array real general\n1 2\n5\nfive\n", "t.mtx:4: value 'five' is not a number"},
    });
    for (std::string const value : {"1e+16", "2.0", "-3.", "1e3", "120e-1", "1.25E2", "0.0", "0e-9", "+0.5e1", "1e400",
                                    "100e-2", "1e99999999999999999999"}) {
        EXPECT_EQ(fault(integer + "1 1 " + value + "\n"),
                  "t.mtx:3: value '" + value +
                      "' is a whole number, written as a real one: write its digits alone, or "
                      "real for integer in the banner");
    }
    EXPECT_EQ(fault<float>(c + "2 2 1e39\n"), "t.mtx:4: value '1e39' is too large for a float");
}

TEST(matrix_market_faults, in_the_number_of_words) {
    std::string const c = std::string(coordinate) + "7 7 2\n1 1 1\n";
    std::string const pattern = "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n";
    std::string const array = "%%MatrixMarket matrix array real general\n2 1\n";
    expect_faults({
        {c + "5 2\n", "t.mtx:4: an entry has a row, a column and a value here; this line has 2 words: write pattern"},
        {c + "5 2", "t.mtx:4: an entry has a row, a column and a value here; this line has 2 words"},
        {c + "5\n2 3\n", "t.mtx:4: an entry has a row, a column and a value here; this line has 1 word"},
        {c + "5 2 1 1\n", "t.mtx:4: an entry has a row, a column and a value here; this line has 4 words: complex"},
        {c + "5 2 1 % remark\n", "t.mtx:4: an entry has a row, a column and a value here; this line has 5 words"},
        {pattern + "1\n", "t.mtx:3: an entry has a row and a column here; this line has 1 word"},
        {pattern + "1 1 1\n",
         "t.mtx:3: an entry has a row and a column here; this line has 3 words: write real for pattern"},
        {array + "1 2\n", "t.mtx:3: an entry has one value here; this line has 2 words: one value a line"},
        {array + "1 2 3\n",
         "t.mtx:3: an entry has one value here; this line has 3 words: one value a line, column by column; "
         "write coordinate"},
    });
}

TEST(matrix_market_faults, in_the_number_of_entries) {
    std::string const c = std::string(coordinate) + "%\n7 7 3\n1 1 1\n";
    std::string const array = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n";
    std::string const promises = "the size line (line 3) promises 3 entries, the file has ";
    expect_faults({
        {c + "2 2 2\n", "t.mtx:5: " + promises + "2 and ends here"},
        {c + "\n2 2 2", "t.mtx:6: " + promises + "2 and ends here"},
        {c + "2 2 2\n3 3 3\n% all\n4 4 4\n5 5 5\n", "t.mtx:8: " + promises + "5: this is the first too many"},
        {c + "2 2 2\n3 3 3\nand more\n", "t.mtx:7: " + promises + "4: this is the first too many"},
        {array, "t.mtx:5: the shape in line 2 asks for 4 entries, the file has 3 and ends here"},
        {array + "4\n5\n", "t.mtx:7: the shape in line 2 asks for 4 entries, the file has 5: this is"},
        {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n4\n5\n", "t.mtx:6: the shape in line 2 asks for 3"},
        {"%%MatrixMarket matrix array real skew-symmetric\n2 2\n1\n2\n", "t.mtx:4: the shape in line 2 asks for 1"},
        {"%%MatrixMarket matrix array real skew-symmetric\n3 3\n% d\n0\n1\n2\n0\n3\n0\n",
         "t.mtx:4: a skew-symmetric array leaves out its diagonal, and this file lists it: 6 values where 3 belong; "
         "delete"},
        {"%%MatrixMarket matrix array real skew-symmetric\n1 1\n0\n", "t.mtx:3: a skew-symmetric array leaves out its"},
        {"%%MatrixMarket matrix array real skew-symmetric\n2 2\n0\n1\n-1\n0\n",
         "t.mtx:3: this file lists all 4 values, where a skew-symmetric array has the 1 below the diagonal"},
        {"%%MatrixMarket matrix array real symmetric\n2 2\n0\n1\n1\n0\n",
         "t.mtx:3: this file lists all 4 values, where a symmetric array has the 3 on and below the diagonal"},
        {"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n4\n", "t.mtx:6: the shape in line 2 asks"},
        {"%%MatrixMarket matrix array real general\n0 2\n1\n", "t.mtx:3: the shape in line 2 asks for 0 entries"},
    });
}

TEST(matrix_market_faults, in_symmetric_entries) {
    std::string const symmetric = "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n";
    std::string const skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n";
    std::string const sides = "a symmetric or skew-symmetric file lists one triangle";
    expect_faults({
        {symmetric + "2 1 5\n3 3 1\n1 2 5\n", "t.mtx:6: " + sides},
        {symmetric + "2 1 5\n1 2 5\n1 3 5\n", "t.mtx:5: " + sides},
        {symmetric + "1 3 5\n2 1 5\n9 9 9\n", "t.mtx:5: " + sides},
        {symmetric + "1 3 5\n9 9 9\n2 1 5\n", "t.mtx:5: row index '9' is outside"},
        {skew + "1 3 5\n", "t.mtx:4: " + sides},
        {skew + "2 2 0.5\n", "t.mtx:4: a skew-symmetric matrix has zeros on its diagonal; this entry there is '0.5'"},
        {skew + "2 2 nan\n", "t.mtx:4: a skew-symmetric matrix has zeros on its diagonal; this entry there is 'nan'"},
    });
}

// Were memory taken for what a size line promises, these would end in std::bad_alloc.
TEST(matrix_market_faults, in_promises_that_no_memory_could_hold) {
    expect_faults({
        {std::string(coordinate) + "2 2 1000000000000000000\n1 1 1\n",
         "t.mtx:3: the size line (line 2) promises 1000000000000000000 entries, the file has 1 and ends here"},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 9223372036854775807\n",
         "t.mtx:2: the size line (line 2) promises 9223372036854775807 entries, the file has 0 and ends here"},
        {"%%MatrixMarket matrix array real general\n2147483648 2147483648\n1\n",
         "t.mtx:3: the shape in line 2 asks for 4611686018427387904 entries, the file has 1 and ends here"},
        {"%%MatrixMarket matrix array real symmetric\n2147483648 2147483648\n1\n",
         "t.mtx:3: the shape in line 2 asks for 2305843010287435776 entries"},
    });
}

// Two offences in each text, in different chunks: the earlier one is told for any size of chunks.
TEST(matrix_market_faults, of_the_earlier_line_win) {
    std::string text = std::string(coordinate) + "900 900 900\n";
    for (int k = 1; k <= 900; ++k) text += std::to_string(k) + " 1 1\n";
    auto late = text;
    late.replace(late.find("\n800 1 1\n"), 9, "\n800 1 x\n");
    auto both = late;
    both.replace(both.find("\n70 1 1\n"), 8, "\n70 1000 1\n");
    for (std::size_t const chunk_bytes : {1, 5, 64, 500, 3000, 1 << 20}) {
        EXPECT_EQ(fault(text, chunk_bytes), "");
        EXPECT_EQ(fault(late, chunk_bytes), "t.mtx:802: value 'x' is not a number");
        EXPECT_EQ(fault(both, chunk_bytes), "t.mtx:72: column index '1000' is outside 1 to 900");
        EXPECT_EQ(fault(both + "1 1 1\n", chunk_bytes), "t.mtx:72: column index '1000' is outside 1 to 900");
    }
}

TEST(matrix_market_faults, of_the_file_itself_name_path_and_reason) {
    scratch_folder const folder;
    auto const message = [](std::string const& path) {
        try {
            copse::read_matrix_market<float>(path);
        } catch (copse::argument_error const& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_EQ(message(folder.path("none.mtx")),
              "cannot read '" + folder.path("none.mtx") + "': No such file or directory; check the path");
    EXPECT_EQ(message("no such.mtx"),
              "cannot read 'no such.mtx': No such file or directory; the path is relative to '" +
                  std::filesystem::current_path().string() + "'");
    EXPECT_EQ(message(folder.path("")), "cannot read '" + folder.path("") + "': Is a directory; name a file in it");
    EXPECT_THROW(copse::read_matrix_market<float>(folder.file("empty.mtx", "")), copse::format_error);
}

}  // namespace
