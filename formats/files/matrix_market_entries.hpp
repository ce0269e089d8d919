// The entry section of a Matrix Market text: cut into chunks at line ends, counted, then read into place.
//
//   text    | chunk 0 | chunk 1 | ... |        both passes run over the chunks in parallel
//   count   |  n0     |  n1     | ... |        entry lines of each, hence where each chunk's entries go
//   entries [ 0..n0    n0..n0+n1  ...  ]
//
// The loops only note what is wrong and where, one fault a chunk; the message is made once, for the first in the file.
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/files/matrix_market_header.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse::detail {

enum class entry_fault : std::uint8_t {
    none,
    missing_word,
    extra_word,
    malformed_row,
    row_outside,
    malformed_column,
    column_outside,
    malformed_value,
    value_too_large,
    on_skew_diagonal,
    other_triangle,
};

struct entry_chunk {
    std::string_view text;
    std::int64_t first_entry = 0;  // in the whole file
    std::int64_t entry_count = 0;
    // What reading found. The pointers lie in `text`, at the first byte of an entry.
    entry_fault fault = entry_fault::none;
    char const* fault_at = nullptr;
    char const* first_below = nullptr;  // first entries on either side of the diagonal
    char const* first_above = nullptr;
};

/// Chunks of about `chunk_bytes` that end where lines end, with their entry lines counted. Parallel.
std::vector<entry_chunk> cut_entry_chunks(std::string_view text, std::size_t chunk_bytes);

/// Reads the entries of `chunks` into `a`, whose arrays have as many elements as are to be read: the lines after
/// those are left alone. Parallel.
template <class T>
void read_entries(std::vector<entry_chunk>& chunks, matrix_market_header const& header, coo<T>& a);

struct located_fault {
    entry_fault fault = entry_fault::none;
    char const* at = nullptr;
};

/// The fault that comes first in the file, whatever the chunks; `none` when there is none.
located_fault first_fault(std::vector<entry_chunk> const& chunks, matrix_market_header const& header);

/// One line that says what is wrong with the entry on `line`. `type` names T.
std::string explain(entry_fault fault, std::string_view line, matrix_market_header const& header,
                    std::string_view type);

/// The first byte of entry line number `index`, which has to exist.
char const* find_entry(std::vector<entry_chunk> const& chunks, std::int64_t index);

}  // namespace copse::detail
