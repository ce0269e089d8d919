// SIMD sources on every instruction set that the machine has, not only the best.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <cstdint>

namespace copse::tests {

/// f() with each instruction set chosen in turn.
template <class F>
void on_every_instruction_set(F f) {
    for (int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
        int64_t const target = left & -left;
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        {
            SCOPED_TRACE(hwy::TargetName(target));
            f();
        }
        hwy::SetSupportedTargetsForTest(0);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
}

}  // namespace copse::tests
