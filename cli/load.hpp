// Matrices and vectors as the command line names them, and memory that is refused before work is spent.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "cli/text.hpp"

namespace copse::cli {

/// Throws error, which says what was to be done, if `bytes` are more than the machine has left. (Linux gives memory
/// that it does not have, and ends the process that uses it.)
inline void check_memory(std::string const& doing, double bytes) {
    auto const available = static_cast<double>(available_host_memory());
    if (bytes > available)
        throw error(fmt::format("not enough memory for {}, which takes {} or more: {} are available", doing,
                                human_bytes(bytes), human_bytes(available)));
}

/// Returns work(). bytes: the least memory that it takes, 0 if that is not known. Throws error if less is available,
/// and if memory runs out on the way.
template <class Work>
auto within_memory(std::string const& doing, double bytes, Work const& work) {
    check_memory(doing, bytes);
    auto const needed = bytes > 0 ? fmt::format(", which takes {} or more", human_bytes(bytes)) : "";
    auto const text = [](std::size_t n) { return human_bytes(static_cast<double>(n)); };
    try {
        return work();
    } catch (out_of_memory const& e) {
        auto const missing = e.available() == SIZE_MAX ? ""
                                                       : fmt::format(": {} were asked for, {} are available",
                                                                     text(e.asked()), text(e.available()));
        throw error("out of memory while " + doing + needed + missing);
    } catch (std::bad_alloc const&) {
        throw error("out of memory while " + doing + needed);
    }
}

/// Bytes of the offsets of so many rows, of a csr as it lies in memory, and of what to_csr() takes: offsets twice,
/// because rows are counted before they are summed.
constexpr double offset_bytes(std::int64_t rows) {
    return 8 * static_cast<double>(rows + 1);
}
template <class T>
std::int64_t bytes_of(csr<T> const& a) {
    return a.entry_count() * static_cast<std::int64_t>(4 + sizeof(T)) + 8 * std::ssize(a.row_offsets);
}
template <class T>
double sorting_bytes(coo<T> const& a) {
    return 16 * static_cast<double>(a.row_count) + (4. + sizeof(T)) * static_cast<double>(a.entry_count());
}

inline std::string sorting(std::string const& source) {
    return "sorting the entries of '" + source + "'";
}

/// Returns read(path).
template <class Read>
auto read_file(std::string const& path, Read const& read) {
    std::error_code none;
    auto const bytes = std::filesystem::file_size(path, none);
    return within_memory("reading '" + path + "'", none ? 0 : static_cast<double>(bytes), [&] { return read(path); });
}

/// The entries, as they come, of the matrix that `source` names: a generator such as "poisson3d:96", else a Matrix
/// Market file. The generator wins where both exist; "./poisson3d:96" is always the file. No row takes memory yet.
/// says: becomes what the file's header says of the matrix; all entries are there in any case.
/// Throws what read_matrix_market and generate throw, and error when memory runs out.
template <class T>
coo<T> load_entries(std::string const& source, matrix_symmetry& says) {
    says = matrix_symmetry::general;
    if (is_generator(source))
        return within_memory("generating '" + source + "'", 0, [&] { return generate<T>(source); });
    std::error_code unclear;  // a path that cannot be followed: the reader says why
    if (!std::filesystem::exists(source, unclear) && !unclear)
        throw argument_error(fmt::format(
            "cannot read '{}': there is no such file or generator; check the path, or see copse generate --list",
            source));
    return read_file(source, [&](std::string const& path) {
        auto half = read_symmetric_matrix_market<T>(path);
        says = half.symmetry;
        return all_entries(std::move(half));
    });
}
template <class T>
coo<T> load_entries(std::string const& source) {
    matrix_symmetry unused;
    return load_entries<T>(source, unused);
}

/// The Matrix Market vector in the file `path`, which was given with `option`; `use` says what needs `size` elements,
/// advice(n) what to do with n others. Throws what read_matrix_market_vector throws; shape_error, which holds all, for
/// another number of elements.
template <class T, class Advice>
std::vector<T> load_vector(std::string const& option, std::string const& path, std::int64_t size,
                           std::string const& use, Advice const& advice) {
    auto values = read_file(path, read_matrix_market_vector<T>);
    if (std::ssize(values) != size)
        throw shape_error(fmt::format("{}: '{}' has {} elements, but {} needs {}{}", option, path, values.size(), use,
                                      size, advice(std::ssize(values))));
    return values;
}

/// The matrix of `source` with these entries by row, equal coordinates summed. Throws error when memory runs out.
template <class T>
csr<T> rows_of(std::string const& source, coo<T> const& entries) {
    return within_memory(sorting(source), sorting_bytes(entries), [&] { return to_csr(entries); });
}

/// The rows of hyper-sparse matrices that have entries, numbered: so that compressed rows, and what is checked with
/// them, take no memory for the others.
struct row_numbers {
    std::vector<std::int32_t> numbers;  // ascending

    /// Rows of `a` are numbered too. Not after compress().
    template <class T>
    void add(coo<T> const& a) {
        numbers.insert(numbers.end(), a.rows.begin(), a.rows.end());
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    }
    /// Row i of the result is row numbers[i] of `a`, with equal coordinates summed. If `a` has an entry in a row that
    /// was not added, the result has one row more than there are numbers: it is like no matrix of added rows.
    template <class T>
    csr<T> compress(coo<T> const& a) const {
        coo<T> packed{std::ssize(numbers), a.column_count, a.rows, a.columns, a.values};
        for (std::int32_t& row : packed.rows) {
            auto const found = std::lower_bound(numbers.begin(), numbers.end(), row);
            bool const is_known = found != numbers.end() && *found == row;
            if (!is_known) packed.row_count = std::ssize(numbers) + 1;
            row = static_cast<std::int32_t>(is_known ? found - numbers.begin() : std::ssize(numbers));
        }
        return to_csr(packed);
    }
    /// Back again, in a matrix of row_count rows. rows: as compress() makes them of added rows.
    template <class T>
    coo<T> expand(csr<T> const& rows, std::int64_t row_count) const {
        coo<T> entries = to_coo(rows);
        entries.row_count = row_count;
        for (std::int32_t& row : entries.rows) row = numbers[static_cast<std::size_t>(row)];
        return entries;
    }
};

/// True if rows are so many more than entries that their offsets would be most of the matrix. HiSparse is made of
/// coordinates with so many rows without row offsets.
constexpr bool outnumber(std::int64_t rows, std::int64_t entries) noexcept {
    return rows / 8 > entries;
}

/// Compressed rows; if rows outnumber entries, coordinates by row and column, each once.
template <class T>
using rows_or_coordinates = std::variant<csr<T>, coo<T>>;

template <class T>
rows_or_coordinates<T> rows_or_coordinates_of(std::string const& source, coo<T> const& entries) {
    if (!outnumber(entries.row_count, entries.entry_count())) return rows_of(source, entries);
    row_numbers occurring;
    occurring.add(entries);
    return occurring.expand(occurring.compress(entries), entries.row_count);
}

}  // namespace copse::cli
