// Sums C <- op(A) + op(B) that take part in a race. Another library gives a call to sum_by(), as bench/peers/ does.
#pragma once

#include <copse/cpu/reference.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/harness/product.hpp"

namespace copse::bench {

/// One of the matrices that are added: op(M) = M^T when `transpose`. Borrowed.
template <class T>
struct addend {
    std::string name;
    csr<T> const& matrix;
    bool transpose = false;
};

/// Must outlive the additions made from it. Throws shape_error when op(A) and op(B) differ in shape.
template <class T>
struct sum_problem {
    addend<T> a, b;
    reference::sum<T> expected = reference::add<T>(1, a.matrix, a.transpose, 1, b.matrix, b.transpose);
};

/// forget() gives back the memory of the last C.
template <class T>
class addition : public entrant {
  public:
    addition(race_record r, sum_problem<T> const& what) : entrant(std::move(r)), what_(what) {}

    /// C <- op(A) + op(B), in a new matrix, with every transposition that it needs. C is stored as A and B are, so that
    /// it may be added in its turn.
    virtual void add() = 0;
    /// The last C, and the bytes that it takes in its own format.
    virtual csr<T> result() const = 0;
    virtual std::int64_t result_bytes() const = 0;
    /// Of those, what C has in common with A and B, in memory of theirs: neither read nor written.
    virtual std::int64_t shared_bytes() const { return 0; }
    /// Whether C leaves out entries that are zero.
    virtual bool drops_zeros() const { return false; }

    run_times run(int) override {
        return by_wall_clock([this] { add(); });
    }
    double largest_error(int) override;

  private:
    sum_problem<T> const& what_;
};

/// By add(), which gives C as the library stores it; rows(C) as csr, bytes(C) that it takes.
template <class T, class Add, class Rows, class Bytes>
class addition_call final : public addition<T> {
  public:
    addition_call(race_record r, sum_problem<T> const& what, Add add, Rows rows, Bytes bytes, bool drops_zeros)
        : addition<T>(std::move(r), what),
          add_(std::move(add)),
          rows_(rows),
          bytes_(bytes),
          drops_zeros_(drops_zeros) {}

    void add() override { c_.reset(new sum(add_())); }  // made in its place: some libraries' matrices do not move
    void forget(int) override { c_.reset(); }
    csr<T> result() const override { return rows_(*c_); }
    std::int64_t result_bytes() const override { return bytes_(*c_); }
    bool drops_zeros() const override { return drops_zeros_; }

  private:
    using sum = std::invoke_result_t<Add const&>;

    Add add_;
    Rows rows_;
    Bytes bytes_;
    bool drops_zeros_;
    std::unique_ptr<sum> c_;
};
template <class T, class Add, class Rows, class Bytes>
std::unique_ptr<addition<T>> sum_by(race_record r, sum_problem<T> const& what, Add add, Rows rows, Bytes bytes,
                                    bool drops_zeros = false) {
    return std::make_unique<addition_call<T, Add, Rows, Bytes>>(std::move(r), what, std::move(add), rows, bytes,
                                                                drops_zeros);
}

template <class T>
using additions = std::vector<std::unique_ptr<addition<T>>>;

/// The record before anything is measured. `bytes`: of A and B in the format.
template <class T>
race_record describe(sum_problem<T> const& what, std::string format, std::int64_t bytes, int threads,
                     double convert_seconds = 0);

/// Plain OpenMP CSR.
template <class T>
std::unique_ptr<addition<T>> csr_addition(sum_problem<T> const& what, int threads);

/// By A and B as they are stored, on a CPU: transposes are taken where the sum asks for them.
template <class T>
std::unique_ptr<addition<T>> hisparse_addition(sum_problem<T> const& what, converted<hisparse<T>> const& a,
                                               converted<hisparse<T>> const& b, target& where);

/// The same by a plan for the two structures.
template <class T>
std::unique_ptr<addition<T>> planned_hisparse_addition(sum_problem<T> const& what, converted<hisparse<T>> const& a,
                                                       converted<hisparse<T>> const& b, target& where);

}  // namespace copse::bench
