// Matrix Market files: reading into a coordinate list, writing from one.
//
//   %%MatrixMarket matrix coordinate real general      banner: what the file holds, in any case
//   % a comment                                        comments and blank lines may stand anywhere below the banner
//   3 4 2                                              size line: rows, columns, entries
//   1 1 0.5                                            one entry a line; indices start at 1
//   3 4 -2e3
//
// What is read
//   layouts     coordinate; array (column by column, one value a line: every position becomes an entry, zeros too)
//   fields      real; integer (of any length, rounded to T); pattern (coordinate only, each value is 1)
//   symmetries  general; symmetric and skew-symmetric, coordinate or packed array (skew arrays leave out the diagonal;
//               zeros on the diagonal of a skew-symmetric coordinate file are entries, as zeros are elsewhere)
//   compressed  by gzip, whatever the file's name; line numbers in errors count the lines of the unpacked text
//   refused     complex, and with it hermitian, are not supported yet
//   lines       end in LF or CRLF; words are separated by spaces or tabs; a UTF-8 byte order mark and spaces before the
//               banner are accepted; each entry stands on one line, alone
//   values      nearest T, also to a number that a decimal is too long or too small for (1e-400 is 0); inf and nan
//               are values; a number too large for T is an error, because a silent infinity spoils every result
//   symmetric   files give one triangle, either one; a file with entries on both sides of the diagonal is an error,
//               because it is not known whether they are the same entries twice
//   sizes       up to 2^31 rows and columns, 2^63 - 1 entries; memory is taken for the lines a file has, not for the
//               entries that its size line promises
#pragma once

#include <copse/formats/coo.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

/// Reads the matrix in a Matrix Market file. Entries come in file order, explicit zeros and repeated coordinates
/// included (to_csr() sums the latter). For a symmetric or skew-symmetric file the mirror images of the entries off the
/// diagonal follow behind the entries of the file, in the same order. Any number of threads gives the same result.
/// Parallel (OpenMP). T: float, double.
/// Throws argument_error when the file cannot be read; format_error with the first offending line in file order. If the
/// file is no Matrix Market file, the format_error says what the file looks like.
template <class T>
coo<T> read_matrix_market(std::string const& path);

/// The same without mirror images: entries in file order, and what the header says of the others. Conversions take it
/// as it is; to HiSparse, of a symmetric or skew-symmetric matrix, one half is read and stored.
template <class T>
symmetric_coo<T> read_symmetric_matrix_market(std::string const& path);

/// The same for a text in memory; errors give `name` as the file.
template <class T>
coo<T> parse_matrix_market(std::string_view text, std::string const& name);
template <class T>
symmetric_coo<T> parse_symmetric_matrix_market(std::string_view text, std::string const& name);

/// Reads the vector in a Matrix Market file of one column or one row. In a coordinate file, positions without an entry
/// are 0 and repeated ones are summed.
/// Throws what read_matrix_market() throws; shape_error when the file holds neither one row nor one column.
template <class T>
std::vector<T> read_matrix_market_vector(std::string const& path);

/// Writes `a` as a coordinate real general file: entries in the order of `a`, values in the fewest digits that read
/// back as the same T. The file appears under its name when it is complete: until then it is a temporary beside it,
/// which is removed on failure. (A device or a pipe is written directly.) Parallel (OpenMP). T: float, double.
/// The library handles no signals. If a signal ends the process, the file under `path` stays as it was, and the
/// temporary stays beside it: PATH.PID-N.part, where N counts the files of the process PID. (The command copse removes
/// its temporaries.)
/// Throws shape_error, before a file is touched, when the arrays of `a` differ in length or an index lies outside the
/// matrix; argument_error when the file cannot be written.
template <class T>
void write_matrix_market(std::string const& path, coo<T> const& a);

/// Removes the temporaries of all files that are being written; their writers then throw. May be called in the handler
/// of a signal that ends the process: it calls only functions that are safe there.
void remove_unfinished_files() noexcept;

/// Writes `x` as an array real general file of one column; all else is as for write_matrix_market().
template <class T>
void write_matrix_market_vector(std::string const& path, std::span<T const> x);

namespace detail {

/// parse_matrix_market() with the size of the pieces that are read in parallel, so that tests can read many small ones.
template <class T>
coo<T> parse_matrix_market_in_chunks(std::string_view text, std::string const& name, std::size_t chunk_bytes);

/// The text that write_matrix_market() writes.
template <class T>
std::string matrix_market_text(coo<T> const& a);

}  // namespace detail
}  // namespace copse
