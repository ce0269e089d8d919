// What conversions to HiSparse and back take beside one product.
//
//   copse_conversion_bench [repeats, default 5] [generator ..., default eight of 2 to 12 million entries]
//
// For each matrix in double: CSR to HiSparse, the first time and in fresh memory, and the median of the repeats, in
// what the one before freed; back to CSR; and the one-shot product y <- A x. What comes back is compared with what went
// in before anything is timed.
// For each matrix one line for people and one JSON object.
#include <fmt/format.h>

#include <algorithm>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "cli/numbers.hpp"
#include "cli/timing.hpp"

namespace {

using copse::measure::seconds_of;

struct timing {
    double median;
    double spread;  // distance of the quartiles, as a fraction of the median
};

/// After one run that is not timed.
template <class Work>
timing time_of(int repeats, Work const& work) {
    work();
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) times.push_back(seconds_of(work));
    std::sort(times.begin(), times.end());
    auto const at = [&](double part) { return times[static_cast<std::size_t>(part * (repeats - 1) + 0.5)]; };
    return {at(0.5), (at(0.75) - at(0.25)) / at(0.5)};
}

void check(copse::csr<double> const& got, copse::csr<double> const& want) {
    if (got.row_offsets != want.row_offsets || got.column_indices != want.column_indices || got.values != want.values)
        throw std::runtime_error("what comes back is not what went in");
}

void measure(copse::cpu& executor, std::string const& name, int repeats) {
    copse::csr<double> const rows = copse::to_csr(copse::generate<double>(name));
    std::unique_ptr<copse::hisparse<double>> a;
    copse::trim_host_memory();
    double const first = seconds_of([&] { a = std::make_unique<copse::hisparse<double>>(copse::host_memory(), rows); });
    check(copse::to_csr(*a), rows);
    timing const there = time_of(repeats, [&] { copse::hisparse<double>(copse::host_memory(), rows); });
    timing const back = time_of(repeats, [&] { copse::to_csr(*a); });
    std::vector<double> const x(static_cast<std::size_t>(a->column_count()), 1.0);
    std::vector<double> y(static_cast<std::size_t>(a->row_count()));
    timing const product = time_of(3 * repeats, [&] { copse::spmv(executor, 1.0, *a, x, 0.0, y); });

    fmt::print(
        "{:20} to {:8.2f} ms (first {:8.2f}) +-{:3.0f} % {:5.1f} products  back {:8.2f} ms +-{:3.0f} % {:5.1f} products"
        "  product {:7.3f} ms +-{:3.0f} %\n",
        name, there.median * 1e3, first * 1e3, there.spread * 100, there.median / product.median, back.median * 1e3,
        back.spread * 100, back.median / product.median, product.median * 1e3, product.spread * 100);
    fmt::print(
        "{{\"op\":\"conversion\",\"matrix\":\"{}\",\"entries\":{},\"bytes\":{},\"threads\":{},\"first_seconds\":{:.6f},"
        "\"seconds\":{:.6f},\"spread\":{:.3f},\"back_seconds\":{:.6f},\"back_spread\":{:.3f},"
        "\"product_seconds\":{:.6f},\"product_spread\":{:.3f}}}\n",
        name, a->entry_count(), a->bytes(), executor.threads(), first, there.median, there.spread, back.median,
        back.spread, product.median, product.spread);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto const repeats = argc > 1 ? static_cast<int>(copse::measure::parse_whole("repeats", argv[1], 1, 1000)) : 5;
        std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
        if (names.empty())
            names = {"poisson3d:120", "stencil27:72",     "elasticity:48",   "uniform:500000,16",
                     "rmat:19,20",    "lp:20000,1000000", "circuit:1000000", "permutation:2000000"};
        copse::cpu executor;
        copse::bench::machine const here = copse::bench::this_machine();
        fmt::print("{}, {} threads, load {:.2f}\n", here.cpu_model, executor.threads(), here.load_average);
        for (std::string const& name : names) measure(executor, name, repeats);
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_conversion_bench [repeats] [generator ...]: {}\n", e.what());
        return 1;
    }
}
