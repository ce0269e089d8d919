// The floating-point environment: rounding mode, whether denormal numbers count as 0 (FTZ and DAZ of x86-64, FZ of
// AArch64), traps. Each thread has its own. Code that was compiled with -ffast-math may change that of the thread which
// loads it.
#pragma once

#include <cfenv>

namespace copse::detail {

/// A copy, all of it, as glibc's fenv_t holds it: control and status of x87 and MXCSR; FPCR and FPSR.
class float_environment {
  public:
    /// That of the calling thread.
    float_environment() noexcept { std::fegetenv(&state_); }
    /// From now on the calling thread's.
    void take_over() const noexcept { std::fesetenv(&state_); }

  private:
    std::fenv_t state_;
};

/// While it lives the calling thread has another's environment.
class borrowed_float_environment {
  public:
    explicit borrowed_float_environment(float_environment const& others) noexcept { others.take_over(); }
    ~borrowed_float_environment() { own_.take_over(); }
    borrowed_float_environment(borrowed_float_environment const&) = delete;
    borrowed_float_environment& operator=(borrowed_float_environment const&) = delete;

  private:
    float_environment const own_;
};

}  // namespace copse::detail
