// One sum C = alpha op(A) + beta op(B) in each of its forms, ready to be checked and timed over and over.
//
// Who wants to take part, a format of ours or another library, writes a class `addition<T>` and a function that returns
// it with its record, as csr_adder does.
#pragma once

#include <copse/cpu/reference.hpp>
#include <copse/formats/csr.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/competitors.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/row_numbers.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench::measure {

/// One of the matrices that are added: op(M) = M^T when `transpose`. Borrowed.
template <class T>
struct addend {
    std::string const& name;
    csr<T> const& matrix;
    bool transpose = false;
};

/// Must outlive the additions made from it.
template <class T>
struct sum_problem {
    T alpha = 1;
    addend<T> a;
    T beta = 1;
    addend<T> b;
};

/// run(): C <- alpha op(A) + beta op(B), in a new matrix, with every transposition that it needs; C is stored as A and
/// B are, so that it may be added in its turn. prepare() gives back the memory of the last C.
template <class T>
class addition : public work {
  public:
    /// The last C, and the bytes that it takes in its own format.
    virtual csr<T> result() const = 0;
    virtual std::int64_t result_bytes() const = 0;
    /// Of those, what C has in common with A and B, in memory of theirs: neither read nor written.
    virtual std::int64_t shared_bytes() const { return 0; }
    /// Whether C leaves out entries that are zero.
    virtual bool drops_zeros() const { return false; }
};

template <class T>
struct adder {
    measurement record;
    std::unique_ptr<addition<T>> what;
};

/// The record before anything is measured. `bytes`: of A and B in the format.
template <class T>
measurement describe(sum_problem<T> const& what, std::string format, std::int64_t bytes, int threads);

/// Plain OpenMP CSR. Throws shape_error when op(A) and op(B) differ in shape.
template <class T>
adder<T> csr_adder(sum_problem<T> const& what, int threads);

/// The matrices of the sum as they are stored, in the memory of `where`, which must outlive the adder; transposes are
/// taken where the sum asks for them. Throws as csr_adder does.
template <class T>
adder<T> hisparse_adder(sum_problem<T> const& what, converted<hisparse<T>> const& a, converted<hisparse<T>> const& b,
                        target& where);

/// The same of matrices with so many rows or columns that the sum is checked in rows that have entries. what: op(A) and
/// op(B) in `rows`, as compress() makes them, none transposed; a and b: op(A) and op(B) as they are. result() is in
/// `rows` too, which must outlive the adder.
template <class T>
adder<T> hisparse_adder(sum_problem<T> const& what, converted<hisparse<T>> const& a, converted<hisparse<T>> const& b,
                        target& where, row_numbers const& rows);

/// What the adders are to give. Throws shape_error.
template <class T>
reference::sum<T> expect(sum_problem<T> const& what);

/// Runs them as `take_turns` does, with the first and the last sum of each checked, and completes the records with the
/// sum's entries and bytes.
template <class T>
void run_in_turn(std::vector<adder<T>>& adders, reference::sum<T> const& expected, int repeats,
                 memory_probe const& probe = {});

/// As a csr lies in memory: offsets of 8 bytes.
template <class T>
std::int64_t bytes_of(csr<T> const& a);
/// At least, in a format of that name: rows take memory in csr and csr5 alone.
template <class T>
double converted_bytes(csr<T> const& a, std::string const& format) {
    bool const has_offsets = format == "csr" || format == "csr5";
    return static_cast<double>(has_offsets ? bytes_of(a) : bytes_of(a) - 8 * std::ssize(a.row_offsets));
}
/// As a coo does.
template <class T>
std::int64_t bytes_of(coo<T> const& a);

}  // namespace copse::bench::measure
