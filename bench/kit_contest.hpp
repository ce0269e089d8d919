// Operations beside plain loops over CSR, by turns (kit_bench.cpp, kit_new_matrices.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <copse/formats/csr.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness/timing.hpp"
#include "bench/json_lines.hpp"

namespace copse::bench {

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
    /// only: the names of the operations to race. If it is empty, all are raced.
    contest(std::string matrix, int repeats, std::vector<std::string> only, json_lines& lines)
        : matrix_(std::move(matrix)), repeats_(repeats), only_(std::move(only)), lines_(lines) {}

    bool has(std::string const& operation) const {
        return only_.empty() || std::find(only_.begin(), only_.end(), operation) != only_.end();
    }

    /// Both return a vector, or a buffer in host memory; neither differs from the other by more than `error` of its
    /// largest element. Adds the line {"op":"kit", matrix, what, seconds, loop_seconds, spreads: [of the operation, of
    /// the loop], processor_seconds: [the same]}.
    template <class Ours, class Plain>
    void race(char const* operation, double error, Ours ours, Plain plain) const {
        if (!has(operation)) return;
        values const got = in_vector(ours()), want = plain();
        double largest = 0, distance = got.size() == want.size() ? 0 : 1e300;
        for (std::size_t i = 0; i < want.size() && distance < 1e300; ++i) {
            if (got[i] == want[i]) continue;  // infinities, too
            largest = std::max(largest, std::abs(want[i]));
            distance = std::max(distance, std::abs(got[i] - want[i]));
        }
        if (!(distance <= error * largest)) throw std::runtime_error(std::string(operation) + ": results differ");
        std::vector<double> of_ours, of_plain, processor_of_ours, processor_of_plain;
        auto const measure = [](auto const& work, std::vector<double>& seconds, std::vector<double>& processor) {
            double const before = processor_seconds();
            seconds.push_back(seconds_of(work));
            processor.push_back(processor_seconds() - before);
        };
        for (int k = 0; k < repeats_; ++k) {
            measure(ours, of_ours, processor_of_ours);
            measure(plain, of_plain, processor_of_plain);
        }
        timing const a = timing_of(of_ours), b = timing_of(of_plain);
        lines_.add(
            {{"op", "kit"},
             {"matrix", matrix_},
             {"what", operation},
             {"seconds", a.median},
             {"loop_seconds", b.median},
             {"spreads", {a.spread, b.spread}},
             {"processor_seconds", {timing_of(processor_of_ours).median, timing_of(processor_of_plain).median}}});
    }

  private:
    static values in_vector(values result) { return result; }
    static values in_vector(copse::buffer<double> const& result) { return result.to_host(); }

    std::string matrix_;
    int repeats_;
    std::vector<std::string> only_;
    json_lines& lines_;
};

/// Matrices that operations make of a generator's, and the same by loops over CSR.
void measure_new_matrices(cpu& executor, std::string const& name, int repeats, std::vector<std::string> const& only,
                          json_lines& lines);

}  // namespace copse::bench
