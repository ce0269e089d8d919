// Matrices from a formula: what tests, benchmarks and the command use where no file is at hand.
//
//   "poisson3d:96"   "rmat:20,16,7"   "qcd"          name[:argument[,argument...]], whole numbers
//   "moved:10,1,rmat:20,16,7"                        moves the entries of another matrix; its specification comes last
//   "valued:1,symmetric:rmat:20"                     one that changes another may change one of these
//
// Every value depends on the arguments alone (the seed is one of them): the same specification gives the same entries
// in the same order on any number of threads.
#pragma once

#include <copse/formats/coo.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

/// One line of the list of generators.
struct generator_info {
    std::string name;       ///< "poisson2d"
    std::string arguments;  ///< "n[,m=n]": optional arguments in brackets, with their defaults
    std::string text;       ///< what the matrix is
    std::string example;    ///< a specification that `generate` takes
};

/// All generators, in the order in which help should show them.
std::vector<generator_info> const& generators();

/// The list above as text, two lines for each generator.
std::string generator_help();

/// Whether the text before the first ':' (all of it, without one) is the name of a generator.
bool is_generator(std::string_view specification);

/// The matrix that `specification` names. Coordinates occur once each, except those of rmat, which draws edges
/// independently, and of moved, whose entries may meet: `to_csr` sums them. Parallel (OpenMP).
/// Throws argument_error when the name is unknown, an argument is missing, superfluous, no whole number or out of
/// range, the matrix has more than 2^31 - 1 rows or columns, or needs more memory than this machine has left.
template <class T>
coo<T> generate(std::string_view specification);

inline constexpr std::int64_t largest_sigma = 1'000'000'000;

/// `a` with every entry moved by (dr, dc): independent, normally distributed with mean 0 and standard deviation `sigma`
/// rows and columns, rounded to whole numbers. Entries keep their values and their order. An entry that would leave the
/// matrix stops at its border; `to_csr` sums entries that meet at one coordinate. dr and dc depend on the seed and the
/// entry's coordinates alone, not on its place in the list or the number of threads. Parallel (OpenMP).
/// Throws argument_error unless 0 <= sigma <= largest_sigma. hisparse §6 adds this matrix, with sigma = 10, to a.
template <class T>
coo<T> moved(coo<T> a, double sigma, std::int64_t seed);

}  // namespace copse
