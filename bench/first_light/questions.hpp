// The questions of first light, each a function that prints one JSON object per answer, on a line of its own.
#pragma once

#include <span>

namespace first_light {

struct question {
    char const* name;
    int seconds;  // a process that has not answered by then is ended
    void (*ask)();
};

/// What the device runtime does: gpu_questions.cu.
std::span<question const> gpu_questions();
/// What the scheduler's controllers do: scheduler_questions.cu.
std::span<question const> scheduler_questions();

}  // namespace first_light
