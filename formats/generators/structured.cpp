// Matrices whose structure is a formula: number theory, a Markov chain, lattice physics, dense blocks and bands.
#include <algorithm>
#include <bit>
#include <cmath>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/generators/tools.hpp>

namespace copse::detail {
namespace {

// The first `count` primes, by the sieve of Eratosthenes over the odd numbers.
std::vector<std::int32_t> first_primes(std::int64_t count) {
    // The n-th prime is below n (ln n + ln ln n) from n = 6 on (Rosser, Schoenfeld 1962).
    double const n = std::max(6.0, static_cast<double>(count));
    auto const limit = static_cast<std::int64_t>(n * (std::log(n) + std::log(std::log(n)))) + 1;
    std::vector<bool> composite(limit / 2 + 1, false);  // element i stands for 2 i + 1
    std::vector<std::int32_t> primes{2};
    primes.reserve(count);
    for (std::int64_t p = 3; static_cast<std::int64_t>(primes.size()) < count; p += 2) {
        if (composite[p / 2]) continue;
        primes.push_back(static_cast<std::int32_t>(p));
        for (std::int64_t multiple = p * p; multiple <= limit; multiple += 2 * p) composite[multiple / 2] = true;
    }
    return primes;
}

}  // namespace

// Trefethen, A Hundred-dollar, Hundred-digit Challenge, SIAM News 35 (2002), problem 7.
template <class T>
coo<T> trefethen(generator_arguments const& arguments) {
    auto const n = arguments[0];
    auto const powers = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1)));  // 1, 2, 4 ... below n
    double const rows = static_cast<double>(n);
    check_size(arguments.name, rows, rows, rows * (1 + 2 * powers), sizeof(T));
    auto const primes = first_primes(n);
    return collect<T>(n, n, n, [&](std::int64_t i, auto const& emit) {
        for (int p = powers - 1; p >= 0; --p) {
            if (i >= std::int64_t{1} << p) emit(i, i - (std::int64_t{1} << p), 1);
        }
        emit(i, i, primes[i]);
        for (int p = 0; p < powers && i + (std::int64_t{1} << p) < n; ++p) emit(i, i + (std::int64_t{1} << p), 1);
    });
}

// A population of at most N: S susceptible, I infected. With M = N + 1, one step of the chain is
//   infection  (S - 1, I + 1)  probability S (I + 1) / M^2   (one infected visitor is always there)
//   recovery   (S, I - 1)                  I / (4 M)
//   arrival    (S + 1, I)                  (N - S - I) / (4 M)
// and otherwise nothing, at least 1/4: moves that cannot happen have probability zero and no entry; rows sum to one.
// State (S, I) has number S M - S (S - 1) / 2 + I.
template <class T>
coo<T> epidemiology(generator_arguments const& arguments) {
    auto const people = arguments[0];
    auto const m = people + 1;
    auto const states = m * (m + 1) / 2;
    double const rows = static_cast<double>(states);
    check_size(arguments.name, rows, rows, 4 * rows, sizeof(T));
    double const per_person = 1 / static_cast<double>(m);
    auto const first_state = [m](std::int64_t susceptible) {
        return susceptible * m - susceptible * (susceptible - 1) / 2;
    };
    return collect<T>(states, states, m, [&](std::int64_t susceptible, auto const& emit) {
        for (std::int64_t infected = 0; infected + susceptible < m; ++infected) {
            auto const row = first_state(susceptible) + infected;
            double const infection =
                static_cast<double>(susceptible) * per_person * static_cast<double>(infected + 1) * per_person;
            double const recovery = static_cast<double>(infected) * per_person / 4;
            double const arrival = static_cast<double>(people - susceptible - infected) * per_person / 4;
            if (susceptible > 0) emit(row, first_state(susceptible - 1) + infected + 1, infection);
            if (infected > 0) emit(row, row - 1, recovery);
            emit(row, row, 1 - infection - recovery - arrival);
            if (susceptible + infected < people) emit(row, first_state(susceptible + 1) + infected, arrival);
        }
    });
}

// The hopping term of the Wilson-Dirac operator on a periodic L^4 lattice: 4 spins x 3 colours at each site, row
// 12 site + 3 spin + colour. A neighbour contributes (1 -+ gamma) x U: a dense 3 x 3 colour matrix U for each non-zero
// of the row of 1 -+ gamma. In Dirac's basis the three gammas of space lie off the diagonal, which gives two spins,
// itself and another one; gamma_t = diag(1, 1, -1, -1) leaves 2 or 0: the upper spins see the next time slice alone,
// the lower ones the one before. Together 6 neighbours x 2 spins x 3 colours + 1 neighbour x 1 spin x 3 colours = 39 in
// each row, none of them on the diagonal. Values are random, not unitary.
template <class T>
coo<T> qcd(generator_arguments const& arguments) {
    auto const l = arguments[0];
    auto const sites = l * l * l * l;
    random_sequence const random(arguments[1], 0);
    double const rows = 12 * static_cast<double>(sites);
    check_size(arguments.name, rows, rows, 39 * rows, sizeof(T));
    return collect<T>(12 * sites, 12 * sites, sites, [&](std::int64_t site, auto const& emit) {
        // The site one step along the axis with this stride (1, L, L^2 or L^3), round the lattice.
        auto const step = [&](std::int64_t stride, bool forward) {
            auto const coordinate = site / stride % l;
            auto const wraps = coordinate == (forward ? l - 1 : 0);
            return site + (forward ? stride : -stride) * (wraps ? 1 - l : 1);
        };
        for (int spin = 0; spin < 4; ++spin) {
            int const other_spins[3] = {3 - spin, 3 - spin, (spin + 2) % 4};
            for (int colour = 0; colour < 3; ++colour) {
                auto const row = 12 * site + 3 * spin + colour;
                auto k = 39 * row;
                auto const emit_colours = [&](std::int64_t other_site, int other_spin) {
                    for (int c = 0; c < 3; ++c)
                        emit(row, 12 * other_site + 3 * other_spin + c, random.signed_unit(k++));
                };
                std::int64_t stride = 1;
                for (int axis = 0; axis < 3; ++axis, stride *= l) {
                    for (bool const forward : {false, true}) {
                        emit_colours(step(stride, forward), spin);
                        emit_colours(step(stride, forward), other_spins[axis]);
                    }
                }
                emit_colours(step(stride, spin < 2), spin);
            }
        }
    });
}

template <class T>
coo<T> dense(generator_arguments const& arguments) {
    auto const rows = arguments[0];
    auto const columns = arguments[1];
    random_sequence const random(arguments[2], 0);
    double const m = static_cast<double>(rows);
    double const n = static_cast<double>(columns);
    check_size(arguments.name, m, n, m * n, sizeof(T));
    return collect<T>(rows, columns, rows, [&](std::int64_t i, auto const& emit) {
        for (std::int64_t j = 0; j < columns; ++j) emit(i, j, random.signed_unit(i * columns + j));
    });
}

template <class T>
coo<T> banded(generator_arguments const& arguments) {
    auto const n = arguments[0];
    auto const half = std::min(arguments[1], n - 1);
    random_sequence const random(arguments[2], 0);
    double const rows = static_cast<double>(n);
    check_size(arguments.name, rows, rows, rows * std::min(rows, 2 * static_cast<double>(half) + 1), sizeof(T));
    return collect<T>(n, n, n, [&](std::int64_t i, auto const& emit) {
        auto const last = std::min(n - 1, i + half);
        for (auto j = std::max<std::int64_t>(0, i - half); j <= last; ++j) emit(i, j, random.signed_unit(i * n + j));
    });
}

template coo<float> trefethen(generator_arguments const&);
template coo<double> trefethen(generator_arguments const&);
template coo<float> epidemiology(generator_arguments const&);
template coo<double> epidemiology(generator_arguments const&);
template coo<float> qcd(generator_arguments const&);
template coo<double> qcd(generator_arguments const&);
template coo<float> dense(generator_arguments const&);
template coo<double> dense(generator_arguments const&);
template coo<float> banded(generator_arguments const&);
template coo<double> banded(generator_arguments const&);

}  // namespace copse::detail
