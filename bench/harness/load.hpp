// Matrices as a benchmark's command line names them, and memory that is asked for before it is taken.
#pragma once

#include <copse/formats/csr.hpp>
#include <new>
#include <string>
#include <vector>

namespace copse::bench {

/// `named`, with the .mtx and .mtx.gz files of a folder, sorted by name, in place of the folder. Throws argument_error
/// for one that has none or cannot be read.
std::vector<std::string> with_files_of_folders(std::vector<std::string> const& named);

/// The matrix that `source` names: a generator such as "poisson3d:96", else a Matrix Market file. The generator wins
/// where both exist; "./poisson3d:96" is always the file. Repeated entries are summed.
/// Throws what read_matrix_market, generate and to_csr throw, and error when memory runs out.
template <class T>
csr<T> load_matrix(std::string const& source);

/// Throws argument_error where a file of this name cannot be written, so that no work is spent on its content.
void check_output(std::string const& path);

/// Throws error, which says what was to be done, where `bytes` are more than the machine has left. (Linux gives memory
/// that it does not have, and ends the process that uses it.)
void check_memory(std::string const& doing, double bytes);

[[noreturn]] void throw_out_of_memory(std::string const& doing, double bytes);

/// Returns work(). bytes: the least memory that it takes, 0 if that is not known. Throws error if less is available,
/// and if memory runs out on the way.
template <class Work>
auto within_memory(std::string const& doing, double bytes, Work const& work) {
    check_memory(doing, bytes);
    try {
        return work();
    } catch (std::bad_alloc const&) {
        throw_out_of_memory(doing, bytes);
    }
}

}  // namespace copse::bench
