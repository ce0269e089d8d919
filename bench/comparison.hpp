// One matrix: its product and its transposed product, HiSparse against plain CSR and other libraries, checked and timed
// in turn.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/harness/measurement.hpp"
#include "bench/harness/target.hpp"
#include "bench/peers/peers.hpp"

namespace copse::bench {

/// What records call one-shot products by the library's CSR: "csr" is the plain CSR.
inline constexpr char const* flat_csr = "csr-matrix";

/// HiSparse with a value for each entry, or with repeated values stored once, where it is not so by default; with
/// blocks and their transposes stored once.
inline constexpr char const* values_each = "hisparse-each";
inline constexpr char const* values_once = "hisparse-once";
inline constexpr char const* shared_transposed = "hisparse-shared";

struct comparison_options {
    int threads = 1;
    int repeats = 15;
    int node_dimension = 128;
    bool peers = false;  // the other libraries take part in products; in additions they always do
    /// Products with double vectors of a matrix whose values are floats: HiSparse keeps them as such.
    bool mixed = false;
};

/// What can run HiSparse here: the cpu, and a usable GPU with each of its controllers.
std::vector<std::unique_ptr<target>> make_targets(int threads);

/// For A x, then for A^T x: plain CSR on the cpu (first), plain CSR of A^T for the second, HiSparse on each target, the
/// flat formats, then the peers, but those that could not take part: `complain` hears a line about each of them.
/// Mixed (T is double then): A's values are rounded to float for everybody; of ours only HiSparse's plan takes part,
/// which stores floats, and all records are of the type "mixed".
/// x has values of both signs. A competitor that was wrong has is_right() false, and was not timed.
/// Throws what reading and converting the matrix throw.
template <class T>
std::vector<measurement> compare(std::string const& matrix, comparison_options const& options,
                                 std::vector<std::unique_ptr<target>> const& targets, complaint const& complain);

}  // namespace copse::bench
