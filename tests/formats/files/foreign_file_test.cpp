// What people hand in for a Matrix Market file by mistake: the message says what it is, and what to do.
#include <gtest/gtest.h>
#include <copse/runtime/error.hpp>

#include <copse/formats/matrix_market.hpp>
#include <string>
#include <vector>

namespace {

using namespace std::string_literals;

struct foreign_case {
    std::string text;
    std::string message;  // somewhere in what is said
};

void expect_named(std::vector<foreign_case> const& cases) {
    for (auto const& [text, message] : cases) {
        SCOPED_TRACE(message);
        try {
            copse::parse_matrix_market<double>(text, "t.mtx");
            ADD_FAILURE() << "it was read";
        } catch (copse::format_error const& e) {
            std::string const what = e.what();
            EXPECT_EQ(what.rfind("t.mtx:1: ", 0), 0u) << what;
            EXPECT_NE(what.find(message), what.npos) << what;
            EXPECT_EQ(what.find_first_of("\r\n"), what.npos) << what;
        }
    }
}

TEST(foreign_file, compressed_names_the_command) {
    std::string tar(512, '\0');
    tar.replace(0, 7, "A/A.mtx");
    tar.replace(257, 5, "ustar");
    expect_named({
        {"BZh91AY&SY"s,
         "a file compressed by bzip2, not Matrix Market text; decompress it: bzip2 -dc 't.mtx' > matrix.mtx"},
        {"\xfd"
         "7zXZ\0\0"s,
         "a file compressed by xz, not Matrix Market text; decompress it: xz -dc 't.mtx' > matrix.mtx"},
        {"\x28\xb5\x2f\xfd\x04"s, "by zstd, not Matrix Market text; decompress it: zstd -dc 't.mtx' > matrix.mtx"},
        {"\x04\x22\x4d\x18"s, "by lz4, not Matrix Market text; decompress it: lz4 -dc 't.mtx'"},
        {"\x5d\0\0\x80\0"s, "compressed by lzma"},
        {"LZIP\1"s, "compressed by lzip"},
        {"\x1f\x9d\x90"s, "compressed by compress, not Matrix Market text; decompress it: gzip -dc"},
        {"PK\3\4\x14\0\0\0\0\0"s, "a zip archive, not Matrix Market text; unpack it with unzip 't.mtx'"},
        {"7z\xbc\xaf\x27\x1c\0"s, "a 7z archive"},
        {"Rar!\x1a\x07\1"s, "a rar archive"},
        {tar, "a tar archive, not Matrix Market text; unpack it with tar -xf"},
    });
}

TEST(foreign_file, binary_names_the_format) {
    expect_named({
        {"\x89HDF\r\n\x1a\n\0"s, "an HDF5 file"},
        {"MATLAB 7.3 MAT-file, Platform: GLNXA64"s, "a MATLAB file, not Matrix Market text; read it with"},
        {"MATLAB 5.0 MAT-file, Platform: PCWIN64"s, "a MATLAB file, not Matrix Market text; load it"},
        {"\x93NUMPY\1\0v\0{'descr'"s, "a NumPy array (.npy)"},
        {"PK\3\4\x14\0\0\0\0\0indices.npy"s, "a NumPy archive (.npz), not Matrix Market text; write the matrix"},
        {"\x80\4\x95\0"s, "a Python pickle"},
        {"\0\x12\x7b\x50\0\0\0\3"s, "a PETSc matrix in binary"},
        {"\0\x12\x7b\x4e\0\0\0\3"s, "a PETSc vector in binary"},
        {"RDX3\nX\n"s, "an R data file"},
        {"X\n\0\0\0\3"s, "an R data file (.rds)"},
        {"PAR1\x15\4"s, "a Parquet file"},
        {"SQLite format 3\0"s, "an SQLite database"},
        {"\x7f"
         "ELF\2\1\1\0"s,
         "a program or library (ELF)"},
        {"%PDF-1.5\n%"s, "a PDF document"},
        {"\x89PNG\r\n\x1a\n"s, "a PNG picture"},
        {std::string(1000, '\0'), "zero bytes alone"},
        {"\1\2\3\4 of a program's own"s, "a binary file of an unknown kind"},
    });
}

TEST(foreign_file, text_of_another_encoding_names_the_command) {
    expect_named({
        {"\xff\xfe%\0%\0M\0"s,
         "text in UTF-16, as PowerShell writes it, not Matrix Market text; convert it: iconv -f UTF-16 "},
        {"\xfe\xff\0%\0%\0M"s, "text in UTF-16, not Matrix Market text"},
        {"%\0%\0M\0a\0"s, "iconv -f UTF-16LE"},
        {"\0%\0%\0M\0a"s, "iconv -f UTF-16BE"},
        {"%%MatrixMarket matrix coordinate real general\r% one\r1 1 1\r1 1 2\r"s,
         "carriage returns alone, as on old Macs; convert them: tr '\\r' '\\n' < 't.mtx' > matrix.mtx"},
    });
}

TEST(foreign_file, text_names_the_format) {
    std::string const boeing =
        "1138_BUS    symmetric structure                                         1138BUS \n"
        "           722            77           220           425             0\n"
        "RSA                     1138          1138          2596             0\n";
    auto rutherford = boeing;
    rutherford.replace(rutherford.find("RSA"), 3, "iua");
    expect_named({
        {"", "the file is empty"},
        {" \r\n\n", "the file is empty"},
        {"<!DOCTYPE html>\n<html><title>404</title>",
         "an HTML page, not Matrix Market text; a download may have failed"},
        {"\xef\xbb\xbf\n <HTML>", "an HTML page"},
        {"<?xml version=\"1.0\"?><graphml>", "an HTML or XML file"},
        {"404: Not Found", "a web server's error message"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
         "a pointer of Git LFS in place of the file, not Matrix Market text; get the file with git lfs pull"},
        {"{\"rows\": [1]}", "JSON"},
        {"#!/bin/sh\n", "a script"},
        {boeing, "a Harwell-Boeing or Rutherford-Boeing file"},
        {rutherford, "a Harwell-Boeing or Rutherford-Boeing file"},
        {"*Vertices 3\n1 \"a\"\n", "a Pajek graph"},
        {"c a road\np sp 3 1\na 1 2 5\n", "a DIMACS graph"},
        {"# Created by Octave 8.4.0\n# name: A\n", "a text file by Octave"},
        {"from,to,weight\n1,2,0.5\n", "comma-separated values"},
        {"1;2;0,5\n", "comma-separated values"},
        {"+1 1:0.5 7:2\n-1 2:1\n", "a LIBSVM file"},
        {"Dear reader,\n1 2 3\n",
         "the first line has to be a banner that says what the file holds, for example "
         "'%%MatrixMarket matrix coordinate real general'; it is 'Dear reader,'"},
        {std::string(100000, 'x'), "it is 'xxxxxxxxxxxxxxxx"},
    });
}

TEST(foreign_file, numbers_alone_are_told_by_their_lines) {
    expect_named({
        {"3 3 2\n1 1\n3 2\n",
         "the banner is missing above rows, columns and entries: put a line "
         "'%%MatrixMarket matrix coordinate pattern general' there"},
        {"% a comment\n3 3 2\n1 1 0.5\n3 2 -1\n", "'%%MatrixMarket matrix coordinate real general' there"},
        {"404 404 1\n7 9 0.5\n", "the banner is missing"},
        {"3 1\n0.5\n1\n2\n",
         "the banner is missing above rows and columns: put a line '%%MatrixMarket matrix array real"},
        {"# Directed graph\n# Nodes: 3 Edges: 2\n0\t1\n0\t2\n",
         "a list of edges or entries without a header (SNAP, COO): "
         "put a line '%%MatrixMarket matrix coordinate pattern"},
        {"1 1 0.5\n3 2 -1\n4 4 1\n",
         "a list of edges or entries without a header (SNAP, COO): put a line "
         "'%%MatrixMarket matrix coordinate real general'"},
        {"0.5\n1e3\nnan\n", "a list of numbers without a header"},
        {"1 2 3 4\n5 6 7 8\n",
         "a table of numbers; write it as Matrix Market, for example with "
         "scipy.io.mmwrite('matrix.mtx', numpy.loadtxt('t.mtx'))"},
        {"7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", "a METIS graph"},
    });
}

TEST(foreign_file, banners_that_are_misspelt) {
    std::string const rest = " matrix coordinate real general\n1 1 1\n1 1 1\n";
    expect_named({
        {"%MatrixMarket" + rest, "a percent sign is missing in front of '%MatrixMarket': the banner starts with two"},
        {"%%%MatrixMarket" + rest, "the banner starts with '%%%MatrixMarket'; it has to start with '%%MatrixMarket'"},
        {"MatrixMarket" + rest, "the banner starts with 'MatrixMarket'; it has to start with '%%MatrixMarket'"},
        {"%% MatrixMarket" + rest, "the banner starts with '%%'; it has to start with '%%MatrixMarket'"},
        {"%%Matrix Market" + rest, "the banner starts with '%%Matrix'; it has to start with '%%MatrixMarket'"},
        {"%%MatrixMarketmatrix coordinate real general\n", "and a blank behind that"},
        {"% made today\n\n%%MatrixMarket" + rest, "the banner stands in line 3; it has to be the first line"},
        {"%%MatrixMarket matrix real coordinate general\n",
         "the banner says 'real' where coordinate or array belongs; its words stand in this order"},
        {"%%MatrixMarket directed graph coordinate pattern general\n",
         "the banner says 'directed'; only matrix is known"},
        {"%%MatrixMarket graph coordinate pattern general\n", "the banner says 'graph'; only matrix is known"},
    });
}

}  // namespace
