// Tasks that push tasks, without any matrix: an integral by adaptive Simpson quadrature.
//
//   [a, b] --error small enough?--> add it to the sum
//          --otherwise-----------> push [a, m] and [m, b]
//
// Nobody knows beforehand how many intervals there will be: that is what the queues are for.
#include <cmath>
#include <copse/runtime/cpu.hpp>
#include <cstdio>

namespace {

struct interval {
    double begin, end;
    double tolerance;
};

struct integrate {
    using item = interval;
    static constexpr int width = 1;
    static constexpr char const* name = "integrate";
    double* sum;

    /// Steep near zero: most of the work is in a small part of the range.
    COPSE_HOST_DEVICE static double f(double x) { return std::sqrt(x) * std::log(x); }
    COPSE_HOST_DEVICE static double simpson(double a, double b) {
        return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b));
    }

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        double const middle = (i.begin + i.end) / 2;
        double const fine = simpson(i.begin, middle) + simpson(middle, i.end);
        if (std::abs(fine - simpson(i.begin, i.end)) <= 15 * i.tolerance) {
            w.add(sum, fine);
        } else {
            w.template push<integrate>({i.begin, middle, i.tolerance / 2});
            w.template push<integrate>({middle, i.end, i.tolerance / 2});
        }
    }
};

}  // namespace

int main() {
    copse::cpu cpu;
    double sum = 0;
    double const from = 1e-9;
    auto const report = copse::run(cpu, copse::seed<integrate>({from, 1, 1e-10}), integrate{&sum});
    // The antiderivative of sqrt(x) log(x) is 2/3 x^(3/2) (log(x) - 2/3).
    double const exact = -4.0 / 9 - 2.0 / 3 * std::pow(from, 1.5) * (std::log(from) - 2.0 / 3);
    std::printf("integral %.10f, error %.1e, %lld intervals\n", sum, std::abs(sum - exact),
                static_cast<long long>(report.queues[0].items));
    return std::abs(sum - exact) < 1e-9 ? 0 : 1;
}
