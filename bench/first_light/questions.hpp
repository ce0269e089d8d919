// The questions of first light, each a function that prints one JSON object per answer, on a line of its own.
#pragma once

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

namespace first_light {

struct question {
    char const* name;
    int seconds;  // a process that has not answered by then is ended
    void (*ask)();
};

/// What the device runtime does: gpu_questions.cu.
std::span<question const> gpu_questions();
/// What its parts take and give: rate_questions.cu.
std::span<question const> rate_questions();
/// What the scheduler's controllers do: scheduler_questions.cu.
std::span<question const> scheduler_questions();

inline void print(nlohmann::ordered_json const& answer) {
    using json = nlohmann::ordered_json;
    std::printf("%s\n", answer.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
    std::fflush(stdout);
}

/// Two decimals, as people read them.
inline double rounded(double number) {
    return std::round(100 * number) / 100;
}

}  // namespace first_light
