#include "bench/gpu_comparison/race.hpp"

#include <cuda_runtime_api.h>
#include <algorithm>
#include <copse/formats/padding_limit.hpp>

#include "bench/gpu_comparison/allocations.hpp"
#include "bench/gpu_comparison/race_times.hpp"
#include "bench/gpu_comparison/watchdog.hpp"

namespace copse::bench {
namespace {

template <class T>
class gpu_race {
  public:
    gpu_race(gpu_clock& clock, gpu_problem<T> const& problem, gpu_race_options const& options)
        : clock_(clock), problem_(problem), options_(options) {}

    void check_first(gpu_competitor<T>& c) {
        guarded(c, [&] {
            {
                watchdog const limit(options_.program, race_name(c.record), 2 * options_.hang_seconds);
                c.record.prepare_seconds = c.product->prepare();
            }
            c.record.kept_bytes = c.product->kept_bytes();
            c.record.prepare_peak_bytes = c.product->prepare_peak_bytes();
            c.record.m.moved_bytes += c.product->list_bytes();
            for (int set = 0; set < problem_.set_count(); ++set) {
                if (set > 0) {
                    checked_run(c, set);
                    continue;
                }
                clock_.executor().release_workspace();  // what a run takes from it is to be counted
                c.record.peak_bytes = peak_bytes_of([&] { c.record.m.first_seconds = checked_run(c, set); });
            }
        });
    }

    void check_again(gpu_competitor<T>& c) {
        guarded(c, [&] { checked_run(c, next_set()); });
    }

    void time_once(gpu_competitor<T>& c, race_times& t) {
        if (!has_turn(t.seconds.size(), t.total, options_)) return;
        guarded(c, [&] {
            std::optional<run_report> run;
            auto const call = timed(c, next_set(), run);
            t.add(call, c.record.clock == "wall", run);
        });
    }

  private:
    /// Calls follow one another on different sets, whoever makes them, so that nobody finds its data in the cache.
    int next_set() { return calls_++ % problem_.set_count(); }

    call_seconds timed(gpu_competitor<T>& c, int set, std::optional<run_report>& run) {
        watchdog const limit(options_.program, race_name(c.record), options_.hang_seconds);
        auto const work = [&] { run = c.product->run(set); };
        return c.record.clock == "wall" ? clock_.time_waiting(work) : clock_.time_queued(work);
    }

    double checked_run(gpu_competitor<T>& c, int set) {
        auto const& v = problem_.sets[static_cast<std::size_t>(set)];
        poison(clock_.executor(), v.y.data(), v.y.bytes());
        std::optional<run_report> run;
        auto const call = timed(c, set, run);
        double const error = v.check->error(v.y);
        c.record.m.max_error = std::max(c.record.m.max_error, error);
        return c.record.clock == "wall" ? call.wall : call.events;
    }

    /// Work of a competitor that is still in the race.
    template <class Work>
    void guarded(gpu_competitor<T>& c, Work const& work) {
        if (!c.record.has_times()) return;
        try {
            work();
        } catch (too_much_padding const& e) {
            c.record.failure = e.what();
            c.record.is_refused = true;
        } catch (copse::error const& e) {
            c.record.failure = e.what();
            throw_if_lost(race_name(c.record) + ": " + e.what());
        }
    }

    gpu_clock& clock_;
    gpu_problem<T> const& problem_;
    gpu_race_options options_;
    int calls_ = 0;
};

}  // namespace

void throw_if_lost(std::string const& message) {
    if (cudaDeviceSynchronize() != cudaSuccess) throw gpu_lost(message);
}

bool has_turn(std::size_t runs, double seconds, gpu_race_options const& options) {
    return seconds < options.seconds_each || runs < static_cast<std::size_t>(options.least_repeats);
}

template <class T>
void race_on_gpu(gpu_clock& clock, gpu_problem<T> const& problem, std::vector<gpu_competitor<T>>& competitors,
                 gpu_race_options const& options) {
    gpu_race<T> race(clock, problem, options);
    take_turns(race, competitors, options.repeats);
}

template void race_on_gpu(gpu_clock&, gpu_problem<float> const&, std::vector<gpu_competitor<float>>&,
                          gpu_race_options const&);
template void race_on_gpu(gpu_clock&, gpu_problem<double> const&, std::vector<gpu_competitor<double>>&,
                          gpu_race_options const&);

}  // namespace copse::bench
