// The operations of examples/ beside plain loops over CSR, which two threads share.
//
//   copse_kit_bench [repeats, default 9] [generator ..., default four of 10^7 entries]
//
// The examples' own functions are measured: their sources are included. Both sides take turns; each result is compared
// with the loop's first. A line for each operation and matrix: medians in milliseconds, and how many times as long the
// operation takes as the loop.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/algebra/for_each_row.hpp>
#include <copse/algebra/map_entries.hpp>
#include <copse/algebra/reduce_leaves.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/algebra/sub_matrix.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/prune.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/formats/wide_parts.hpp>
#include <copse/runtime/run.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/numbers.hpp"
#include "bench/harness/timing.hpp"

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
namespace element_wise {
#include "examples/element_wise.cpp"
}
namespace entries_per_node {
#include "examples/entries_per_node.cpp"
}
#undef main
// clang-format on

namespace {

using values = std::vector<double>;

/// f(row, first entry, end) for all rows, half of them by each of two threads; f is made by make(thread).
template <class Make>
void for_each_row_of(copse::csr<double> const& a, Make make) {
    auto const half = [&](int thread) {
        auto f = make(thread);
        // Halves of the entries, not of the rows.
        auto const middle = std::lower_bound(a.row_offsets.begin(), a.row_offsets.end(), a.entry_count() / 2);
        std::int64_t const at = middle - a.row_offsets.begin();
        for (std::int64_t i = thread == 0 ? 0 : at, end = thread == 0 ? at : a.row_count; i < end; ++i)
            f(static_cast<std::size_t>(i), static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(i)]),
              static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(i) + 1]));
    };
    std::thread other(half, 1);
    half(0);
    other.join();
}

class contest {
  public:
    contest(std::string matrix, int repeats) : matrix_(std::move(matrix)), repeats_(repeats) {}

    /// Both return a vector; neither differs from the other by more than `error` of its largest element.
    template <class Ours, class Plain>
    void race(char const* operation, double error, Ours ours, Plain plain) const {
        values const got = ours(), want = plain();
        double largest = 0, distance = got.size() == want.size() ? 0 : 1e300;
        for (std::size_t i = 0; i < want.size() && distance < 1e300; ++i) {
            if (got[i] == want[i]) continue;  // infinities, too
            largest = std::max(largest, std::abs(want[i]));
            distance = std::max(distance, std::abs(got[i] - want[i]));
        }
        if (!(distance <= error * largest)) throw std::runtime_error(std::string(operation) + ": results differ");
        std::vector<double> of_ours, of_plain;
        for (int k = 0; k < repeats_; ++k) {
            of_ours.push_back(copse::bench::seconds_of(ours));
            of_plain.push_back(copse::bench::seconds_of(plain));
        }
        double const a = copse::bench::timing_of(of_ours).median, b = copse::bench::timing_of(of_plain).median;
        fmt::print("{:20} {:22} {:9.2f} ms {:9.2f} ms {:6.2f}\n", matrix_, operation, a * 1e3, b * 1e3, a / b);
        std::fflush(stdout);
    }

  private:
    std::string matrix_;
    int repeats_;
};

void measure(copse::cpu& cpu, std::string const& name, int repeats) {
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
    contest const all(name, repeats);
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
        "row and column sums", 1e-12,
        [&] {
            copse::buffer<double> const sums(cpu, values(2 * n));
            copse::run_on_leaves(cpu, a, row_and_column_sums::add_up{a.tree(), sums.data(), sums.data() + n});
            return sums.to_host();
        },
        [&] {
            values sums(2 * n), others(n);
            for_each_row_of(rows, [&](int t) {
                return [&, to = t == 0 ? sums.data() + n : others.data()](std::size_t i, std::size_t first,
                                                                          std::size_t end) {
                    double sum = 0;
                    for (std::size_t k = first; k < end; ++k) {
                        sum += v[k];
                        to[column(k)] += v[k];
                    }
                    sums[i] = sum;
                };
            });
            for (std::size_t i = 0; i < n; ++i) sums[n + i] += others[i];
            return sums;
        });
    copse::buffer<double> const x8_there(cpu, x8);
    all.race(
        "eight vectors", 1e-12,
        [&] {
            copse::buffer<double> const y(cpu, values(8 * n));
            eight_vectors::multiply_eight(cpu, a, x8_there, y);
            return y.to_host();
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
    auto const plain_min_plus = [&] {
        values y(n);
        for_each_row_of(rows, [&](int) {
            return [&](std::size_t i, std::size_t first, std::size_t end) {
                double least = std::numeric_limits<double>::infinity();
                for (std::size_t k = first; k < end; ++k) least = std::min(least, v[k] + x[column(k)]);
                y[i] = least;
            };
        });
        return y;
    };
    using min_plus_product::min_plus;
    all.race(
        "min-plus, task", 0, [&] { return min_plus_product::product<min_plus>(cpu, a, x); }, plain_min_plus);
    all.race(
        "min-plus, plan", 0,
        [&] {
            copse::buffer<double> const from(cpu, x), y(cpu, plan.row_count());
            double* const to = y.data();
            copse::for_each_row(cpu, plan, min_plus::zero, min_plus_product::way_from{from.data()}, copse::min_op(),
                                [to](std::int64_t row, double found) { to[row] = found; });
            return y.to_host();
        },
        plain_min_plus);
    all.race(
        "entries per node", 0,
        [&] {
            auto const found = entries_per_node::entries_below(cpu, a);
            return values{found.empty() ? 0.0 : static_cast<double>(found[0])};
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

/// each(row, first entry, end, put): put(column, value) for each entry of the row of the new matrix; it is called twice.
template <class Each>
copse::csr<double> new_rows(copse::csr<double> const& a, Each each) {
    copse::csr<double> made{a.row_count, a.column_count, std::vector<std::int64_t>(a.row_offsets.size(), 0), {}, {}};
    for_each_row_of(a, [&](int) {
        return [&](std::size_t i, std::size_t first, std::size_t end) {
            std::int64_t found = 0;
            each(i, first, end, [&](std::int32_t, double) { ++found; });
            made.row_offsets[i + 1] = found;
        };
    });
    std::partial_sum(made.row_offsets.begin(), made.row_offsets.end(), made.row_offsets.begin());
    made.column_indices.resize(static_cast<std::size_t>(made.row_offsets.back()));
    made.values.resize(made.column_indices.size());
    for_each_row_of(a, [&](int) {
        return [&](std::size_t i, std::size_t first, std::size_t end) {
            auto at = static_cast<std::size_t>(made.row_offsets[i]);
            each(i, first, end, [&](std::int32_t column, double value) {
                made.column_indices[at] = column;
                made.values[at++] = value;
            });
        };
    });
    return made;
}

/// Numbers of entries are compared.
void measure_new_matrices(copse::cpu& cpu, std::string const& name, int repeats) {
    copse::csr<double> const rows = copse::to_csr(copse::generate<double>(name));
    copse::csr<double> other = new_rows(rows, [&](std::size_t, std::size_t first, std::size_t end, auto put) {
        for (std::size_t k = first; k < end; ++k)
            if (k % 3 != 0) put(rows.column_indices[k], k % 2 == 0 ? 0 : rows.values[k]);
    });
    copse::hisparse<double> const a(cpu, rows), b(cpu, other);
    contest const all(name, repeats);
    auto const race = [&](char const* operation, auto make, auto const& from, auto each) {
        auto const count = [](auto const& m) { return values{static_cast<double>(m.entry_count())}; };
        all.race(
            operation, 0, [&] { return count(make()); }, [&] { return count(new_rows(from, each)); });
    };
    race(
        "prune", [&] { return copse::prune(cpu, b); }, other,
        [&](std::size_t, std::size_t first, std::size_t end, auto put) {
            for (std::size_t k = first; k < end; ++k)
                if (other.values[k] != 0) put(other.column_indices[k], other.values[k]);
        });
    race(
        "lower triangle", [&] { return copse::map_entries(cpu, a, element_wise::lower_part{false}); }, rows,
        [&](std::size_t i, std::size_t first, std::size_t end, auto put) {
            for (std::size_t k = first; k < end; ++k)
                if (static_cast<std::size_t>(rows.column_indices[k]) <= i) put(rows.column_indices[k], rows.values[k]);
        });
    race(
        "A .* B", [&] { return copse::map_entry_pairs<copse::pairs::both>(cpu, a, b, element_wise::times()); }, rows,
        [&](std::size_t i, std::size_t first, std::size_t end, auto put) {
            auto at = static_cast<std::size_t>(other.row_offsets[i]);
            auto const last = static_cast<std::size_t>(other.row_offsets[i + 1]);
            for (std::size_t k = first; k < end; ++k) {
                while (at < last && other.column_indices[at] < rows.column_indices[k]) ++at;
                if (at < last && other.column_indices[at] == rows.column_indices[k])
                    put(rows.column_indices[k], rows.values[k] * other.values[at]);
            }
        });
    race(
        "masked update",
        [&] { return copse::map_entry_pairs<copse::pairs::either>(cpu, a, b, element_wise::replace()); }, rows,
        [&](std::size_t i, std::size_t first, std::size_t end, auto put) {  // B's pattern is part of A's
            auto at = static_cast<std::size_t>(other.row_offsets[i]);
            auto const last = static_cast<std::size_t>(other.row_offsets[i + 1]);
            for (std::size_t k = first; k < end; ++k) {
                while (at < last && other.column_indices[at] < rows.column_indices[k]) ++at;
                bool const there = at < last && other.column_indices[at] == rows.column_indices[k];
                put(rows.column_indices[k], there ? other.values[at] : rows.values[k]);
            }
        });
    std::int64_t const from = rows.row_count / 4 + 5, size = rows.row_count / 2;
    race(
        "A[rows, columns]",
        [&] {
            return copse::sub_matrix(cpu, a, {from, size}, {from, size});
        },
        rows,
        [&](std::size_t i, std::size_t first, std::size_t end, auto put) {
            if (static_cast<std::int64_t>(i) < from || static_cast<std::int64_t>(i) >= from + size) return;
            for (std::size_t k = first; k < end; ++k)
                if (rows.column_indices[k] >= from && rows.column_indices[k] < from + size)
                    put(static_cast<std::int32_t>(rows.column_indices[k] - from), rows.values[k]);
        });
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto const repeats = argc > 1 ? static_cast<int>(copse::bench::parse_whole("repeats", argv[1], 1, 1000)) : 9;
        std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
        if (names.empty()) names = {"poisson3d:113", "stencil27:73", "uniform:625000,16", "rmat:20,10"};
        copse::cpu cpu(2);
        for (std::string const& name : names) {
            measure(cpu, name, repeats);
            measure_new_matrices(cpu, name, repeats);
        }
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_kit_bench [repeats] [generator ...]: {}\n", e.what());
        return 1;
    }
}
