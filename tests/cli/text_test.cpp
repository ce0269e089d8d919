#include "cli/text.hpp"

#include <gtest/gtest.h>

namespace copse::cli {
namespace {

TEST(text, with_commas) {
    EXPECT_EQ(with_commas(0), "0");
    EXPECT_EQ(with_commas(999), "999");
    EXPECT_EQ(with_commas(1000), "1,000");
    EXPECT_EQ(with_commas(1234567), "1,234,567");
    EXPECT_EQ(with_commas(-100), "-100");
    EXPECT_EQ(with_commas(-1000), "-1,000");
}

TEST(text, human_bytes) {
    EXPECT_EQ(human_bytes(0), "0 B");
    EXPECT_EQ(human_bytes(999), "999 B");
    EXPECT_EQ(human_bytes(1000), "1.00 kB");
    EXPECT_EQ(human_bytes(194'300'000), "194 MB");
    EXPECT_EQ(human_bytes(999'600), "1.00 MB");
    EXPECT_EQ(human_bytes(99'960), "100 kB");
}

TEST(text, human_seconds) {
    EXPECT_EQ(human_seconds(0), "0.00 us");
    EXPECT_EQ(human_seconds(0.0000283), "28.3 us");
    EXPECT_EQ(human_seconds(0.00283), "2.83 ms");
    EXPECT_EQ(human_seconds(0.9996), "1.00 s");
    EXPECT_EQ(human_seconds(123.4), "123 s");
}

TEST(text, one_line) {
    EXPECT_EQ(one_line("a\nb\r\n\tc\x1b[0m\n"), "a b c [0m");
    EXPECT_EQ(one_line("\n"), "");
    EXPECT_EQ(one_line("n\xc3\xa4h"), "n\xc3\xa4h");
}

TEST(text, table_aligns_columns) {
    table t("lr");
    t.add({"name", "size"});
    t.add({"\xc3\xa4", "10"});
    EXPECT_EQ(t.text(), "name  size\n\xc3\xa4       10\n");
}

TEST(text, table_has_no_trailing_spaces) {
    table t("ll");
    t.add({"a", "long"});
    t.add({"b", ""});
    EXPECT_EQ(t.text(), "a  long\nb\n");
}

}  // namespace
}  // namespace copse::cli
