// The modes of copse_bench: what each measures goes to `lines` as JSON objects (json_lines.hpp), progress to standard
// error. bench/report makes tables and pictures of the lines.
#pragma once

#include <fmt/format.h>

#include <copse/runtime/error.hpp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/harness/measurement.hpp"
#include "bench/harness/text.hpp"
#include "bench/json_lines.hpp"

namespace copse::bench {

struct arguments {
    std::vector<std::string> matrices;
    bool add = false;
    bool sizes = false;
    bool papers = false;
    bool tune = false;
    bool gpu = false;  // of --tune
    bool peers = false;
    int columns = 0;  // of X; 0: vectors
    bool quick = false;
    std::string json;
    std::string measured;  // --papers, --tune: a file of lines of earlier runs, whose matrices are left out
    int seconds = 0;       // --papers, --tune: after which no matrix is begun; 0: none
    std::string type;      // empty: double, of sizes both; mixed: of products only
    int threads = 0;
    int repeats = 0;  // 0: as many as the mode has by default
    int node_dimension = 128;
    bool avx2 = false;
    int triad_megabytes = 0;  // 0: default_triad_bytes()

    std::size_t triad_bytes() const {
        return triad_megabytes > 0 ? static_cast<std::size_t>(triad_megabytes) * 1'000'000 : default_triad_bytes();
    }
};

/// Each returns how many matrices could not be had and how many results were wrong. Throws argument_error.
int product_mode(arguments const& a, json_lines& lines);  // and additions
int columns_mode(arguments const& a, json_lines& lines);
int paper_mode(arguments const& a, json_lines& lines);
int size_mode(arguments const& a, json_lines& lines);
int tuning_mode(arguments const& a, json_lines& lines);

inline void complain(std::string const& message) {
    fmt::print(stderr, "copse_bench: error: {}\n", one_line(message));
}

inline void show_step(std::string const& step) {
    fmt::print(stderr, " {} ..", step);
}

/// How many of the records were wrong; complains about each.
inline int count_wrong(std::vector<measurement> const& records) {
    int wrong = 0;
    for (auto const& m : records) {
        if (m.is_right()) continue;
        ++wrong;
        complain(fmt::format("{}: the result of {} on {} is wrong", m.matrix, m.format, m.on));
    }
    return wrong;
}

/// work.operator()<T>(matrix) for each matrix in double, float or both, behind a line "[1/8] matrix, double:". Returns
/// the sum of what it returns; if it throws an error, that is shown and counts 1: a matrix that cannot be measured does
/// not keep the others from it.
template <class Matrix, class Work>
int for_each_matrix(std::vector<Matrix> const& matrices, std::string const& type, Work const& work) {
    auto const runs = matrices.size() * (type == "both" ? 2 : 1);
    std::size_t run = 0;
    int failures = 0;
    auto const one = [&]<class T>(Matrix const& matrix, T) {
        std::string name;
        if constexpr (requires { matrix.name; })
            name = matrix.name;
        else
            name = matrix;
        fmt::print(stderr, "[{}/{}] {}, {}:", ++run, runs, one_line(name), type == "mixed" ? "mixed" : type_name<T>);
        try {
            failures += work.template operator()<T>(matrix);
        } catch (copse::error const& e) {
            fmt::print(stderr, "\n");
            ++failures;
            complain(e.what());
        }
    };
    for (auto const& matrix : matrices) {
        if (type != "float") one(matrix, double());
        if (type == "float" || type == "both") one(matrix, float());
    }
    return failures;
}

}  // namespace copse::bench
