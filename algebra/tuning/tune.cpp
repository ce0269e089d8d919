// A trial: candidates in the order of the rule, made one by one as long as there is time; then they take turns.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <copse/algebra/tuning/format_plan.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/processors.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {
namespace {

using trial_clock = std::chrono::steady_clock;

double seconds_since(trial_clock::time_point start) {
    return std::chrono::duration<double>(trial_clock::now() - start).count();
}

/// The rule's choice, then the others: those first that suit rows like these.
std::vector<matrix_format> candidates(matrix_profile const& op_a, matrix_format first) {
    using enum matrix_format;
    std::vector<matrix_format> all{first};
    auto const others = op_a.row_places <= 1.25
                            ? std::vector{sellp, hisparse, csr, sellp_sorted, csr5, cmrs}
                            : std::vector{csr5, cmrs, csr, sellp_sorted, hisparse, sellp, sellp_trimmed};
    std::copy_if(others.begin(), others.end(), std::back_inserter(all), [&](auto format) { return format != first; });
    std::erase_if(all, [&](auto format) { return !is_worth_a_trial(op_a, format); });
    return all;
}

/// A format's plan, and its times so far.
template <class T>
struct entrant {
    matrix_format format;
    detail::format_plan<T> plan;
    std::vector<double> seconds;

    double median() {
        std::sort(seconds.begin(), seconds.end());
        return seconds[seconds.size() / 2];
    }
};

/// A x of one matrix in one format after the other.
template <class T, class Executor>
class trial {
  public:
    trial(Executor& executor, csr<T> const& a)
        : executor_(executor),
          a_(a),
          x_(executor, std::vector<T>(static_cast<std::size_t>(a.column_count), T(1))),
          y_(executor, a.row_count) {}

    /// False where SELL-P refuses.
    bool enter(matrix_format format) {
        try {
            entrants_.push_back({format, detail::plan_in_format(executor_, a_, format), {}});
        } catch (too_much_padding const&) {
            return false;
        }
        product(entrants_.back());
        return true;
    }
    /// Of the entrant that came last, after a product that brings it to the caches.
    double seconds_of_last() {
        auto const start = trial_clock::now();
        product(entrants_.back());
        return seconds_since(start);
    }
    /// All take turns. Each product that counts comes after others with the same plan.
    void race(double seconds_of_one) {
        int constexpr rounds = 9;
        int const products = std::clamp(static_cast<int>(1e-4 / std::max(seconds_of_one, 1e-7)), 2, 50);
        for (int round = 0; round < rounds; ++round)
            for (auto& one : entrants_) {
                product(one);
                auto const start = trial_clock::now();
                for (int k = 0; k < products; ++k) product(one);
                one.seconds.push_back(seconds_since(start) / products);
            }
    }
    std::vector<entrant<T>>& entrants() { return entrants_; }

  private:
    void product(entrant<T> const& one) { detail::multiply_by_format_plan<T>(executor_, T(1), one.plan, x_, T(0), y_); }

    Executor& executor_;
    csr<T> const& a_;
    buffer<T> x_;
    buffer<T> y_;
    std::vector<entrant<T>> entrants_;
};

/// The fastest for A x; the rule's, `first`, unless another is faster by 3 %.
template <class T, class Executor>
matrix_format fastest(Executor& executor, csr<T> const& a, matrix_profile const& profile, matrix_format first,
                      tune_options const& options, bool of_transpose, std::vector<format_trial>& trials) {
    auto const start = trial_clock::now();
    auto const cache_bytes = options.cache_bytes > 0 ? options.cache_bytes : detail::last_cache_bytes();
    double const fraction =
        std::min(1.0, 2 * static_cast<double>(cache_bytes) / static_cast<double>(profile.product_bytes()));
    auto const part = fraction < 1 ? detail::part_of_rows(
                                         a, static_cast<std::int64_t>(fraction * static_cast<double>(a.entry_count())))
                                   : csr<T>();
    trial<T, Executor> race(executor, fraction < 1 ? part : a);
    double budget = 0, of_one = 0;
    for (auto const format : candidates(profile, first)) {
        if (budget > 0 && seconds_since(start) > budget) break;
        if (!race.enter(format) || budget > 0) continue;
        of_one = race.seconds_of_last();
        budget = of_one / fraction * static_cast<double>(options.products) / 10;
    }
    auto& entrants = race.entrants();
    if (entrants.size() < 2) return entrants.empty() ? matrix_format::hisparse : entrants.front().format;
    race.race(of_one);
    auto* best = &entrants.front();
    double least = best->median() / 1.03;
    for (auto& one : entrants) {
        trials.push_back({one.format, of_transpose, one.median()});
        if (one.median() < least) best = &one, least = one.median();
    }
    return best->format;
}

}  // namespace

bool is_worth_a_trial(matrix_profile const& op_a, matrix_format format) noexcept {
    if (format == matrix_format::sellp_sorted) return op_a.row_places > 1.1;
    if (format == matrix_format::sellp_trimmed) return op_a.rows.maximum > detail::longest_even_row(op_a.rows);
    return true;
}

template <class T, any_executor Executor>
format_verdict tune(Executor& executor, csr<T> const& a, tune_options options) {
    if (options.products < 0)
        throw argument_error("tune: products must be 0 or more, not " + std::to_string(options.products));
    if (!options.stored && !options.transposed)
        throw argument_error("tune: neither A x nor A^T x is asked for; set stored, transposed or both");
    if (options.cache_bytes < 0)
        throw argument_error("tune: cache_bytes must be 0 or more, not " + std::to_string(options.cache_bytes));
    check(a, "tune");
    auto const profile = profile_of(a);
    bool constexpr many_lanes = detail::has_many_lanes<Executor>;
    auto const ruled = [&](bool transposed) {
        return suitable_format(profile,
                               {.transposed = transposed, .many_lanes = many_lanes, .cache_bytes = options.cache_bytes})
            .format;
    };
    format_verdict verdict(ruled(false), options.transposed ? std::optional(ruled(true)) : std::nullopt);
    if (std::is_same_v<Executor, emulated> || options.products < 20 || a.entry_count() == 0) return verdict;
    if (options.stored) verdict.stored = fastest(executor, a, profile, verdict.stored, options, false, verdict.trials);
    if (options.transposed)
        verdict.transposed = fastest(executor, transpose(a), copse::transposed(profile), *verdict.transposed, options,
                                     true, verdict.trials);
    return verdict;
}

#define COPSE_INSTANCES(executor)                                             \
    template format_verdict tune(executor&, csr<float> const&, tune_options); \
    template format_verdict tune(executor&, csr<double> const&, tune_options);
COPSE_INSTANCES(cpu)
COPSE_INSTANCES(emulated)
COPSE_INSTANCES(gpu)
#undef COPSE_INSTANCES

}  // namespace copse
