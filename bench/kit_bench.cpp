// The operations of examples/ beside plain loops over CSR, which two threads share.
//
//   copse_kit_bench [repeats, default 9] [generator ..., default four of 10^7 entries] [operation ..., default all]
//
// The examples' own functions are measured: their sources are included. Both sides take turns; each result is compared
// with the loop's first. Prints JSON lines, one for each operation and matrix: medians. `| python3 bench/report` makes
// a table of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/algebra/for_each_row.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/formats/visit_rows.hpp>
#include <copse/runtime/run.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <valarray>
#include <vector>

#include "bench/harness/numbers.hpp"
#include "bench/json_lines.hpp"
#include "bench/kit_contest.hpp"
#include "bench/machine.hpp"

// Their main functions stay unused: as templates they are not compiled.
// clang-format off
#define main() main_of_example(auto...)
namespace norms {
#include "examples/norms.cpp"
}
namespace jacobi {
#include "examples/jacobi.cpp"
}
namespace row_and_column_sums {
#include "examples/row_and_column_sums.cpp"
}
namespace eight_vectors {
#include "examples/eight_vectors.cpp"
}
namespace tree_dot_product {
#include "examples/tree_dot_product.cpp"
}
namespace min_plus_product {
#include "examples/min_plus.cpp"
}
namespace entries_per_node {
#include "examples/entries_per_node.cpp"
}
#undef main
// clang-format on

namespace {

using copse::bench::contest;
using copse::bench::for_each_row_of;
using copse::bench::values;

void measure(copse::cpu& cpu, std::string const& name, int repeats, std::vector<std::string> const& only,
             copse::bench::json_lines& lines) {
    copse::csr<double> const rows = copse::to_csr(copse::generate<double>(name));
    copse::hisparse<double> const a(cpu, rows);
    copse::csr<double> other = rows;
    for (std::size_t k = 0; k < other.values.size(); ++k) other.values[k] = std::sin(static_cast<double>(k));
    copse::hisparse<double> const b(cpu, other);
    auto const n = static_cast<std::size_t>(rows.row_count);
    values x(n), x8(8 * n);
    for (std::size_t i = 0; i < x8.size(); ++i) x8[i] = std::sin(static_cast<double>(i));
    for (std::size_t i = 0; i < n; ++i) x[i] = x8[i];
    auto const column = [&](std::size_t k) { return static_cast<std::size_t>(rows.column_indices[k]); };
    double const* const v = rows.values.data();
    contest const all(name, repeats, only, lines);
    /// A value of each thread's.
    auto const of_threads = [&](auto start, auto add) {
        std::vector<decltype(start)> sums(2, start);
        for_each_row_of(rows, [&](int t) {
            return [&, mine = start, t](std::size_t i, std::size_t first, std::size_t end) mutable {
                add(mine, i, first, end);
                sums[static_cast<std::size_t>(t)] = mine;
            };
        });
        return sums;
    };

    all.race(
        "infinity norm", 1e-12, [&] { return values{norms::infinity_norm(cpu, a)}; },
        [&] {
            auto const most = of_threads(0.0, [&](double& m, std::size_t, std::size_t first, std::size_t end) {
                double sum = 0;
                for (std::size_t k = first; k < end; ++k) sum += std::abs(v[k]);
                m = std::max(m, sum);
            });
            return values{std::max(most[0], most[1])};
        });
    all.race(
        "Frobenius norm", 1e-12, [&] { return values{norms::frobenius_norm(cpu, a)}; },
        [&] {
            auto const sums = of_threads(0.0, [&](double& s, std::size_t, std::size_t first, std::size_t end) {
                for (std::size_t k = first; k < end; ++k) s += v[k] * v[k];
            });
            return values{std::sqrt(sums[0] + sums[1])};
        });
    all.race(
        "diagonal", 0, [&] { return jacobi::diagonal_of(cpu, a); },
        [&] {
            values d(n);
            for_each_row_of(rows, [&](int) {
                return [&](std::size_t i, std::size_t first, std::size_t end) {
                    for (std::size_t k = first; k < end; ++k)
                        if (column(k) == i) d[i] = v[k];
                };
            });
            return d;
        });
    copse::spmv_plan<double> const plan(cpu, a);
    all.race(
        "Jacobi: b - A x", 1e-12,
        [&] {
            copse::buffer<double> const from(cpu, x), to(cpu, x);
            copse::spmv(cpu, -1.0, plan, from, 1.0, to);
            return to.to_host();
        },
        [&] {
            values r(n);
            for_each_row_of(rows, [&](int) {
                return [&](std::size_t i, std::size_t first, std::size_t end) {
                    double sum = x[i];
                    for (std::size_t k = first; k < end; ++k) sum -= v[k] * x[column(k)];
                    r[i] = sum;
                };
            });
            return r;
        });
    all.race(
        "row, column sums, norms", 1e-12, [&] { return row_and_column_sums::sums_of(cpu, a); },
        [&] {
            values sums(5 * n), others(2 * n);
            for_each_row_of(rows, [&](int t) {
                return [&, to = t == 0 ? sums.data() + 3 * n : others.data()](std::size_t i, std::size_t first,
                                                                              std::size_t end) {
                    double sum = 0, magnitudes = 0, squares = 0;
                    for (std::size_t k = first; k < end; ++k) {
                        sum += v[k];
                        magnitudes += std::abs(v[k]);
                        squares += v[k] * v[k];
                        to[2 * column(k)] += v[k];
                        to[2 * column(k) + 1] += std::abs(v[k]);
                    }
                    sums[3 * i] = sum;
                    sums[3 * i + 1] = magnitudes;
                    sums[3 * i + 2] = squares;
                };
            });
            for (std::size_t i = 0; i < 2 * n; ++i) sums[3 * n + i] += others[i];
            return sums;
        });
    copse::buffer<double> const x8_there(cpu, x8);
    all.race(
        "eight vectors", 1e-12,
        [&] {
            copse::buffer<double> y(cpu, 8 * a.row_count(), 0.0);
            eight_vectors::multiply_eight(cpu, a, x8_there, y);
            return y;
        },
        [&] {
            values y(8 * n);
            for_each_row_of(rows, [&](int) {
                return [&](std::size_t i, std::size_t first, std::size_t end) {
                    double sums[8] = {};
                    for (std::size_t k = first; k < end; ++k)
                        for (std::size_t l = 0; l < 8; ++l) sums[l] += v[k] * x8[8 * column(k) + l];
                    for (std::size_t l = 0; l < 8; ++l) y[8 * i + l] = sums[l];
                };
            });
            return y;
        });
    all.race(
        "dot product", 1e-9, [&] { return values{tree_dot_product::dot(cpu, a, b)}; },
        [&] {
            auto const sums = of_threads(0.0, [&](double& s, std::size_t i, std::size_t first, std::size_t end) {
                auto at = static_cast<std::size_t>(other.row_offsets[i]);
                auto const last = static_cast<std::size_t>(other.row_offsets[i + 1]);
                for (std::size_t k = first; k < end; ++k) {
                    while (at < last && other.column_indices[at] < rows.column_indices[k]) ++at;
                    if (at < last && other.column_indices[at] == rows.column_indices[k]) s += v[k] * other.values[at];
                }
            });
            return values{sums[0] + sums[1]};
        });
    auto const of_semiring = [&]<class Semiring>(Semiring, char const* by_task, char const* by_plan, auto better) {
        auto const plain = [&] {
            values y(n);
            for_each_row_of(rows, [&](int) {
                return [&](std::size_t i, std::size_t first, std::size_t end) {
                    double found = Semiring::zero;
                    for (std::size_t k = first; k < end; ++k) found = better(found, v[k] + x[column(k)]);
                    y[i] = found;
                };
            });
            return y;
        };
        all.race(
            by_task, 0, [&] { return min_plus_product::product<Semiring>(cpu, a, x); }, plain);
        all.race(
            by_plan, 0,
            [&] {
                copse::buffer<double> const from(cpu, x), y(cpu, plan.row_count());
                double* const to = y.data();
                copse::for_each_row(cpu, plan, Semiring::zero, min_plus_product::way_from{from.data()},
                                    typename Semiring::plus(),
                                    [to](std::int64_t row, double found) { to[row] = found; });
                return y.to_host();
            },
            plain);
    };
    of_semiring(min_plus_product::min_plus(), "min-plus, task", "min-plus, plan",
                [](double p, double q) { return std::min(p, q); });
    of_semiring(min_plus_product::max_plus(), "max-plus, task", "max-plus, plan",
                [](double p, double q) { return std::max(p, q); });
    all.race(
        "entries per node", 0,
        [&] {
            auto const found = entries_per_node::entries_below(cpu, a);
            return values{found.empty() ? 0.0 : static_cast<double>(found[0].entries)};
        },
        [&] {  // in blocks of d * d x d * d
            std::size_t const blocks = n / 16384 + 1;
            std::vector<std::int64_t> found[2];
            for_each_row_of(rows, [&](int t) {
                auto& mine = found[t];
                mine.resize(blocks * blocks);
                return [&](std::size_t i, std::size_t first, std::size_t end) {
                    std::int64_t* const row = mine.data() + i / 16384 * blocks;
                    for (std::size_t k = first; k < end; ++k) ++row[column(k) / 16384];
                };
            });
            std::int64_t sum = 0;
            for (auto const& each : found)
                for (std::int64_t c : each) sum += c;
            return values{static_cast<double>(sum)};
        });
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto const repeats = argc > 1 ? static_cast<int>(copse::bench::parse_whole("repeats", argv[1], 1, 1000)) : 9;
        std::vector<std::string> names, only;
        for (int i = 2; i < argc; ++i) {
            std::string const argument = argv[i];
            bool const has_parameters = argument.find(':') != std::string::npos;
            (has_parameters && argument.find(' ') == std::string::npos ? names : only).push_back(argument);
        }
        if (names.empty()) names = {"poisson3d:113", "stencil27:73", "uniform:625000,16", "rmat:20,10"};
        copse::cpu cpu(2);
        copse::bench::json_lines lines("");
        lines.add(copse::bench::run_object("kit", cpu.threads(), copse::bench::this_machine()));
        for (std::string const& name : names) {
            measure(cpu, name, repeats, only, lines);
            copse::bench::measure_new_matrices(cpu, name, repeats, only, lines);
        }
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_kit_bench [repeats] [generator ...] [operation ...]: {}\n", e.what());
        return 1;
    }
}
