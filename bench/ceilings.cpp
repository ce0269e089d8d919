#include "bench/ceilings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bench/harness/timing.hpp"
#ifdef COPSE_HAS_CUDA
#include <copse/runtime/gpu.hpp>

#include "bench/gpu_comparison/clock.hpp"
#endif

namespace copse::bench {
namespace {

/// GB/s of copies within the memory of the first GPU that can be used, bytes read and bytes written counted, median of
/// the repeats; none without such a GPU.
std::optional<double> measure_gpu_copy([[maybe_unused]] int repeats) {
#ifdef COPSE_HAS_CUDA
    if (gpu::usable()) {
        gpu executor;
        return gpu_clock(executor).copy_gbytes_per_second(repeats);
    }
#endif
    return std::nullopt;
}

}  // namespace

std::size_t default_triad_bytes() {
    long const cache = std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), 0L);
    long const memory = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE);
    return static_cast<std::size_t>(std::min(std::max(4 * cache, 128'000'000L), memory / 10));
}

triad_result measure_triad(int threads, int repeats, std::size_t bytes) {
    auto const n = static_cast<std::int64_t>(bytes / sizeof(double));
    // Not initialised here: pages belong to the thread that first writes them.
    std::unique_ptr<double[]> const a(new double[n]);
    std::unique_ptr<double[]> const b(new double[n]);
    std::unique_ptr<double[]> const c(new double[n]);
    double* const to = a.get();
    double* const from = b.get();
    double* const scaled = c.get();
    auto const begin = [=](int part) { return detail::part_begin(part, threads, n); };
    detail::for_parts(threads, [=](int part) {
        for (auto i = begin(part), last = begin(part + 1); i < last; ++i) {
            to[i] = 0;
            from[i] = 1;
            scaled[i] = 2;
        }
    });
    std::vector<double> times;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        double const factor = repeat + 1;
        times.push_back(seconds_of([&] {
            detail::for_parts(threads, [=](int part) {
                for (auto i = begin(part), last = begin(part + 1); i < last; ++i) to[i] = from[i] + factor * scaled[i];
            });
        }));
        if (to[0] != 1 + 2 * factor || to[n - 1] != to[0]) throw std::logic_error("the triad computes the wrong sum");
    }
    std::sort(times.begin(), times.end());
    double const moved = 24e-9 * static_cast<double>(n);
    return {moved / times.front(), moved / quantile(times, 0.5), bytes, threads};
}

ceilings measure_ceilings(int threads, int repeats, std::size_t triad_bytes) {
    fmt::print(stderr, "measuring the bandwidth ..\n");
    return {measure_triad(threads, repeats, triad_bytes), measure_gpu_copy(repeats)};
}

}  // namespace copse::bench
