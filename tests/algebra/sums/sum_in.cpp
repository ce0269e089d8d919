#include <algebra/sums/sum_in.hpp>
#include <copse/algebra/sums/add_run.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse::tests {
namespace {

template <class Executor>
struct executor_in {
    Executor& executor;
    sum_memory const& where;

    std::shared_ptr<copse::memory> const& memory() const { return where.own; }
    std::shared_ptr<copse::memory> const& temporary() const { return where.in_between; }
};

/// Sums take their threads' outboxes from here. A friend of the template with a constraint is not seen by clang 14.
auto& team_of(executor_in<cpu> const& on) { return team_of(on.executor); }

template <class Executor, class... Of>
run_report run(executor_in<Executor> const& on, Of const&... of_run) {
    return copse::run(on.executor, of_run...);
}

}  // namespace

template <class T, class Executor>
hisparse<T> sum_in(Executor& executor, sum_memory const& where, std::type_identity_t<T> alpha, hisparse<T> const& a,
                   std::type_identity_t<T> beta, hisparse<T> const& b) {
    executor_in<Executor> on{executor, where};
    return detail::add_on<T>(on, alpha, a, beta, b, {});
}

template hisparse<float> sum_in<float>(cpu&, sum_memory const&, float, hisparse<float> const&, float,
                                       hisparse<float> const&);
template hisparse<double> sum_in<double>(cpu&, sum_memory const&, double, hisparse<double> const&, double,
                                         hisparse<double> const&);
template hisparse<float> sum_in<float>(emulated&, sum_memory const&, float, hisparse<float> const&, float,
                                       hisparse<float> const&);
template hisparse<double> sum_in<double>(emulated&, sum_memory const&, double, hisparse<double> const&, double,
                                         hisparse<double> const&);

}  // namespace copse::tests
