// Files that people hand in for Matrix Market files by mistake: see matrix_market_header.hpp. Rules of three kinds, in
// order:
//   signatures   bytes at a fixed place, for binary files
//   openings     how a text starts
//   lines        what the first lines look like: Harwell-Boeing, a misspelt banner, numbers without a header
#include <fmt/format.h>

#include <algorithm>
#include <copse/formats/files/matrix_market_header.hpp>
#include <copse/formats/files/matrix_market_numbers.hpp>
#include <copse/formats/files/matrix_market_words.hpp>
#include <utility>
#include <vector>

namespace copse::detail {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t looked_at = std::size_t{1} << 16;

struct known_start {
    std::string_view bytes;
    std::string_view what;
    std::string_view advice;  // {} is the file's name
    std::size_t offset = 0;
    std::string_view also = {};  // stands somewhere in the text
};

constexpr auto no_matrix = "name a Matrix Market file"sv;
constexpr auto from_scipy = "write the matrix as Matrix Market with scipy.io.mmwrite"sv;
constexpr auto from_hdf5 =
    "read it with the program that it is from (h5py, MATLAB) and write its matrix with mmwrite"sv;
constexpr auto from_petsc = "load it with PETSc and view it in the format PETSC_VIEWER_ASCII_MATRIXMARKET"sv;
constexpr auto from_r = "load it in R and write the matrix with Matrix::writeMM"sv;
constexpr auto see_what_came = "a download may have failed: open it in a browser to see what it says"sv;
constexpr auto to_utf8 = "convert it: iconv -f UTF-16 -t UTF-8 '{}' > matrix.mtx"sv;

constexpr known_start signatures[] = {
    {"\x1f\x8b", "a file compressed by gzip twice", "decompress it once: gzip -dc '{}' > matrix.mtx.gz"},
    {"BZh", "a file compressed by bzip2", "decompress it: bzip2 -dc '{}' > matrix.mtx"},
    {"\xfd"
     "7zXZ\0"sv,
     "a file compressed by xz", "decompress it: xz -dc '{}' > matrix.mtx"},
    {"\x5d\0\0"sv, "a file compressed by lzma", "decompress it: xz -dc '{}' > matrix.mtx"},
    {"LZIP", "a file compressed by lzip", "decompress it: lzip -dc '{}' > matrix.mtx"},
    {"\x28\xb5\x2f\xfd", "a file compressed by zstd", "decompress it: zstd -dc '{}' > matrix.mtx"},
    {"\x04\x22\x4d\x18", "a file compressed by lz4", "decompress it: lz4 -dc '{}' > matrix.mtx"},
    {"\x1f\x9d", "a file compressed by compress", "decompress it: gzip -dc '{}' > matrix.mtx"},
    {"PK\3\4", "a NumPy archive (.npz)", from_scipy, 0, ".npy"},
    {"PK\3\4", "a zip archive", "unpack it with unzip '{}' and name the .mtx file in it"},
    {"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it with 7z x '{}' and name the .mtx file in it"},
    {"Rar!\x1a\x07", "a rar archive", "unpack it with unrar x '{}' and name the .mtx file in it"},
    {"ustar", "a tar archive", "unpack it with tar -xf '{}' and name the .mtx file in it", 257},
    {"MATLAB 7.3 MAT-file", "a MATLAB file", from_hdf5},
    {"MATLAB 5.0 MAT-file", "a MATLAB file", "load it (scipy.io.loadmat, MATLAB) and write its matrix with mmwrite"},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file", from_hdf5},
    {"\x93NUMPY", "a NumPy array (.npy)", from_scipy},
    {"\x80\2", "a Python pickle", from_scipy},
    {"\x80\3", "a Python pickle", from_scipy},
    {"\x80\4", "a Python pickle", from_scipy},
    {"\x80\5", "a Python pickle", from_scipy},
    {"\0\x12\x7b\x50"sv, "a PETSc matrix in binary", from_petsc},
    {"\0\x12\x7b\x4e"sv, "a PETSc vector in binary", from_petsc},
    {"RDX", "an R data file", from_r},
    {"X\n\0\0\0"sv, "an R data file (.rds)", from_r},
    {"PAR1", "a Parquet file", no_matrix},
    {"SQLite format 3", "an SQLite database", no_matrix},
    {"\x7f"
     "ELF",
     "a program or library (ELF)", no_matrix},
    {"%PDF-", "a PDF document", no_matrix},
    {"%!PS", "a PostScript document", no_matrix},
    {"\x89PNG", "a PNG picture", no_matrix},
    {"\xff\xd8\xff", "a JPEG picture", no_matrix},
    {"GIF8", "a GIF picture", no_matrix},
    {"\xff\xfe", "text in UTF-16, as PowerShell writes it", to_utf8},
    {"\xfe\xff", "text in UTF-16", to_utf8},
    {"%\0%\0"sv, "text in UTF-16", "convert it: iconv -f UTF-16LE -t UTF-8 '{}' > matrix.mtx"},
    {"\0%\0%"sv, "text in UTF-16", "convert it: iconv -f UTF-16BE -t UTF-8 '{}' > matrix.mtx"},
};

/// In lower case, at the first byte that is not blank.
constexpr known_start openings[] = {
    {"version https://git-lfs", "a pointer of Git LFS in place of the file", "get the file with git lfs pull"},
    {"<!doctype html", "an HTML page", see_what_came},
    {"<html", "an HTML page", see_what_came},
    {"<", "an HTML or XML file", see_what_came},
    {"404: not found", "a web server's error message", "get the file again from the right address"},
    {"404 not found", "a web server's error message", "get the file again from the right address"},
    {"{", "JSON", no_matrix},
    {"[", "JSON, or a matrix as Python prints it", no_matrix},
    {"#!", "a script", no_matrix},
    {"*vertices", "a Pajek graph", "write it as a Matrix Market file"},
    {"graph [", "a GML graph", "write it as a Matrix Market file"},
    {"p sp ", "a DIMACS graph", "write it as a Matrix Market file"},
    {"p edge ", "a DIMACS graph", "write it as a Matrix Market file"},
    {"p col ", "a DIMACS graph", "write it as a Matrix Market file"},
    {"c ", "a DIMACS graph", "write it as a Matrix Market file", 0, "\np "},
    {"# created by octave", "a text file by Octave", "load it there and write the matrix with mmwrite"},
};

std::string message(known_start const& known, std::string const& name) {
    return fmt::format("this is {}, not Matrix Market text; {}", known.what,
                       fmt::format(fmt::runtime(known.advice), name));
}

bool starts(std::string_view text, known_start const& known) {
    return text.size() > known.offset && text.substr(known.offset).starts_with(known.bytes) &&
           (known.also.empty() || text.find(known.also) != text.npos);
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (auto word = take_word(line); !word.empty(); word = take_word(line)) words.push_back(word);
    return words;
}

bool is_whole(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
}

/// Whether the second and third line are those of a Harwell-Boeing or Rutherford-Boeing file: numbers of lines; a type
/// such as RUA and the shape.
bool is_boeing(std::string_view text) {
    auto const* p = text.data();
    auto const* const end = p + text.size();
    take_line(p, end);
    auto const counts = words_of(take_line(p, end));
    auto const shape = words_of(take_line(p, end));
    if (counts.size() < 3 || !std::all_of(counts.begin(), counts.end(), is_whole)) return false;
    if (shape.size() < 4 || shape[0].size() != 3 || !std::all_of(shape.begin() + 1, shape.end(), is_whole))
        return false;
    auto const type = lower_case(shape[0]);
    return "rcpiq"sv.find(type[0]) != ""sv.npos && "suhzr"sv.find(type[1]) != ""sv.npos &&
           (type[2] == 'a' || type[2] == 'e');
}

/// A banner that is misspelt, or not in the first line; empty where there is none.
std::string near_banner(std::string_view text) {
    auto const* p = text.data();
    auto const* const end = p + text.size();
    for (int number = 1; p != end; ++number) {
        auto line = take_line(p, end);
        auto const first = take_word(line);
        auto const lower = lower_case(first);
        if (number > 1 && lower == "%%matrixmarket") {
            return fmt::format("the banner stands in line {}; it has to be the first line: delete what is above",
                               number);
        }
        if (number > 1) continue;
        if (lower == "%matrixmarket") {
            return "a percent sign is missing in front of '%MatrixMarket': the banner starts with two, "
                   "'%%MatrixMarket'";
        }
        auto const both = lower_case(fmt::format("{} {}", first, take_word(line)));
        for (auto const* spelling : {"matrixmarket", "matrix market", "matrix-market", "matrix_market"}) {
            if (both.find(spelling) == both.npos) continue;
            return fmt::format(
                "the banner starts with {}; it has to start with '%%MatrixMarket', and a blank behind that",
                quoted(first));
        }
    }
    return {};
}

/// The words of the first lines that are no comments.
std::vector<std::vector<std::string_view>> first_lines(std::string_view text) {
    constexpr std::size_t most = 8;
    std::vector<std::vector<std::string_view>> lines;
    auto const* p = text.data();
    auto const* const end = p + text.size();
    while (p != end && lines.size() < most) {
        auto words = words_of(take_line(p, end));
        if (!words.empty() && words[0][0] != '#' && words[0][0] != '%') lines.push_back(std::move(words));
    }
    return lines;
}

/// The number that each word is; empty where one is none.
std::vector<std::vector<double>> numbers_of(std::vector<std::vector<std::string_view>> const& lines) {
    std::vector<std::vector<double>> rows;
    for (auto const& line : lines) {
        auto& row = rows.emplace_back();
        for (auto const word : line) {
            auto const* p = word.data();
            if (read_real(p, p + word.size(), row.emplace_back()) != number_word::good) return {};
        }
    }
    return rows;
}

/// Lines of which each word holds several numbers; empty where they do not.
std::string describe_joined_numbers(std::vector<std::string_view> const& line) {
    bool const starts_with_value = is_digit(line[0][0]) || line[0][0] == '"' || line[0][0] == '-';
    if (starts_with_value && line[0].find_first_of(",;") != ""sv.npos) {
        return "this looks like comma-separated values; a Matrix Market file starts with a line '%%MatrixMarket matrix "
               "coordinate real general' and a line 'rows columns entries', and blanks part its numbers";
    }
    if (line.size() > 1 && line[1].find(':') != ""sv.npos && is_digit(line[1][0])) {
        return "this looks like a LIBSVM file; write it as Matrix Market, for example with "
               "sklearn.datasets.load_svmlight_file and scipy.io.mmwrite";
    }
    return {};
}

/// Lines of numbers below a line of whole ones, which may be sizes; empty where they do not fit these.
std::string describe_sized_numbers(std::vector<std::vector<double>> const& rows) {
    auto const& sizes = rows[0];
    auto const width = rows[1].size();
    auto const is_entry = [&](auto const& row) {
        return row.size() == width && (width == 1 || (row[0] <= sizes[0] && row[1] <= sizes[1]));
    };
    bool const are_entries = sizes.size() >= 2 && std::all_of(rows.begin() + 1, rows.end(), is_entry);
    if (are_entries && sizes.size() == 3 && (width == 2 || width == 3)) {
        return fmt::format(
            "the banner is missing above rows, columns and entries: put a line '%%MatrixMarket matrix "
            "coordinate {} general' there, or symmetric for general where one triangle is listed",
            width == 2 ? "pattern" : "real");
    }
    if (are_entries && sizes.size() == 2 && width == 1) {
        return "the banner is missing above rows and columns: put a line '%%MatrixMarket matrix array real general' "
               "there";
    }
    return {};
}

/// Lines of numbers that nothing stands above; empty where the text is of another kind.
std::string describe_numbers(std::string_view text, std::string const& name) {
    auto const lines = first_lines(text);
    if (lines.empty()) return {};
    if (auto joined = describe_joined_numbers(lines.back()); !joined.empty()) return joined;
    auto const rows = numbers_of(lines);
    if (rows.empty()) return {};
    bool const may_have_sizes = rows.size() > 1 && std::all_of(lines[0].begin(), lines[0].end(), is_whole);
    if (auto sized = may_have_sizes ? describe_sized_numbers(rows) : ""; !sized.empty()) return sized;
    auto const width = rows[0].size();
    if (std::any_of(rows.begin(), rows.end(), [&](auto const& row) { return row.size() != width; })) {
        if (!may_have_sizes || width > 4) return {};
        return "this looks like a METIS graph; write it as a Matrix Market file, whose lines are 'row column value'";
    }
    if (width == 1) {
        return "this is a list of numbers without a header: put a line '%%MatrixMarket matrix array real general' and "
               "a line 'n 1', with their number n, above it";
    }
    if (width <= 3) {
        return fmt::format(
            "this looks like a list of edges or entries without a header (SNAP, COO): put a line "
            "'%%MatrixMarket matrix coordinate {} general' and a line 'rows columns entries' above it; "
            "indices start at 1",
            width == 2 ? "pattern" : "real");
    }
    return fmt::format(
        "this looks like a table of numbers; write it as Matrix Market, for example with "
        "scipy.io.mmwrite('matrix.mtx', numpy.loadtxt('{}'))",
        name);
}

}  // namespace

std::string describe_foreign_file(std::string_view text, std::string const& name) {
    text = text.substr(0, looked_at);
    for (auto const& known : signatures) {
        if (starts(text, known)) return message(known, name);
    }
    auto const opening = std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size());
    if (opening == text.size()) {
        return "the file is empty: get or write it again";
    }
    auto const start = text.substr(0, 512);
    if (start.find_first_not_of('\0') == start.npos) {
        return "the file starts with zero bytes alone: it was not written or downloaded to its end; get it again";
    }
    if (std::any_of(start.begin(), start.end(),
                    [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n' && !is_blank(c); })) {
        return "this is a binary file of an unknown kind, not a Matrix Market file, which is text; write the matrix as "
               "Matrix Market with the program that it is from";
    }
    auto const lower = lower_case(text.substr(opening));
    for (auto const& known : openings) {
        if (starts(lower, known)) return message(known, name);
    }
    if (is_boeing(text)) {
        return "this is a Harwell-Boeing or Rutherford-Boeing file, not a Matrix Market file; get the matrix as Matrix "
               "Market, or write it so, for example with scipy.io.hb_read and mmwrite";
    }
    if (auto near = near_banner(text); !near.empty()) return near;
    if (auto numbers = describe_numbers(text, name); !numbers.empty()) return numbers;
    return fmt::format(
        "the first line has to be a banner that says what the file holds, for example '%%MatrixMarket "
        "matrix coordinate real general'; it is {}",
        quoted(text.substr(opening, text.find_first_of("\r\n", opening) - opening)));
}

}  // namespace copse::detail
