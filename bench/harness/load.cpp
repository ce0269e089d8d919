#include "bench/harness/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <copse/formats/coo.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

template <class T>
coo<T> load_entries(std::string const& source) {
    if (is_generator(source))
        return within_memory("generating '" + source + "'", 0, [&] { return generate<T>(source); });
    std::error_code none;  // a path that cannot be followed: the reader says why
    if (!std::filesystem::exists(source, none) && !none)
        throw argument_error(fmt::format(
            "cannot read '{}': there is no such file or generator; check the path, or see copse generate --list",
            source));
    auto const bytes = std::filesystem::file_size(source, none);
    return within_memory("reading '" + source + "'", none ? 0 : static_cast<double>(bytes),
                         [&] { return read_matrix_market<T>(source); });
}

std::vector<std::string> matrices_in(std::filesystem::path const& folder) {
    std::vector<std::string> files;
    std::error_code failure;
    for (auto const& entry : std::filesystem::directory_iterator(folder, failure))
        if (auto file = entry.path().string(); file.ends_with(".mtx") || file.ends_with(".mtx.gz"))
            files.push_back(std::move(file));
    if (failure) throw argument_error("cannot read the folder '" + folder.string() + "': " + failure.message());
    if (files.empty()) throw argument_error("the folder '" + folder.string() + "' has no .mtx or .mtx.gz file");
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

std::vector<std::string> with_files_of_folders(std::vector<std::string> const& named) {
    std::vector<std::string> all;
    std::error_code ignored;  // what is no folder is a file or a generator, or the reader says why not
    for (auto const& name : named) {
        if (std::filesystem::is_directory(name, ignored))
            for (auto& file : matrices_in(name)) all.push_back(std::move(file));
        else
            all.push_back(name);
    }
    return all;
}

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
