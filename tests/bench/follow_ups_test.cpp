// What the benchmarks do with a matrix behind its conversion: in memory that counts as a GPU's, by tasks on the
// emulated executor.
#include "bench/gpu_comparison/follow_ups.hpp"

#include <gtest/gtest.h>

#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/values/with_values_operation.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/tree/tree_difference.hpp>
#include <copse/runtime/emulated.hpp>
#include <memory>
#include <runtime/forwarding_memory.hpp>
#include <string>
#include <vector>

#include "bench/gpu_comparison/record.hpp"

namespace copse::bench {
namespace {

/// The host's, but for its name.
class pretended_memory final : public tests::forwarding_memory {
  public:
    memory_space space() const noexcept override { return memory_space::device; }
};

/// Takes what is in its memory and nothing else, as a GPU does.
class pretended_gpu {
  public:
    std::shared_ptr<copse::memory> const& memory() const noexcept { return memory_; }
    emulated& lanes() noexcept { return lanes_; }

  private:
    std::shared_ptr<copse::memory> memory_ = std::make_shared<pretended_memory>();
    emulated lanes_{{.controller = controller::host}};
};

template <class T>
hisparse<T> with_values(pretended_gpu& executor, hisparse<T> const& a,
                        std::type_identity_t<vector_view<T const>> values) {
    return detail::give_values<pretended_gpu, T>(executor, a, values,
                                                 [&](auto const&... run_of) { run(executor.lanes(), run_of...); });
}
template <class T>
hisparse<T> prune(pretended_gpu& executor, hisparse<T> const& a) {
    emulated lanes({.controller = controller::host, .memory = executor.memory()});
    return copse::prune(lanes, a);
}

template <class T>
hisparse<T> convert_as_chosen(pretended_gpu& executor, csr_view<T> const& a, hisparse_options options,
                              detail::conversion_choices const& choices) {
    emulated lanes({.controller = controller::host, .memory = executor.memory()});
    return detail::convert_as_chosen(lanes, a, options, choices);
}

template <class T>
struct pretended_plan {
    std::shared_ptr<detail::plan_content<T> const> content;
};
template <class T>
pretended_plan<T> update(pretended_plan<T> const& plan, hisparse<T> const& edited) {
    return {detail::update_plan<T>(*plan.content, edited.content())};
}

/// Instead of times: what was done, and what was wrong.
template <class T>
struct pretended_steps {
    std::shared_ptr<memory> where;
    std::vector<std::string> done = {}, wrong = {};

    template <class Work>
    auto call(Work const& work) {
        return work();
    }
    template <class Work, class Check>
    void follow(char const* key, Work const& work, Check const& is_right) {
        done.emplace_back(key);
        work();
        if (!is_right(work())) wrong.emplace_back(key);
    }
    pretended_plan<T> plan(hisparse<T> const& a) {
        hisparse_content nothing;
        nothing.dimension_log2 = a.content()->dimension_log2;
        auto const leaves = detail::difference(nothing, *a.content(), sizeof(T)).added;
        return {detail::make_plan<T>(a.content(), leaves, {true, true}, detail::replay_shape, where)};
    }
    /// By its matrix: replays have tests of their own.
    bool multiplies(pretended_plan<T> const& plan, csr<T> const& a) {
        return are_equal(to_csr(hisparse<T>(plan.content->matrix)), a);
    }
};

/// `skewed`: the tree is of other values than the rows.
template <class T>
pretended_steps<T> follow_all(std::string const& matrix, bool skewed) {
    pretended_gpu executor;
    csr<T> a = to_csr(generate<T>(matrix));
    hisparse<T> const tree(executor, a, {.node_dimension = 64});
    if (skewed) a.values[1] += 1;
    pretended_steps<T> steps{executor.memory()};
    for (auto const& which : follow_up_names) follow_up_on(which.key, executor, a, tree, steps);
    return steps;
}

TEST(follow_ups, are_right_in_the_memory_of_a_gpu) {
    for (std::string const matrix : {"uniform:300,7", "stencil27:7", "lp:40,3000", "dense:1"}) {
        auto const steps = follow_all<double>(matrix, false);
        EXPECT_EQ(steps.done,
                  (std::vector<std::string>{"filled_first", "values", "plan", "edit", "update", "prune", "compact"}))
            << matrix;
        EXPECT_EQ(steps.wrong, std::vector<std::string>()) << matrix;
        EXPECT_EQ(follow_all<float>(matrix, false).wrong, std::vector<std::string>()) << matrix;
    }
}

/// One value of the tree is not that of the rows, and none that is edited: what sets all values anew does not see it.
TEST(follow_ups, see_what_is_wrong) {
    EXPECT_EQ(follow_all<double>("stencil27:7", true).wrong,
              (std::vector<std::string>{"plan", "edit", "update", "compact"}));
}

TEST(follow_ups, have_names) {
    pretended_gpu executor;
    csr<double> const a = to_csr(generate<double>("dense:2"));
    pretended_steps<double> steps{executor.memory()};
    EXPECT_THROW(follow_up_on("nothing", executor, a, hisparse<double>(executor, a), steps), argument_error);
}

}  // namespace
}  // namespace copse::bench
