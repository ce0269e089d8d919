#include <algorithm>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/report.hpp>
#include <initializer_list>
#include <optional>
#include <vector>

#include "bench/gpu_comparison/allocations.hpp"
#include "bench/gpu_comparison/race_times.hpp"
#include "bench/gpu_comparison/sum.hpp"
#include "bench/gpu_comparison/watchdog.hpp"

namespace copse::bench {
namespace {

template <class T>
class sum_race {
  public:
    sum_race(gpu_clock& clock, sum_check<T> const& check, gpu_race_options const& options)
        : clock_(clock), check_(check), options_(options) {}

    void check_first(sum_competitor<T>& c) {
        guarded(c, [&] {
            for (int set = 0; set < c.record.sets; ++set) {
                auto& sum = c.of_set(set);
                {
                    watchdog const limit(options_.program, race_name(c.record), 2 * options_.hang_seconds);
                    sum.prepare();
                }
                spoil(c, sum);
                auto const run_it = [&] { return run(c, sum).wall; };
                if (set > 0) {
                    run_it();
                } else {
                    c.record.kept_bytes = sum.kept_bytes();
                    c.record.peak_bytes = peak_bytes_of([&] { c.record.m.first_seconds = run_it(); });
                }
                check(c, sum);
            }
            describe_result(c);
        });
    }
    void check_again(sum_competitor<T>& c) {
        guarded(c, [&] {
            auto& sum = next_sum(c);
            spoil(c, sum);
            run(c, sum);
            check(c, sum);
        });
    }
    void time_once(sum_competitor<T>& c, race_times& t) {
        if (!has_turn(t.seconds.size(), t.total, options_)) return;
        guarded(c, [&] {
            std::optional<run_report> report;
            auto& sum = next_sum(c);
            auto const call = run(c, sum, report);
            t.add(call, true, report);
            sum.forget();
        });
    }

  private:
    /// As in race_on_gpu: nobody finds its operands in the cache.
    gpu_sum<T>& next_sum(sum_competitor<T> const& c) { return c.of_set(calls_++ % c.record.sets); }

    /// Poisons what C will lie in: without this the pool hands on the last sum's memory, and that was right. Gives the
    /// workspace back: what a run takes from it is to be counted.
    void spoil(sum_competitor<T> const& c, gpu_sum<T>& sum) {
        auto const& m = c.record.m;
        std::int64_t const rows = m.transpose ? m.columns : m.rows, entries = check_.entry_count();
        clock_.executor().release_workspace();
        // As one block, and as the arrays of rows: small ones have other places in the pool.
        poison_blocks({csr_bytes(rows, entries, sizeof(T))});
        poison_blocks({4 * (rows + 1), 4 * entries, static_cast<std::int64_t>(sizeof(T)) * entries});
        sum.spoil();
    }
    void poison_blocks(std::initializer_list<std::int64_t> sizes) {
        std::vector<buffer<std::byte>> blocks;
        for (auto const bytes : sizes) {
            blocks.emplace_back(clock_.executor(), bytes);
            poison(clock_.executor(), blocks.back().data(), blocks.back().bytes());
        }
    }
    call_seconds run(sum_competitor<T> const& c, gpu_sum<T>& sum, std::optional<run_report>& report) {
        watchdog const limit(options_.program, race_name(c.record), options_.hang_seconds);
        return clock_.time_waiting([&] { report = sum.run(); });
    }
    call_seconds run(sum_competitor<T> const& c, gpu_sum<T>& sum) {
        std::optional<run_report> report;
        return run(c, sum, report);
    }
    void check(sum_competitor<T>& c, gpu_sum<T>& sum) {
        watchdog const limit(options_.program, race_name(c.record), 4 * options_.hang_seconds);
        c.record.m.max_error = std::max(c.record.m.max_error, check_.error(sum));
        c.record.m.plus->result_bytes = sum.result_bytes();
        c.record.m.moved_bytes = c.record.m.bytes + sum.result_bytes() - 2 * sum.shared_bytes();
        sum.forget();
    }
    void describe_result(sum_competitor<T>& c) {
        auto& m = c.record.m;
        auto const result_rows = m.transpose ? m.columns : m.rows;
        m.plus->result_entries = check_.entry_count();
        m.csr_moved_bytes = csr_bytes(m.rows, m.entries, sizeof(T)) +
                            csr_bytes(m.plus->rows, m.plus->entries, sizeof(T)) +
                            csr_bytes(result_rows, check_.entry_count(), sizeof(T));
    }

    /// Work of a competitor that is still in the race.
    template <class Work>
    void guarded(sum_competitor<T>& c, Work const& work) {
        if (!c.record.has_times()) return;
        try {
            work();
        } catch (copse::error const& e) {
            c.record.failure = e.what();
            for (int set = 0; set < c.record.sets; ++set) c.of_set(set).forget();
            throw_if_lost(race_name(c.record) + ": " + e.what());
        }
    }

    gpu_clock& clock_;
    sum_check<T> const& check_;
    gpu_race_options options_;
    int calls_ = 0;
};

}  // namespace

template <class T>
host_sum_check<T>::host_sum_check(csr<T> const& a, bool transpose_a, csr<T> const& b, bool transpose_b)
    : expected_(reference::add<T>(1, a, transpose_a, 1, b, transpose_b)) {}

template <class T>
double host_sum_check<T>::error(gpu_sum<T> const& sum) const {
    return reference::max_error(sum.result(), expected_);
}

template <class T>
void race_sums(gpu_clock& clock, sum_check<T> const& check, std::vector<sum_competitor<T>>& competitors,
               gpu_race_options const& options) {
    sum_race<T> race(clock, check, options);
    take_turns(race, competitors, options.repeats);
}

template class host_sum_check<float>;
template class host_sum_check<double>;
template void race_sums(gpu_clock&, sum_check<float> const&, std::vector<sum_competitor<float>>&,
                        gpu_race_options const&);
template void race_sums(gpu_clock&, sum_check<double> const&, std::vector<sum_competitor<double>>&,
                        gpu_race_options const&);

}  // namespace copse::bench
