// Solvers that multiply with A and with A^T: by one pass over A, by two products of the same plan, by two of MKL.
//
//   copse_solver_bench [repeats, default 9] [generator ..., default six]
//
// Two threads, double. The solvers are the examples' (their sources are included), a fixed number of steps each. All
// take turns; each result is compared with that of two products first. Where MKL is not here, its times are null.
//
// {"op":"solver", matrix, entries, what, steps, together_seconds, apart_seconds, mkl_seconds, spreads}: medians of what
// is timed as a whole. what: "both products" (y <- A x and z <- A^T w), "normal product" (z <- A^T A x), or a solver.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <copse/algebra/spmv_both.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness/json_value.hpp"
#include "bench/harness/numbers.hpp"
#include "bench/harness/timing.hpp"
#include "bench/json_lines.hpp"
#include "bench/peers/peers.hpp"

// Their main functions stay unused: as templates they are not compiled.
// clang-format off
#define main() main_of_example(auto...)
namespace least_squares {
#include "examples/least_squares.cpp"
}
namespace biconjugate_gradients {
#include "examples/biconjugate_gradients.cpp"
}
namespace linear_program {
#include "examples/linear_program.cpp"
}
#undef main
// clang-format on

namespace copse::bench {
namespace {

using values = std::vector<double>;

/// Two products, one after the other, in place of a plan: the examples find these functions as they find copse's.
struct two_products {
    both_directions multiply;
    std::shared_ptr<values> between;  // of a normal product
    bool is_transposed = false;

    friend two_products transposed(two_products const& a) { return {a.multiply, a.between, !a.is_transposed}; }
    friend void spmv(cpu&, double alpha, two_products const& a, values const& x, double beta, values& y) {
        a.multiply(a.is_transposed, alpha, x.data(), beta, y.data());
    }
    template <class F>
    friend double normal_product(cpu& executor, two_products const& a, values const& x, F const& f, double beta,
                                 values& z) {
        values& t = *a.between;
        spmv(executor, 1.0, a, x, 0.0, t);
        double const sum = for_each(executor, t, f);
        spmv(executor, 1.0, transposed(a), t, beta, z);
        return sum;
    }
    template <class F, class G>
    friend std::pair<double, double> spmv_both(cpu& executor, two_products const& a, double alpha, values const& x,
                                               double beta, values& y, double gamma, values const& w, double delta,
                                               values& z, F const& f, G const& g) {
        spmv(executor, alpha, a, x, beta, y);
        double const sum = for_each(executor, y, f);
        spmv(executor, gamma, transposed(a), w, delta, z);
        return {sum, for_each(executor, z, g)};
    }

  private:
    /// The sum of f(i, t_i), on the executor's threads.
    template <class F>
    static double for_each(cpu& executor, values& t, F const& f) {
        std::int64_t constexpr stretch = 4096;
        auto const count = std::ssize(t);
        values sums(static_cast<std::size_t>(count / stretch + 1));
        detail::on_threads_of(executor, [&] {
            detail::parallel_for(std::ssize(sums), 1, [&](std::int64_t part) {
                double sum = 0;
                for (std::int64_t i = part * stretch; i < std::min(count, (part + 1) * stretch); ++i) {
                    if constexpr (std::is_void_v<decltype(f(i, t[0]))>)
                        f(i, t[static_cast<std::size_t>(i)]);
                    else
                        sum += f(i, t[static_cast<std::size_t>(i)]);
                }
                sums[static_cast<std::size_t>(part)] = sum;
            });
        });
        double total = 0;
        for (double sum : sums) total += sum;
        return total;
    }
};

class contest {
  public:
    contest(cpu& executor, std::string const& name, int repeats, json_lines& lines)
        : executor_(executor),
          name_(name),
          repeats_(repeats),
          lines_(lines),
          rows_(random_values(to_csr(generate<double>(name)))),
          plan_(executor, hisparse<double>(executor, rows_), plan_directions::both),
          between_(std::make_shared<values>(static_cast<std::size_t>(rows_.row_count))),
          apart_{[this](bool transpose, double alpha, double const* x, double beta, double* y) {
                     std::int64_t const m = rows_.row_count;  // matrices are square
                     spmv(executor_, alpha, transpose ? transposed(plan_) : plan_,
                          vector_view<double const>(x, m, memory_space::host), beta,
                          vector_view<double>(y, m, memory_space::host));
                 },
                 between_},
          mkl_{mkl_both_directions(rows_, executor.threads()), between_} {}

    /// Throws argument_error where the matrix is not square.
    void run() {
        if (rows_.row_count != rows_.column_count)
            throw argument_error(
                fmt::format("{} is {} x {}; give square matrices", name_, rows_.row_count, rows_.column_count));
        auto const n = static_cast<std::size_t>(rows_.row_count);
        values b(n), w(n);
        for (std::size_t i = 0; i < n; ++i) {
            b[i] = std::sin(static_cast<double>(i));
            w[i] = std::cos(static_cast<double>(i));
        }
        values z(n);
        race("both products", 1, [&](auto const& a, values& y) {
            spmv_both(
                executor_, a, 1.0, b, 0.0, y, 1.0, w, 0.0, z, [](std::int64_t, double) {}, [](std::int64_t, double) {});
        });
        race("normal product", 1, [&](auto const& a, values& y) {
            normal_product(
                executor_, a, b, [](std::int64_t, double) {}, 0.0, y);
        });
        int const steps = 10;
        race("LSQR", steps, [&](auto const& a, values& x) {
            x.assign(n, 0.0);
            least_squares::lsqr(executor_, a, b, x, 0.0, steps);
        });
        race("BiCG", steps, [&](auto const& a, values& x) {
            x.assign(n, 0.0);
            biconjugate_gradients::bicg(executor_, a, b, x, 0.0, steps);
        });
        linear_program::linear_program const program{w, b};
        race("PDHG", steps, [&](auto const& a, values& x) {
            x.assign(n, 0.0);
            z.assign(n, 0.0);
            linear_program::primal_dual(executor_, a, program, x, z, steps, 1e-3);
        });
    }

  private:
    /// Diagonally dominant, so that all solvers stay finite.
    static csr<double> random_values(csr<double> a) {
        for (std::int64_t i = 0; i < a.row_count; ++i)
            for (auto k = a.row_offsets[static_cast<std::size_t>(i)];
                 k < a.row_offsets[static_cast<std::size_t>(i) + 1]; ++k) {
                auto const at = static_cast<std::size_t>(k);
                a.values[at] = a.column_indices[at] == i ? 100 : std::sin(static_cast<double>(k));
            }
        return a;
    }

    /// solve(plan or two_products, result)
    template <class Solve>
    void race(char const* what, int steps, Solve const& solve) {
        auto const n = static_cast<std::size_t>(rows_.row_count);
        values expected(n), got(n);
        solve(apart_, expected);
        auto const check = [&](auto const& a) {
            solve(a, got);
            double largest = 0, distance = 0;
            for (std::size_t i = 0; i < n; ++i) {
                largest = std::max(largest, std::abs(expected[i]));
                distance = std::max(distance, std::abs(got[i] - expected[i]));
            }
            if (!(distance <= 1e-8 * largest)) throw error(fmt::format("{}, {}: results differ", name_, what));
        };
        check(plan_);
        if (mkl_.multiply) check(mkl_);
        values together, apart, mkl;
        auto const time = [&](auto const& a, values& seconds) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));  // OpenMP's threads spin for a while
            seconds.push_back(seconds_of([&] { solve(a, got); }));
        };
        for (int k = 0; k < repeats_; ++k) {
            time(plan_, together);
            time(apart_, apart);
            if (mkl_.multiply) time(mkl_, mkl);
        }
        nlohmann::ordered_json line{{"op", "solver"},
                                    {"matrix", name_},
                                    {"entries", rows_.entry_count()},
                                    {"what", what},
                                    {"steps", steps},
                                    {"together_seconds", nullptr},
                                    {"apart_seconds", nullptr},
                                    {"mkl_seconds", nullptr},
                                    {"spreads", nlohmann::json::array()}};
        auto const add = [&](char const* field, values const& seconds) {
            if (seconds.empty()) return;
            timing const t = timing_of(seconds);
            line[field] = t.median;
            line["spreads"].push_back(t.spread);
        };
        add("together_seconds", together);
        add("apart_seconds", apart);
        add("mkl_seconds", mkl);
        lines_.add(line);
    }

    cpu& executor_;
    std::string name_;
    int repeats_;
    json_lines& lines_;
    csr<double> rows_;
    spmv_plan<double> plan_;
    std::shared_ptr<values> between_;
    two_products apart_, mkl_;
};

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    try {
        auto const repeats = argc > 1 ? static_cast<int>(parse_whole("repeats", argv[1], 1, 1000)) : 9;
        std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
        if (names.empty())
            names = {"stencil27:96", "poisson3d:120", "poisson2d:1500", "elasticity:48", "banded:400000,25", "rmat:18"};
        copse::cpu executor(2);
        json_lines lines("");
        lines.add(run_object("solvers", executor.threads(), this_machine()));
        for (std::string const& name : names) contest(executor, name, repeats, lines).run();
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_solver_bench [repeats] [generator ...]: {}\n", e.what());
        return 1;
    }
}
