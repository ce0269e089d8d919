// Conversions of matrices that are on the GPU and nowhere else.
#pragma once

#include <fmt/format.h>

#include <copse/runtime/error.hpp>
#include <optional>
#include <string>
#include <utility>

#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {

template <class Matrix>
struct made_there {
    std::optional<Matrix> matrix;
    double seconds = 0;
    std::string failure;  // why there is none
};

/// One format's conversion, which may find no memory left; the others go on. From rows that somebody shares: formats
/// that take rows over copy them on the GPU. Throws gpu_lost.
template <class Matrix, class Rows, class... Options>
made_there<Matrix> convert_on_gpu(gpu_program& program, std::string const& name, std::string const& format, Rows rows,
                                  Options const&... options) {
    watchdog const limit(program.name(), fmt::format("[conversion to {}] of {}", format, name), 120);
    made_there<Matrix> made;
    if (program.is_left_out("conversion to " + format)) {
        made.failure = "the conversion is left out";
        return made;
    }
    try {
        made.seconds = seconds_of([&] { made.matrix.emplace(program.executor(), std::move(rows), options...); });
    } catch (copse::error const& e) {
        throw_if_lost(fmt::format("[conversion to {}] of {}: {}", format, name, e.what()));
        made.failure = e.what();
        program.fail(fmt::format("{}: {}: {}", name, format, e.what()));
    }
    return made;
}

}  // namespace copse::bench
