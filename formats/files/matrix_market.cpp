// Reading Matrix Market files: the file, its header, its entries, then their mirror images.
#include <fmt/format.h>
#include <copse/runtime/error.hpp>

#include <algorithm>
#include <copse/formats/csr/mirrors.hpp>
#include <copse/formats/files/matrix_market_entries.hpp>
#include <copse/formats/files/matrix_market_header.hpp>
#include <copse/formats/files/matrix_market_words.hpp>
#include <copse/formats/files/text_file.hpp>
#include <copse/formats/matrix_market.hpp>
#include <iterator>
#include <type_traits>
#include <utility>

namespace copse {
namespace detail {
namespace {

/// Large enough that a chunk's start costs nothing, small enough that a file of some MB keeps all threads busy.
constexpr std::size_t usual_chunk_bytes = std::size_t{1} << 18;

/// The number of the line that holds `at`.
std::int64_t line_number(std::string_view text, char const* at) {
    return 1 + std::count(text.data(), at, '\n');
}

/// What the number of values in an array file tells of a mistake; empty where it tells nothing.
std::string reason_of_count(matrix_market_header const& header, std::int64_t found) {
    auto const n = header.row_count;
    if (header.layout != matrix_market_layout::array || header.symmetry == matrix_symmetry::general) return {};
    bool const is_skew = header.symmetry == matrix_symmetry::skew;
    if (is_skew && found == n * (n + 1) / 2) {
        return fmt::format(
            "a skew-symmetric array leaves out its diagonal, and this file lists it: {} values where {} "
            "belong; delete those on the diagonal, of which this is the first",
            found, header.stored_count);
    }
    if (found != n * n) return {};
    return fmt::format(
        "this file lists all {} values, where a {} array has the {} {} the diagonal: delete the others, or "
        "write general in the banner",
        found, is_skew ? "skew-symmetric" : "symmetric", header.stored_count, is_skew ? "below" : "on and below");
}

[[noreturn]] void throw_wrong_count(std::string_view text, std::string const& name, matrix_market_header const& header,
                                    std::vector<entry_chunk> const& chunks, std::int64_t found) {
    if (auto const reason = reason_of_count(header, found); found > header.stored_count && !reason.empty()) {
        throw format_error(name, line_number(text, find_entry(chunks, 0)), reason);
    }
    auto const asked = header.layout == matrix_market_layout::array
                           ? fmt::format("the shape in line {} asks for", header.size_line)
                           : fmt::format("the size line (line {}) promises", header.size_line);
    auto const* const end = text.data() + text.size();
    auto const* const at = found > header.stored_count ? find_entry(chunks, header.stored_count) : end;
    auto number = line_number(text, at);
    if (at == end && text.ends_with('\n')) --number;
    throw format_error(name, number,
                       fmt::format("{} {} entries, the file has {}{}", asked, header.stored_count, found,
                                   found > header.stored_count ? ": this is the first too many" : " and ends here"));
}

template <class T>
void resize(coo<T>& a, std::int64_t count) {
    a.rows.resize(static_cast<std::size_t>(count));
    a.columns.resize(static_cast<std::size_t>(count));
    a.values.resize(static_cast<std::size_t>(count));
}

template <class T>
void reserve(coo<T>& a, std::int64_t count) {
    a.rows.reserve(static_cast<std::size_t>(count));
    a.columns.reserve(static_cast<std::size_t>(count));
    a.values.reserve(static_cast<std::size_t>(count));
}

/// n x 1 or 1 x n, as a dense vector.
template <class T>
std::vector<T> to_vector(coo<T> const& a, std::string const& name) {
    if (a.row_count != 1 && a.column_count != 1) {
        throw shape_error(fmt::format("{}: a vector has one column or one row; this file holds a matrix of {} x {}",
                                      name, a.row_count, a.column_count));
    }
    bool const is_row = a.column_count != 1;
    std::vector<T> x(static_cast<std::size_t>(is_row ? a.column_count : a.row_count));
    auto const& positions = is_row ? a.columns : a.rows;
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        auto& element = x[static_cast<std::size_t>(positions[k])];
        element = element == 0 ? a.values[k] : element + a.values[k];  // 0 + -0 would be 0
    }
    return x;
}

enum class mirrors { left_out, appended };

/// Of text that is not compressed.
template <class T>
symmetric_coo<T> parse_plain(std::string_view text, std::string const& name, std::size_t chunk_bytes, mirrors images) {
    auto const header = parse_matrix_market_header(text, name);
    auto chunks = cut_entry_chunks(text.substr(header.header_bytes), chunk_bytes);
    auto const found = chunks.empty() ? 0 : chunks.back().first_entry + chunks.back().entry_count;
    auto const count = std::min(found, header.stored_count);
    bool const is_mirrored = images == mirrors::appended && header.symmetry != matrix_symmetry::general;

    coo<T> a;
    a.row_count = header.row_count;
    a.column_count = header.column_count;
    reserve(a, is_mirrored ? 2 * count : count);
    resize(a, count);
    read_entries(chunks, header, a);
    if (auto const [fault, at] = first_fault(chunks, header); fault != entry_fault::none) {
        auto const* const end = text.data() + text.size();
        throw format_error(name, line_number(text, at),
                           explain(fault, line_at(at, end), header, std::is_same_v<T, float> ? "float" : "double"));
    }
    if (found != header.stored_count) throw_wrong_count(text, name, header, chunks, found);
    if (!is_mirrored) return {std::move(a), header.symmetry};
    append_mirrors(a, header.symmetry);
    return {std::move(a)};
}

template <class T>
symmetric_coo<T> parse_text(std::string_view text, std::string const& name, std::size_t chunk_bytes, mirrors images) {
    if (!is_gzip(text)) return parse_plain<T>(text, name, chunk_bytes, images);
    constexpr std::size_t start_bytes = std::size_t{1} << 16;
    check_is_matrix_market(gunzip(text, name, start_bytes).view(), name);  // what is not is not inflated in full
    auto const inflated = gunzip(text, name);
    return parse_plain<T>(inflated.view(), name, chunk_bytes, images);
}

}  // namespace

template <class T>
coo<T> parse_matrix_market_in_chunks(std::string_view text, std::string const& name, std::size_t chunk_bytes) {
    return parse_text<T>(text, name, chunk_bytes, mirrors::appended).entries;
}

template coo<float> parse_matrix_market_in_chunks<float>(std::string_view, std::string const&, std::size_t);
template coo<double> parse_matrix_market_in_chunks<double>(std::string_view, std::string const&, std::size_t);

}  // namespace detail

template <class T>
coo<T> parse_matrix_market(std::string_view text, std::string const& name) {
    return detail::parse_matrix_market_in_chunks<T>(text, name, detail::usual_chunk_bytes);
}

template <class T>
symmetric_coo<T> parse_symmetric_matrix_market(std::string_view text, std::string const& name) {
    return detail::parse_text<T>(text, name, detail::usual_chunk_bytes, detail::mirrors::left_out);
}

template <class T>
symmetric_coo<T> read_symmetric_matrix_market(std::string const& path) {
    auto const text = detail::read_text_file(path);
    return parse_symmetric_matrix_market<T>(text.view(), path);
}

template <class T>
coo<T> read_matrix_market(std::string const& path) {
    auto const text = detail::read_text_file(path);
    return parse_matrix_market<T>(text.view(), path);
}

template <class T>
std::vector<T> read_matrix_market_vector(std::string const& path) {
    return detail::to_vector(read_matrix_market<T>(path), path);
}

template coo<float> parse_matrix_market<float>(std::string_view, std::string const&);
template coo<double> parse_matrix_market<double>(std::string_view, std::string const&);
template symmetric_coo<float> parse_symmetric_matrix_market<float>(std::string_view, std::string const&);
template symmetric_coo<double> parse_symmetric_matrix_market<double>(std::string_view, std::string const&);
template symmetric_coo<float> read_symmetric_matrix_market<float>(std::string const&);
template symmetric_coo<double> read_symmetric_matrix_market<double>(std::string const&);
template coo<float> read_matrix_market<float>(std::string const&);
template coo<double> read_matrix_market<double>(std::string const&);
template std::vector<float> read_matrix_market_vector<float>(std::string const&);
template std::vector<double> read_matrix_market_vector<double>(std::string const&);

}  // namespace copse
