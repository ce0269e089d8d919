// What conversions to our formats and back take beside one product.
//
//   copse_conversion_bench [repeats, default 5] [double | float] [hisparse | flat] [generator ...]
//
// Without generators eight matrices of 2 to 12 million entries; without a format both kinds. For each matrix
//   hisparse   CSR to HiSparse, the first time and in fresh memory, and the median of the repeats, in what the one
//              before freed; back to CSR; the same from and to a coordinate list in order of rows; the one-shot product
//              y <- A x
//   flat       CSR to CSR5, SELL-P, CMRS and back, by copy and in place; the product y <- A x by a plan for CSR
// What comes back is compared with what went in before anything is timed.
// For each conversion one line for people and one JSON object; of the flat formats a table at the end.
#include <fmt/format.h>

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

#include "bench/flat_conversions.hpp"
#include "bench/harness/numbers.hpp"
#include "bench/harness/timing.hpp"
#include "bench/machine.hpp"

namespace {

using copse::bench::seconds_of;
using copse::bench::time_of;
using copse::bench::timing;

template <class T>
void check(copse::csr<T> const& got, copse::csr<T> const& want) {
    if (got.row_offsets != want.row_offsets || got.column_indices != want.column_indices || got.values != want.values)
        throw std::runtime_error("what comes back is not what went in");
}

template <class T>
void measure_tree(copse::cpu& executor, std::string const& name, copse::csr<T> const& rows, int repeats) {
    copse::coo<T> const list = copse::to_coo(rows);
    std::unique_ptr<copse::hisparse<T>> a;
    copse::trim_host_memory();
    double const first = seconds_of([&] { a = std::make_unique<copse::hisparse<T>>(copse::host_memory(), rows); });
    check(copse::to_csr(*a), rows);
    check(copse::to_csr(copse::hisparse<T>(copse::host_memory(), list)), rows);
    check(copse::to_csr(copse::to_coo(*a)), rows);
    timing const there = time_of(repeats, [&] { copse::hisparse<T>(copse::host_memory(), rows); });
    timing const back = time_of(repeats, [&] { copse::to_csr(*a); });
    timing const from_list = time_of(repeats, [&] { copse::hisparse<T>(copse::host_memory(), list); });
    timing const to_list = time_of(repeats, [&] { copse::to_coo(*a); });
    std::vector<T> const x(static_cast<std::size_t>(a->column_count()), T(1));
    std::vector<T> y(static_cast<std::size_t>(a->row_count()));
    timing const product = time_of(3 * repeats, [&] { copse::spmv(executor, T(1), *a, x, T(0), y); });

    auto const in_products = [&](timing const& t) {
        return fmt::format("{:8.2f} ms +-{:3.0f} % {:5.1f} products", t.median * 1e3, t.spread * 100,
                           t.median / product.median);
    };
    char const* const type = sizeof(T) == 4 ? "float" : "double";
    fmt::print(
        "{:20} {:6} to {} (first {:8.2f})  back {}  from a list {}  to a list {}  product {:7.3f} ms +-{:3.0f} %\n",
        name, type, in_products(there), first * 1e3, in_products(back), in_products(from_list), in_products(to_list),
        product.median * 1e3, product.spread * 100);
    fmt::print(
        "{{\"op\":\"conversion\",\"matrix\":\"{}\",\"type\":\"{}\",\"entries\":{},\"bytes\":{},\"threads\":{},"
        "\"first_seconds\":{:.6f},\"seconds\":{:.6f},\"spread\":{:.3f},\"back_seconds\":{:.6f},\"back_spread\":{:.3f},"
        "\"coo_seconds\":{:.6f},\"coo_spread\":{:.3f},\"coo_back_seconds\":{:.6f},\"coo_back_spread\":{:.3f},"
        "\"product_seconds\":{:.6f},\"product_spread\":{:.3f}}}\n",
        name, type, a->entry_count(), a->bytes(), executor.threads(), first, there.median, there.spread, back.median,
        back.spread, from_list.median, from_list.spread, to_list.median, to_list.spread, product.median,
        product.spread);
    std::fflush(stdout);
}

/// What the command line asks for.
struct arguments {
    int repeats = 5;
    bool is_float = false;
    bool hisparse = true;
    bool flat = true;
    std::vector<std::string> matrices{"poisson3d:120", "stencil27:72",     "elasticity:48",   "uniform:500000,16",
                                      "rmat:19,20",    "lp:20000,1000000", "circuit:1000000", "permutation:2000000"};
};

arguments parse(std::vector<std::string> words) {
    arguments a;
    if (!words.empty()) {
        a.repeats = static_cast<int>(copse::bench::parse_whole("repeats", words.front(), 1, 1000));
        words.erase(words.begin());
    }
    auto const take = [&](char const* word) {
        bool const is_there = !words.empty() && words.front() == word;
        if (is_there) words.erase(words.begin());
        return is_there;
    };
    a.is_float = !take("double") && take("float");
    a.flat = !take("hisparse");
    a.hisparse = !a.flat || !take("flat");
    if (!words.empty()) a.matrices = words;
    return a;
}

template <class T>
void measure(copse::cpu& executor, std::string const& name, arguments const& a,
             std::vector<copse::bench::flat_conversion>& found) {
    copse::csr<T> const rows = copse::to_csr(copse::generate<T>(name));
    if (a.hisparse) measure_tree(executor, name, rows, a.repeats);
    if (!a.flat) return;
    for (auto const& c : copse::bench::measure_flat_conversions(executor, name, rows, a.repeats)) {
        fmt::print("{}\n{}", text_of(c), json_line(c));
        found.push_back(c);
    }
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        arguments const a = parse({argv + 1, argv + argc});
        copse::cpu executor;
        copse::bench::machine const here = copse::bench::this_machine();
        fmt::print("{}, {} threads, load {:.2f}\n", here.cpu_model, executor.threads(), here.load_average);
        std::vector<copse::bench::flat_conversion> found;
        for (std::string const& name : a.matrices)
            a.is_float ? measure<float>(executor, name, a, found) : measure<double>(executor, name, a, found);
        if (a.flat) fmt::print("\nproducts of csr, to / back:\n{}", copse::bench::flat_conversion_table(found));
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_conversion_bench [repeats] [double | float] [hisparse | flat] [generator ...]: {}\n",
                   e.what());
        return 1;
    }
}
