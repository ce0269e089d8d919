#include "bench/harness/load.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <copse/formats/generators.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <filesystem>
#include <system_error>

#include "bench/harness/row_numbers.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench::measure {
namespace {

double file_bytes(std::string const& path) {
    std::error_code none;
    auto const bytes = std::filesystem::file_size(path, none);
    return none ? 0 : static_cast<double>(bytes);
}

}  // namespace

template <class T>
coo<T> load_entries(std::string const& source) {
    if (is_generator(source))
        return within_memory("generating '" + source + "'", 0, [&] { return generate<T>(source); });
    std::error_code ignored;  // a path that cannot be followed: the reader says why
    bool const is_there = std::filesystem::exists(source, ignored);
    if (!is_there && source.find(':') != source.npos)
        throw argument_error(fmt::format("'{}' is neither a file nor a generator (copse generate --list)", source));
    return within_memory("reading '" + source + "'", file_bytes(source), [&] { return read_matrix_market<T>(source); });
}

namespace {

std::string sorting(std::string const& source) {
    return "sorting the entries of '" + source + "'";
}

template <class T>
double sorting_bytes(coo<T> const& entries) {
    // Offsets twice: rows are counted before they are summed.
    return 16 * static_cast<double>(entries.row_count) +
           static_cast<double>(4 + sizeof(T)) * static_cast<double>(entries.entry_count());
}

}  // namespace

template <class T>
void check_memory_for_rows(std::string const& source, coo<T> const& entries) {
    check_memory(sorting(source), sorting_bytes(entries));
}

template <class T>
csr<T> rows_of(std::string const& source, coo<T> const& entries) {
    return within_memory(sorting(source), sorting_bytes(entries), [&] { return to_csr(entries); });
}

template <class T>
csr<T> load_matrix(std::string const& source) {
    return rows_of(source, load_entries<T>(source));
}

template <class T>
rows_or_coordinates<T> load_rows_or_coordinates(std::string const& source) {
    return rows_or_coordinates_of(source, load_entries<T>(source));
}

template <class T>
rows_or_coordinates<T> rows_or_coordinates_of(std::string const& source, coo<T> const& entries) {
    if (!outnumber(entries.row_count, entries.entry_count())) return rows_of(source, entries);
    row_numbers occurring;
    occurring.add(entries);
    return occurring.expand(occurring.compress(entries), entries.row_count);
}

template <class T>
std::vector<T> load_vector(std::string const& option, std::string const& path, std::int64_t size,
                           std::string const& use) {
    auto values =
        within_memory("reading '" + path + "'", file_bytes(path), [&] { return read_matrix_market_vector<T>(path); });
    if (std::ssize(values) != size)
        throw shape_error(
            fmt::format("{}: '{}' has {} elements, but {} needs {}", option, path, values.size(), use, size));
    return values;
}

void check_output(std::string const& path, std::vector<std::string> const& inputs) {
    namespace fs = std::filesystem;
    auto const fail = [&](std::string const& reason) {
        throw argument_error(fmt::format("cannot write '{}': {}", path, reason));
    };
    std::error_code ignored;
    if (path.empty()) fail("a file name is needed");
    if (fs::is_directory(path, ignored)) fail("it is a directory");
    auto folder = fs::path(path).parent_path();
    if (folder.empty()) folder = ".";
    if (!fs::is_directory(folder, ignored)) fail(fmt::format("there is no directory '{}'", folder.string()));
    auto const written = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) ? fs::path(path) : folder;
    if (::access(written.c_str(), W_OK) != 0) fail(std::generic_category().message(errno));
    for (std::string const& input : inputs)
        if (fs::equivalent(path, input, ignored)) fail("it is the input; name another file");
}

void check_memory(std::string const& doing, double bytes) {
    auto const available = static_cast<double>(available_host_memory());
    if (bytes <= available) return;
    throw error(fmt::format("not enough memory for {}, which takes {} or more: {} are available", doing,
                            human_bytes(bytes), human_bytes(available)));
}

void throw_out_of_memory(std::string const& doing, double bytes, std::bad_alloc const& reason) {
    auto const needed = bytes > 0 ? fmt::format(", which takes {} or more", human_bytes(bytes)) : std::string();
    auto const* const known = dynamic_cast<out_of_memory const*>(&reason);
    auto const missing =
        known && known->available() != SIZE_MAX
            ? fmt::format(": {} were asked for, {} are available", human_bytes(static_cast<double>(known->asked())),
                          human_bytes(static_cast<double>(known->available())))
            : std::string();
    throw error(fmt::format("out of memory while {}{}{}", doing, needed, missing));
}

template csr<float> load_matrix(std::string const&);
template csr<double> load_matrix(std::string const&);
template rows_or_coordinates<float> load_rows_or_coordinates(std::string const&);
template rows_or_coordinates<double> load_rows_or_coordinates(std::string const&);
template coo<float> load_entries(std::string const&);
template coo<double> load_entries(std::string const&);
template rows_or_coordinates<float> rows_or_coordinates_of(std::string const&, coo<float> const&);
template rows_or_coordinates<double> rows_or_coordinates_of(std::string const&, coo<double> const&);
template void check_memory_for_rows(std::string const&, coo<float> const&);
template void check_memory_for_rows(std::string const&, coo<double> const&);
template csr<float> rows_of(std::string const&, coo<float> const&);
template csr<double> rows_of(std::string const&, coo<double> const&);
template std::vector<float> load_vector(std::string const&, std::string const&, std::int64_t, std::string const&);
template std::vector<double> load_vector(std::string const&, std::string const&, std::int64_t, std::string const&);

}  // namespace copse::bench::measure
