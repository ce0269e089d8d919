// New matrices entry by entry: the product A .* B, an update under a mask, a triangular part, and a matrix without its
// small values. A function says what becomes of an entry; what it returns as absent is dropped.
#include <cmath>
#include <copse/algebra/map_entries.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdio>

namespace {

using copse::maybe;
using copse::pairs;
using matrix = copse::hisparse<double>;

struct times {
    COPSE_HOST_DEVICE double operator()(std::int64_t, std::int64_t, double x, double y) const { return x * y; }
};
/// B's value where B has an entry, A's elsewhere.
struct replace {
    COPSE_HOST_DEVICE double operator()(std::int64_t, std::int64_t, maybe<double> x, maybe<double> y) const {
        return y ? *y : *x;
    }
};
/// The part on and below the diagonal, or the diagonal alone.
struct lower_part {
    bool diagonal_only;
    COPSE_HOST_DEVICE maybe<double> operator()(std::int64_t row, std::int64_t column, double v) const {
        return {v, diagonal_only ? column == row : column <= row};
    }
};
struct at_least {
    double limit;
    COPSE_HOST_DEVICE maybe<double> operator()(std::int64_t, std::int64_t, double v) const {
        return {v, std::abs(v) >= limit};
    }
};

struct results {
    matrix product, updated, lower, diagonal, large;
};
template <class Executor>
results make(Executor& executor, matrix const& a) {
    matrix const lower = copse::map_entries(executor, a, lower_part{false});
    return {copse::map_entry_pairs<pairs::both>(executor, a, copse::transposed(lower), times()),
            copse::map_entry_pairs<pairs::either>(executor, a, copse::scaled(lower, 2), replace()), lower,
            copse::map_entries(executor, a, lower_part{true}), copse::map_entries(executor, a, at_least{2})};
}

/// Of the matrix of a grid of 30 x 30: 4 on the diagonal, -1 for each of 4 * 30 * 29 neighbours.
bool is_right(results const& r) {
    auto const sum = [](matrix const& m) {
        double all = 0;
        for (double v : copse::to_coo(m).values) all += v;
        return all;
    };
    std::int64_t const n = 900, beside = 2 * 30 * 29;  // in each triangle
    return r.lower.entry_count() == n + beside && sum(r.lower) == 4.0 * n - beside &&
           r.product.entry_count() == n + beside && sum(r.product) == 16.0 * n + beside &&
           r.updated.entry_count() == n + 2 * beside && sum(r.updated) == 8.0 * n - 3.0 * beside &&
           r.diagonal.entry_count() == n && sum(r.large) == 4.0 * n && r.large.entry_count() == n;
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    auto const entries = copse::generate<double>("poisson2d:30");
    results const on_cpu = make(cpu, matrix(cpu, entries)), in_lanes = make(lanes, matrix(lanes, entries));
    std::printf(
        "A .* L^T has %lld entries, L %lld, the diagonal %lld\n", static_cast<long long>(on_cpu.product.entry_count()),
        static_cast<long long>(on_cpu.lower.entry_count()), static_cast<long long>(on_cpu.diagonal.entry_count()));
    return is_right(on_cpu) && is_right(in_lanes) ? 0 : 1;
}
