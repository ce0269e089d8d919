// HiSparse's Tables 1 and 2 beside ours.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "bench/gpu_comparison/report_tables.hpp"
#include "bench/hisparse_matrices.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

/// Milliseconds over the matrices.
class times_over {
  public:
    void add(double seconds) { milliseconds_.push_back(1e3 * seconds); }
    std::string text() const {
        if (milliseconds_.empty()) return "";
        double sum = 0, squares = 0;
        for (auto const t : milliseconds_) sum += t;
        double const mean = sum / static_cast<double>(milliseconds_.size());
        for (auto const t : milliseconds_) squares += (t - mean) * (t - mean);
        return fmt::format("{:.2f} ({:.2f})", mean, std::sqrt(squares / static_cast<double>(milliseconds_.size())));
    }

  private:
    std::vector<double> milliseconds_;
};

std::string text_of(paper_time const& t) {
    return t.mean > 0 ? fmt::format("{:.2f} ({:.2f})", t.mean, t.deviation) : "";
}

// Sums of transposes by cuSPARSE: made in each call, and there already, which is the paper's last column.
std::string const turning_name = "cusparse csr2csc + csrgeam2";
std::string const stored_name = "cusparse csrgeam2, transposed stored";

/// Whose times are beside the papers' lines. Conditions as theirs: cuSPARSE's transposes are made in each call, but for
/// those that are stored, which Table 2 has too.
bool is_shown(measured const& m) {
    static std::set<std::string> const others{"naive thread for each row",
                                              "cusparse csr 1",
                                              "cusparse csr 2",
                                              "cusparse csr 1, transpose",
                                              "cusparse csr 2, transpose",
                                              "cusparse csr2csc + csr 1",
                                              "cusparse csr2csc + csr 2",
                                              "cusparse csrgeam2",
                                              turning_name,
                                              stored_name};
    return m.is_ours() || others.contains(m.name);
}

/// Whose times they are: the paper's means are over all of its matrices.
class participants {
  public:
    void add(measured const& m) {
        matrices_.insert(m.matrix);
        most_entries_ = std::max(most_entries_, m.entries);
    }
    static std::size_t all() { return hisparse_matrices().size(); }
    bool are_none() const { return matrices_.empty(); }
    bool are_all() const { return matrices_.size() >= all(); }
    /// "8 of 14, up to 17 M entries"
    std::string text() const {
        auto const count = fmt::format("{} of {}", matrices_.size(), all());
        if (are_all()) return count;
        auto const millions = (most_entries_ + 999'999) / 1'000'000;
        return fmt::format("{}, up to {} M entries", count, millions);
    }

  private:
    std::set<std::string> matrices_;
    std::int64_t most_entries_ = 0;
};

/// Of a line's columns: once where they are as many, else of each that has some.
std::string text_of(std::array<participants, 3> const& columns) {
    std::string text, last;
    for (auto const& one : columns) {
        if (one.are_none() || one.text() == last) continue;
        last = one.text();
        text += (text.empty() ? "" : "; ") + last;
    }
    return text;
}

/// The columns of a table by the operation, as our records name it.
std::string table_of(std::vector<measured> const& all, std::vector<paper_line> const& lines,
                     std::array<std::string, 2> const& operations, bool has_turned) {
    using key = std::pair<std::string, std::string>;  // type, competitor
    std::map<key, std::array<times_over, 3>> ours;
    std::map<key, std::array<participants, 3>> of_whom;
    for (auto const& m : all) {
        if (m.bench != "papers" || !m.seconds || !is_shown(m)) continue;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            if (m.operation != operations[i]) continue;
            bool const is_turned_before = has_turned && m.name == stored_name;
            key const who{m.type, is_turned_before ? turning_name : m.name};
            auto const column = is_turned_before ? 2 : i;
            ours[who][column].add(*m.seconds);
            of_whom[who][column].add(m);
        }
    }
    if (ours.empty()) return "";
    measure::table t(has_turned ? "lllrrrr" : "lllrrr");
    std::vector<std::string> head{"", "type", "by", operations[0], operations[1]};
    if (has_turned) head.push_back("without transposition");
    head.push_back("matrices");
    t.add(head);
    for (auto const& line : lines) {
        std::vector<std::string> cells{"paper", line.type, line.library, text_of(line.plain), text_of(line.transposed)};
        if (has_turned) cells.push_back(text_of(line.turned));
        cells.push_back("all of its own");
        t.add(cells);
    }
    bool has_all = true;
    for (auto const& [who, times] : ours) {
        std::vector<std::string> cells{"here", who.first, who.second, times[0].text(), times[1].text()};
        if (has_turned) cells.push_back(times[2].text());
        cells.push_back(text_of(of_whom[who]));
        for (auto const& one : of_whom[who]) has_all = has_all && (one.are_none() || one.are_all());
        t.add(cells);
    }
    return fmt::format(
        "{}\n{}Ours are stand-ins (`bench/hisparse_matrices.cpp`); the paper's times are on a GeForce GTX "
        "1080.\n\n",
        t.markdown(),
        has_all ? ""
                : fmt::format("Means over other matrices than the paper's: not all of the {} took part. ",
                              participants::all()));
}

}  // namespace

std::string paper_tables(std::vector<measured> const& all) {
    auto const products = table_of(all, hisparse_table_1(), {"A x", "A^T x"}, false);
    auto const sums = table_of(all, hisparse_table_2(), {"A + B", "A^T + B^T"}, true);
    std::string text;
    if (!products.empty())
        text += "## HiSparse's Table 1: products, milliseconds, mean (standard deviation)\n\n" + products;
    if (!sums.empty()) text += "## HiSparse's Table 2: sums, milliseconds, mean (standard deviation)\n\n" + sums;
    return text;
}

}  // namespace copse::bench
