#include "bench/harness/load.hpp"

#include <fmt/format.h>
#include <cerrno>
#include <copse/formats/coo.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

template <class T>
coo<T> load_entries(std::string const& source) {
    if (is_generator(source))
        return within_memory("generating '" + source + "'", 0, [&] { return generate<T>(source); });
    std::error_code none;  // a path that cannot be followed: the reader says why
    if (!std::filesystem::exists(source, none) && source.find(':') != source.npos)
        throw argument_error(fmt::format("'{}' is neither a file nor a generator (copse generate --list)", source));
    auto const bytes = std::filesystem::file_size(source, none);
    return within_memory("reading '" + source + "'", none ? 0 : static_cast<double>(bytes),
                         [&] { return read_matrix_market<T>(source); });
}

}  // namespace

template <class T>
csr<T> load_matrix(std::string const& source) {
    auto const entries = load_entries<T>(source);
    // Offsets twice: rows are counted before they are summed.
    auto const bytes = 16 * static_cast<double>(entries.row_count) +
                       static_cast<double>(4 + sizeof(T)) * static_cast<double>(entries.entry_count());
    return within_memory("sorting the entries of '" + source + "'", bytes, [&] { return to_csr(entries); });
}

void check_output(std::string const& path) {
    if (!std::ofstream(path, std::ios::app))
        throw argument_error(fmt::format("cannot write '{}': {}", path, std::generic_category().message(errno)));
}

void check_memory(std::string const& doing, double bytes) {
    auto const available = static_cast<double>(available_host_memory());
    if (bytes <= available) return;
    throw error(fmt::format("not enough memory for {}, which takes {} or more: {} are available", doing,
                            human_bytes(bytes), human_bytes(available)));
}

void throw_out_of_memory(std::string const& doing, double bytes) {
    auto const needed = bytes > 0 ? fmt::format(", which takes {} or more", human_bytes(bytes)) : std::string();
    throw error(fmt::format("out of memory while {}{}", doing, needed));
}

template csr<float> load_matrix(std::string const&);
template csr<double> load_matrix(std::string const&);

}  // namespace copse::bench
