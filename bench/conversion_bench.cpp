// What conversions to our formats and back take beside one product, in host memory.
//
//   copse_conversion_bench [repeats, default 5] [double | float] [hisparse | flat] [generator ...] |
//       python3 bench/report
//
// Without generators eight matrices of 2 to 12 million entries; without a format both kinds. For each matrix
//   hisparse   from CSR, and from a coordinate list in order of rows, and back; unit: the one-shot product y <- A x
//   flat       from CSR to CSR5, SELL-P and CMRS and back, by copy and in place; unit: the product by a plan for CSR
// In place: from a csr_matrix whose arrays nobody shares, which the conversion takes, and back in the same way.
// What comes back is compared with what went in before anything is timed.
//
// {"op":"conversion", matrix, type, way, entries, bytes, threads, first_seconds, seconds, spread, back_seconds,
// back_spread, product_seconds, product_spread, refusal} for each way. first_seconds: of HiSparse's first conversion,
// in fresh memory; the others find the large blocks that the one before freed. A format that refuses the matrix says
// why in `refusal` and has no times.
#include <fmt/format.h>

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/json_value.hpp"
#include "bench/harness/numbers.hpp"
#include "bench/harness/timing.hpp"
#include "bench/json_lines.hpp"

namespace copse::bench {
namespace {

using nlohmann::ordered_json;

/// All ways of one matrix.
template <class T>
class conversions {
  public:
    conversions(cpu& executor, std::string const& name, csr<T> const& rows, int repeats, json_lines& lines)
        : executor_(executor), name_(name), rows_(rows), repeats_(repeats), lines_(lines) {}

    void tree() {
        auto const list = to_coo(rows_);
        auto const from_rows = [&] { return hisparse<T>(host_memory(), rows_); };
        trim_host_memory();
        double const first = seconds_of(from_rows);
        hisparse<T> const a = from_rows();
        time_product([&](auto const& x, auto& y) { spmv(executor_, T(1), a, x, T(0), y); });
        by_copy(
            "hisparse", from_rows, [](hisparse<T> const& made) { return to_csr(made); }, first);
        by_copy(
            "hisparse, list", [&] { return hisparse<T>(host_memory(), list); },
            [](hisparse<T> const& made) { return to_coo(made); });
    }

    void flat() {
        flat_plan<csr_matrix<T>> const plan(executor_, csr_matrix<T>(executor_, rows_));
        time_product([&](auto const& x, auto& y) { spmv(executor_, T(1), plan, x, T(0), y); });
        flat_by_copy<csr5<T>>("csr5", csr5_options{});
        flat_by_copy<sellp<T>>("sellp", sellp_options{});
        flat_by_copy<cmrs<T>>("cmrs", cmrs_options{.sorted = false});
        flat_by_copy<cmrs<T>>("cmrs sorted", cmrs_options{.sorted = true});
        flat_by_copy<cmrs<T>>("cmrs padded", cmrs_options{.per_row = cmrs_chunk / 4});
        in_place<csr5<T>>("csr5 in place", csr5_options{});
        in_place<cmrs<T>>("cmrs in place", cmrs_options{.sorted = false});
        in_place<cmrs<T>>("cmrs sorted in place", cmrs_options{.sorted = true});
    }

  private:
    template <class Multiply>
    void time_product(Multiply const& multiply) {
        std::vector<T> const x(static_cast<std::size_t>(rows_.column_count), T(1));
        std::vector<T> y(static_cast<std::size_t>(rows_.row_count));
        product_ = time_of(3 * repeats_, [&] { multiply(x, y); });
    }

    void check(csr<T> const& got) const {
        if (got.row_offsets != rows_.row_offsets || got.column_indices != rows_.column_indices ||
            got.values != rows_.values)
            throw error("what comes back is not what went in");
    }
    void check(coo<T> const& got) const { check(to_csr(got)); }

    template <class Make, class Back>
    void by_copy(std::string const& way, Make const& make, Back const& back, std::optional<double> first = {}) {
        add(way, [&](ordered_json& line) {
            auto const made = make();
            check(back(made));
            line["bytes"] = made.bytes();
            line["first_seconds"] = or_null(first);
            add_times(line, time_of(repeats_, make), time_of(repeats_, [&] { back(made); }));
        });
    }
    template <class Matrix, class Options>
    void flat_by_copy(std::string const& way, Options const& options) {
        by_copy(
            way, [&] { return Matrix(executor_, rows_, options); }, [](Matrix const& made) { return to_csr(made); });
    }

    template <class Given, class Convert>
    void check_in_place(Given given, Convert const& convert) const {
        auto const* values = given.content()->values.data();
        auto const made = convert(std::move(given));
        if (made.content()->values.data() != values) throw error("a copy where the arrays should have been taken");
        check(to_csr(made));
    }
    template <class Matrix, class Options>
    void in_place(std::string const& way, Options const& options) {
        auto const there = [&](csr_matrix<T>&& given) { return Matrix(executor_, std::move(given), options); };
        auto const make = [&] { return there(csr_matrix<T>(executor_, rows_)); };
        auto const back = [](Matrix&& given) { return to_csr_matrix(std::move(given)); };
        add(way, [&](ordered_json& line) {
            check_in_place(csr_matrix<T>(executor_, rows_), there);
            check_in_place(make(), back);
            line["bytes"] = make().bytes();
            auto const timed_there = timing_of(repeats_, [&] {
                csr_matrix<T> given(executor_, rows_);
                return seconds_of([&] { there(std::move(given)); });
            });
            add_times(line, timed_there, timing_of(repeats_, [&] {
                          auto given = make();
                          return seconds_of([&] { back(std::move(given)); });
                      }));
        });
    }

    static void add_times(ordered_json& line, timing const& there, timing const& back) {
        line["seconds"] = there.median;
        line["spread"] = there.spread;
        line["back_seconds"] = back.median;
        line["back_spread"] = back.spread;
    }

    /// A format that refuses the matrix is no failure.
    template <class Work>
    void add(std::string const& way, Work const& work) {
        ordered_json line{{"op", "conversion"},
                          {"matrix", name_},
                          {"type", type_name<T>},
                          {"way", way},
                          {"entries", rows_.entry_count()},
                          {"threads", executor_.threads()},
                          {"product_seconds", product_.median},
                          {"product_spread", product_.spread}};
        for (auto const* field :
             {"bytes", "first_seconds", "seconds", "spread", "back_seconds", "back_spread", "refusal"})
            line[field] = nullptr;
        try {
            work(line);
        } catch (too_much_padding const& e) {
            line["refusal"] = e.what();
        }
        lines_.add(line);
    }

    cpu& executor_;
    std::string const& name_;
    csr<T> const& rows_;
    int repeats_;
    json_lines& lines_;
    timing product_;
};

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
        a.repeats = static_cast<int>(parse_whole("repeats", words.front(), 1, 1000));
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
void measure(cpu& executor, std::string const& name, arguments const& a, json_lines& lines) {
    auto const rows = to_csr(generate<T>(name));
    conversions<T> all(executor, name, rows, a.repeats, lines);
    if (a.hisparse) all.tree();
    if (a.flat) all.flat();
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    try {
        arguments const a = parse({argv + 1, argv + argc});
        copse::cpu executor;
        json_lines lines("");
        lines.add(run_object("conversions", executor.threads(), this_machine()));
        for (std::string const& name : a.matrices)
            a.is_float ? measure<float>(executor, name, a, lines) : measure<double>(executor, name, a, lines);
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_conversion_bench [repeats] [double | float] [hisparse | flat] [generator ...]: {}\n",
                   e.what());
        return 1;
    }
}
