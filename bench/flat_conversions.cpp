#include "bench/flat_conversions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <copse/algebra/flat_plan.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/padding_limit.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/harness/json_value.hpp"
#include "bench/harness/measurement.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

/// The ways of one matrix.
template <class T>
class conversions {
  public:
    conversions(cpu& executor, std::string const& name, csr<T> const& rows, int repeats)
        : executor_(executor), rows_(rows), repeats_(repeats) {
        common_.matrix = name;
        common_.type = type_name<T>;
        common_.entries = rows.entry_count();
        common_.threads = executor.threads();
        common_.product = time_product();
    }

    template <class Matrix, class Options>
    void by_copy(std::string const& way, Options const& options) {
        add(way, [&](flat_conversion& c) {
            Matrix const made(executor_, rows_, options);
            check(to_csr(made));
            c.bytes = made.bytes();
            c.there = time_of(repeats_, [&] { Matrix(executor_, rows_, options); });
            c.back = time_of(repeats_, [&] { to_csr(made); });
        });
    }

    template <class Matrix, class Options>
    void in_place(std::string const& way, Options const& options) {
        auto const make = [&] { return Matrix(executor_, csr_matrix<T>(executor_, rows_), options); };
        add(way, [&](flat_conversion& c) {
            check_in_place(csr_matrix<T>(executor_, rows_),
                           [&](csr_matrix<T>&& given) { return Matrix(executor_, std::move(given), options); });
            check_in_place(make(), [](Matrix&& given) { return to_csr_matrix(std::move(given)); });
            c.bytes = make().bytes();
            c.there = timing_of(repeats_, [&] {
                csr_matrix<T> given(executor_, rows_);
                return seconds_of([&] { Matrix(executor_, std::move(given), options); });
            });
            c.back = timing_of(repeats_, [&] {
                auto given = make();
                return seconds_of([&] { to_csr_matrix(std::move(given)); });
            });
        });
    }

    std::vector<flat_conversion> const& all() const { return all_; }

  private:
    timing time_product() {
        flat_plan<csr_matrix<T>> const plan(executor_, csr_matrix<T>(executor_, rows_));
        std::vector<T> const x(static_cast<std::size_t>(rows_.column_count), T(1));
        std::vector<T> y(static_cast<std::size_t>(rows_.row_count));
        return time_of(3 * repeats_, [&] { spmv(executor_, T(1), plan, x, T(0), y); });
    }

    void check(csr<T> const& got) const {
        if (got.row_offsets != rows_.row_offsets || got.column_indices != rows_.column_indices ||
            got.values != rows_.values)
            throw error("what comes back is not what went in");
    }

    template <class Given, class Convert>
    void check_in_place(Given given, Convert const& convert) const {
        auto const* values = given.content()->values.data();
        auto const made = convert(std::move(given));
        if (made.content()->values.data() != values) throw error("a copy where the arrays should have been taken");
        check(to_csr(made));
    }

    /// A format that refuses the matrix is no failure.
    template <class Work>
    void add(std::string const& way, Work const& work) {
        flat_conversion c = common_;
        c.way = way;
        try {
            work(c);
        } catch (too_much_padding const& e) {
            c.refusal = e.what();
        }
        all_.push_back(std::move(c));
    }

    cpu& executor_;
    csr<T> const& rows_;
    int repeats_;
    flat_conversion common_;
    std::vector<flat_conversion> all_;
};

std::optional<double> goal_of(std::string const& way) {
    if (way.starts_with("csr5")) return 4;
    if (way.starts_with("sellp")) return 12;
    if (way == "cmrs" || way == "cmrs in place") return 2;
    return std::nullopt;
}

std::string cell_of(flat_conversion const& c) {
    return c.refusal.empty() ? fmt::format("{:.1f} / {:.1f}", c.products_there(), c.products_back()) : "refused";
}

/// Of those that were timed; the upper one of two in the middle.
std::string median_of(std::vector<flat_conversion const*> all, double (flat_conversion::*products)() const) {
    std::sort(all.begin(), all.end(),
              [&](auto const* a, auto const* b) { return (a->*products)() < (b->*products)(); });
    return fmt::format("{:.1f}", (all[all.size() / 2]->*products)());
}

}  // namespace

template <class T>
std::vector<flat_conversion> measure_flat_conversions(cpu& executor, std::string const& name, csr<T> const& rows,
                                                      int repeats) {
    conversions<T> c(executor, name, rows, repeats);
    c.template by_copy<csr5<T>>("csr5", csr5_options{});
    c.template by_copy<sellp<T>>("sellp", sellp_options{});
    c.template by_copy<cmrs<T>>("cmrs", cmrs_options{.sorted = false});
    c.template by_copy<cmrs<T>>("cmrs sorted", cmrs_options{.sorted = true});
    c.template by_copy<cmrs<T>>("cmrs padded", cmrs_options{.per_row = cmrs_chunk / 4});
    c.template in_place<csr5<T>>("csr5 in place", csr5_options{});
    c.template in_place<cmrs<T>>("cmrs in place", cmrs_options{.sorted = false});
    c.template in_place<cmrs<T>>("cmrs sorted in place", cmrs_options{.sorted = true});
    return c.all();
}

template std::vector<flat_conversion> measure_flat_conversions(cpu&, std::string const&, csr<float> const&, int);
template std::vector<flat_conversion> measure_flat_conversions(cpu&, std::string const&, csr<double> const&, int);

std::string text_of(flat_conversion const& c) {
    auto const head = fmt::format("{:20} {:6} {:20} ", c.matrix, c.type, c.way);
    if (!c.refusal.empty()) return head + "refused: " + one_line(c.refusal);
    auto const in_products = [&](timing const& t, double products) {
        return fmt::format("{:8.2f} ms +-{:3.0f} % {:5.1f} products", t.median * 1e3, t.spread * 100, products);
    };
    return head + fmt::format("to {}  back {}  product of csr {:7.3f} ms +-{:3.0f} %",
                              in_products(c.there, c.products_there()), in_products(c.back, c.products_back()),
                              c.product.median * 1e3, c.product.spread * 100);
}

std::string json_line(flat_conversion const& c) {
    bool const is_timed = c.refusal.empty();
    auto const if_timed = [&](auto number) {
        return is_timed ? nlohmann::ordered_json(number) : nlohmann::ordered_json(nullptr);
    };
    nlohmann::ordered_json const object{
        {"op", "flat conversion"},
        {"matrix", c.matrix},
        {"type", c.type},
        {"way", c.way},
        {"entries", c.entries},
        {"bytes", if_timed(c.bytes)},
        {"threads", c.threads},
        {"seconds", if_timed(c.there.median)},
        {"spread", if_timed(c.there.spread)},
        {"back_seconds", if_timed(c.back.median)},
        {"back_spread", if_timed(c.back.spread)},
        {"product_seconds", c.product.median},
        {"product_spread", c.product.spread},
        {"refusal", is_timed ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(c.refusal)}};
    return json_line(object);
}

std::string flat_conversion_table(std::vector<flat_conversion> const& all) {
    std::vector<std::string> ways;
    std::map<std::string, std::vector<flat_conversion const*>> timed;
    std::string rows, last;
    for (auto const& c : all) {
        if (std::find(ways.begin(), ways.end(), c.way) == ways.end()) ways.push_back(c.way);
        auto const start = fmt::format("\n| {} | {} |", c.matrix, c.type);
        if (start != last) rows += last = start;
        rows += ' ' + cell_of(c) + " |";
        if (c.refusal.empty()) timed[c.way].push_back(&c);
    }
    std::string head = "| matrix | type |", rule = "|---|---|", medians = "\n| median |  |",
                goals = "\n| within the goal |  |";
    for (auto const& way : ways) {
        head += ' ' + way + " |";
        rule += "---:|";
        auto const& ones = timed[way];
        medians += ones.empty() ? " - |"
                                : fmt::format(" {} / {} |", median_of(ones, &flat_conversion::products_there),
                                              median_of(ones, &flat_conversion::products_back));
        auto const goal = goal_of(way);
        auto const hits = std::count_if(ones.begin(), ones.end(),
                                        [&](auto const* c) { return goal && c->products_there() <= *goal; });
        goals += goal ? fmt::format(" {} of {} |", hits, ones.size()) : " - |";
    }
    return head + '\n' + rule + rows + medians + goals + '\n';
}

}  // namespace copse::bench
