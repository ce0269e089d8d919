// Matrices and vectors as the command line names them.
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/csr.hpp>
#include <cstdint>
#include <new>
#include <string>
#include <variant>
#include <vector>

namespace copse::bench::measure {

/// The matrix that `source` names: a generator such as "poisson3d:96", else a Matrix Market file. The generator wins
/// where both exist; "./poisson3d:96" is always the file. Repeated entries are summed.
/// Throws what read_matrix_market, generate and to_csr throw, and error when memory runs out.
template <class T>
csr<T> load_matrix(std::string const& source);

/// Compressed rows, or, where there are more than eight of them to an entry, the coordinates of all entries by row and
/// column, each once: then no row takes memory.
template <class T>
using rows_or_coordinates = std::variant<csr<T>, coo<T>>;

/// The same matrix. Throws what load_matrix throws.
template <class T>
rows_or_coordinates<T> load_rows_or_coordinates(std::string const& source);

/// The first step of both: the entries as they come, when the shape is known and no row has taken memory.
template <class T>
coo<T> load_entries(std::string const& source);

/// The second steps: the matrix of `source` with these entries. Throw error, which says how much memory they want, when
/// it runs out.
template <class T>
csr<T> rows_of(std::string const& source, coo<T> const& entries);
template <class T>
rows_or_coordinates<T> rows_or_coordinates_of(std::string const& source, coo<T> const& entries);

/// Throws error where there is no memory for rows_of().
template <class T>
void check_memory_for_rows(std::string const& source, coo<T> const& entries);

/// Of the offsets of so many rows, which a csr has whatever its entries.
constexpr double offset_bytes(std::int64_t rows) {
    return 8 * static_cast<double>(rows + 1);
}

/// The Matrix Market vector in the file `path`, which was given with `option`; `use` says what needs `size` elements.
/// Throws what read_matrix_market_vector throws; shape_error, which holds all four, when the file has another number.
template <class T>
std::vector<T> load_vector(std::string const& option, std::string const& path, std::int64_t size,
                           std::string const& use);

/// Throws argument_error where a file of this name cannot be written, so that no work is spent on its content, and
/// where it is one of `inputs`.
void check_output(std::string const& path, std::vector<std::string> const& inputs = {});

/// Throws error, which says what was to be done, where `bytes` are more than the machine has left. (Linux gives memory
/// that it does not have, and ends the process that uses it.)
void check_memory(std::string const& doing, double bytes);

[[noreturn]] void throw_out_of_memory(std::string const& doing, double bytes, std::bad_alloc const& reason);

/// work(), which takes `bytes` of memory or more; 0: not known. Throws error when there are not so many, or when memory
/// runs out.
template <class Work>
auto within_memory(std::string const& doing, double bytes, Work const& work) {
    check_memory(doing, bytes);
    try {
        return work();
    } catch (std::bad_alloc const& reason) {
        throw_out_of_memory(doing, bytes, reason);
    }
}

}  // namespace copse::bench::measure
