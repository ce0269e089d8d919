// Every public type that owns something, after it was moved from: a matrix is an empty 0 x 0 one, an executor or a plan
// throws one error that says so. `owning` lists the types; the last test finds types in the headers that it lacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <copse/algebra/add.hpp>
#include <copse/algebra/compact.hpp>
#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/algebra/with_values.hpp>
#include <copse/cpu/csr_add.hpp>
#include <copse/cpu/csr_spmv.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse_coo.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/formats/node_sizes.hpp>
#include <copse/formats/prune.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <runtime/message_of.hpp>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

using vector = std::vector<double>;

/// (0 1; 2 0), times (1, 1): (1, 2).
coo<double> entries() {
    return {2, 2, {0, 1}, {1, 0}, {1, 2}};
}
vector const ones{1, 1};
vector const product{1, 2};

cpu& host() {
    static cpu executor(2);
    return executor;
}
emulated& lanes() {
    static emulated executor;
    return executor;
}

template <class Call>
void expect_refused(std::string const& whose, Call call) {
    EXPECT_EQ(message_of<argument_error>([&] { call(); }),
              whose + ": this object was moved from; assign another one to it before its use");
}

template <class Matrix>
void expect_nothing(Matrix const& a) {
    EXPECT_EQ(a.row_count, 0);
    EXPECT_EQ(a.column_count, 0);
    EXPECT_EQ(a.entry_count(), 0);
}

struct nothing_to_do {
    using item = std::int64_t;
    static constexpr int width = 1;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item, Worker&) const {}
};

/// Of a type X: make(), which gives one that expect_usable() takes, and expect_moved_from(), which uses all of one that
/// was moved from. expect_valid() where one that was moved to itself need not be what it was.
template <class X>
struct use_of;

template <>
struct use_of<coo<double>> {
    static constexpr char const* name = "coo";
    static coo<double> make() { return entries(); }
    static void expect_usable(coo<double> const& a) { EXPECT_EQ(to_csr(a).values, product); }
    static void expect_moved_from(coo<double> const& a) {
        expect_nothing(a);
        expect_nothing(to_csr(a));
        EXPECT_EQ(count_rows(a).maximum, 0);
        EXPECT_EQ(count_columns(a).maximum, 0);
        EXPECT_EQ(hisparse<double>(host(), a).row_count(), 0);
        EXPECT_EQ(hisparse<double>(lanes(), a).row_count(), 0);
    }
};

template <>
struct use_of<csr<double>> {
    static constexpr char const* name = "csr";
    static csr<double> make() { return to_csr(entries()); }
    static void expect_usable(csr<double> const& a) { EXPECT_EQ(to_coo(a).rows, (std::vector<std::int32_t>{0, 1})); }
    static void expect_moved_from(csr<double> const& a) {
        expect_nothing(a);
        check(a);
        expect_nothing(to_coo(a));
        expect_nothing(transpose(a));
        expect_nothing(add(2, 1.0, a, false, 1.0, a, true));
        EXPECT_EQ(count_rows(a).maximum, 0);
        EXPECT_EQ(count_columns(a).maximum, 0);
        spmv<double>(2, 1.0, a, false, {}, 0.0, {});
        EXPECT_EQ(hisparse<double>(host(), a).row_count(), 0);
        EXPECT_EQ(hisparse<double>(lanes(), a).row_count(), 0);
        EXPECT_EQ(csr_matrix<double>(host(), a).row_count(), 0);
        EXPECT_EQ(csr5<double>(host(), a).row_count(), 0);
        EXPECT_EQ(sellp<double>(host(), a).row_count(), 0);
        EXPECT_EQ(cmrs<double>(host(), a).row_count(), 0);
    }
};

template <class Plan>
void expect_plan_of_nothing(Plan const& plan) {
    vector none;
    EXPECT_EQ(plan.row_count(), 0);
    spmv(host(), 1.0, plan, none, 0.0, none);
    spmv(host(), 1.0, transposed(plan), none, 0.0, none);
}

/// What all matrices have.
template <class Matrix>
void expect_empty(Matrix const& a) {
    EXPECT_EQ(a.row_count(), 0);
    EXPECT_EQ(a.column_count(), 0);
    EXPECT_EQ(a.entry_count(), 0);
    EXPECT_EQ(a.space(), memory_space::host);
    EXPECT_LT(a.bytes(), 100);
    EXPECT_EQ(a.content(), a.content()->empty());
    EXPECT_EQ(transposed(a).is_transposed(), !a.is_transposed());
    EXPECT_EQ(scaled(a, 2.0).scale(), 2 * a.scale());
    expect_nothing(to_csr(a));
    expect_nothing(to_csr(transposed(a)));
    vector none;
    for (Matrix const& op : {a, transposed(a)}) {
        spmv(host(), 1.0, op, none, 0.0, none);
        spmv(lanes(), 1.0, op, none, 0.0, none);
    }
    vector x(2);
    EXPECT_THROW(spmv(host(), 1.0, a, x, 0.0, none), shape_error);
}

template <>
struct use_of<hisparse<double>> {
    static constexpr char const* name = "hisparse";
    using matrix = hisparse<double>;

    static matrix make() { return {host(), entries(), {.node_dimension = 64}}; }
    static void expect_usable(matrix const& a) {
        vector y(2);
        spmv(host(), 1.0, a, ones, 0.0, y);
        EXPECT_EQ(y, product);
    }
    static void expect_moved_from(matrix const& a) {
        expect_empty(a);
        EXPECT_EQ(a.node_dimension(), 128);
        EXPECT_EQ(a.census().nodes(), 0);
        EXPECT_FALSE(a.root());
        EXPECT_EQ(a.tree().dimension_log2(), 7);
        expect_nothing(to_coo(a));
        expect_nothing(to_coo(lanes(), a));
        EXPECT_EQ(to_csr_matrix(lanes(), a).row_count(), 0);
        EXPECT_EQ(add(host(), 1.0, a, 1.0, a).row_count(), 0);
        EXPECT_EQ(add(host(), 1.0, a, 1.0, transposed(matrix(host(), coo<double>()))).row_count(), 0);
        EXPECT_EQ(add(lanes(), 1.0, a, 1.0, transposed(a)).row_count(), 0);
        EXPECT_THROW(add(host(), 1.0, a, 1.0, make()), shape_error);
        EXPECT_EQ(edit(a, edits<double>()).row_count(), 0);
        EXPECT_THROW(edit(a, edits<double>().set(0, 0, 1)), shape_error);
        EXPECT_EQ(with_values(host(), a, vector()).row_count(), 0);
        EXPECT_EQ(with_values(lanes(), a, vector()).row_count(), 0);
        EXPECT_EQ(prune(host(), a).row_count(), 0);
        EXPECT_EQ(prune(lanes(), a).row_count(), 0);
        EXPECT_EQ(compact(a, {.share_identical = true}).row_count(), 0);
        EXPECT_EQ(compact(host(), a).row_count(), 0);
        EXPECT_EQ(reachable_bytes(a), 0);
        EXPECT_EQ(shared_bytes(a, a), 0);
        EXPECT_EQ(sizes_of_nodes(a).bytes(), 0);
        expect_plan_of_nothing(spmv_plan<double>(host(), a));
        expect_plan_of_nothing(spmv_plan<double>(lanes(), a));
        expect_plan_of_nothing(update(spmv_plan<double>(host(), a), a));
    }
};

template <class Matrix>
void expect_flat_empty(Matrix const& a) {
    expect_empty(a);
    expect_plan_of_nothing(flat_plan<Matrix>(host(), a));
    expect_plan_of_nothing(flat_plan<Matrix>(lanes(), a));
}

template <template <class> class Format>
struct use_of_flat {
    static Format<double> make() { return {host(), to_csr(entries())}; }
    static void expect_usable(Format<double> const& a) {
        vector y(2);
        spmv(host(), 1.0, a, ones, 0.0, y);
        EXPECT_EQ(y, product);
    }
};

template <>
struct use_of<csr_matrix<double>> : use_of_flat<csr_matrix> {
    static constexpr char const* name = "csr_matrix";
    static void expect_moved_from(csr_matrix<double> const& a) {
        expect_flat_empty(a);
        EXPECT_NE(a.kernel(), csr_kernel::automatic);
        EXPECT_EQ(hisparse<double>(host(), a).row_count(), 0);
        EXPECT_EQ(hisparse<double>(lanes(), a).row_count(), 0);
        for (bool const shared : {false, true}) {  // both take the arrays of what nobody shares
            auto for_csr5 = shared ? a : make(), for_cmrs = for_csr5;
            if (!shared) for_cmrs = make();
            EXPECT_EQ(csr5<double>(host(), std::move(for_csr5)).row_count(), shared ? 0 : 2);
            expect_flat_empty(for_csr5);
            EXPECT_EQ(cmrs<double>(host(), std::move(for_cmrs)).row_count(), shared ? 0 : 2);
            expect_flat_empty(for_cmrs);
        }
    }
};

/// The conversion to rows that takes the matrix's arrays.
template <class Matrix>
void expect_gives_rows(Matrix const& a, Matrix full) {
    auto empty = a;
    EXPECT_EQ(to_csr_matrix(std::move(empty)).row_count(), 0);
    expect_empty(empty);
    EXPECT_EQ(to_csr_matrix(std::move(full)).row_count(), 2);
    expect_empty(full);
}

template <>
struct use_of<csr5<double>> : use_of_flat<csr5> {
    static constexpr char const* name = "csr5";
    static void expect_moved_from(csr5<double> const& a) {
        expect_flat_empty(a);
        EXPECT_GT(a.omega(), 0);
        EXPECT_GT(a.sigma(), 0);
        EXPECT_LT(a.extra_bytes(), 100);
        expect_gives_rows(a, make());
    }
};

template <>
struct use_of<sellp<double>> : use_of_flat<sellp> {
    static constexpr char const* name = "sellp";
    static void expect_moved_from(sellp<double> const& a) {
        expect_flat_empty(a);
        EXPECT_GT(a.slice_rows(), 0);
        EXPECT_GT(a.row_threads(), 0);
        EXPECT_EQ(a.padding_bytes(), 0);
    }
};

template <>
struct use_of<cmrs<double>> : use_of_flat<cmrs> {
    static constexpr char const* name = "cmrs";
    static void expect_moved_from(cmrs<double> const& a) {
        expect_flat_empty(a);
        EXPECT_GT(a.height(), 0);
        EXPECT_EQ(a.padding_bytes(), 0);
        expect_gives_rows(a, make());
    }
};

/// What all plans have. `whose`: what its errors begin with.
template <class Plan>
void expect_refuses(std::string const& whose, Plan const& plan) {
    EXPECT_EQ(plan.row_count(), 0);
    EXPECT_EQ(plan.column_count(), 0);
    EXPECT_EQ(plan.matrix().entry_count(), 0);
    expect_refused(whose, [&] { plan.bytes(); });
    expect_refused(whose, [&] { content_of(plan); });
    expect_refused(whose, [&] { transposed(plan); });
    expect_refused(whose, [&] { scaled(plan, 2.0); });
    for (std::size_t const size : {0, 2}) {
        vector const x(size);
        vector y(size);
        expect_refused(whose, [&] { spmv(host(), 1.0, plan, x, 0.0, y); });
        expect_refused(whose, [&] { spmv(lanes(), 1.0, plan, x, 0.0, y); });
    }
}

template <>
struct use_of<spmv_plan<double>> {
    static constexpr char const* name = "spmv_plan";
    using plan = spmv_plan<double>;

    static plan make() { return {host(), use_of<hisparse<double>>::make()}; }
    static void expect_usable(plan const& p) {
        vector y(2);
        spmv(host(), 1.0, p, ones, 0.0, y);
        EXPECT_EQ(y, product);
    }
    static void expect_moved_from(plan const& p) {
        expect_refuses("spmv_plan", p);
        expect_refused("spmv_plan", [&] { p.list_bytes(); });
        expect_refused("spmv_plan", [&] { update(p, p.matrix()); });
        vector y(2);
        auto const square = [](std::int64_t, double y_i) { return y_i * y_i; };
        expect_refused("spmv_plan", [&] { spmv(host(), 1.0, p, ones, 0.0, y, square); });
        expect_refused("spmv_plan", [&] { spmv(lanes(), 1.0, p, ones, 0.0, y, square); });
    }
};

template <>
struct use_of<flat_plan<csr5<double>>> {
    static constexpr char const* name = "flat_plan";
    using plan = flat_plan<csr5<double>>;

    static plan make() { return {host(), csr5<double>(host(), to_csr(entries()))}; }
    static void expect_usable(plan const& p) {
        vector y(2);
        spmv(host(), 1.0, p, ones, 0.0, y);
        EXPECT_EQ(y, product);
    }
    static void expect_moved_from(plan const& p) { expect_refuses("flat_plan", p); }
};

/// What all executors have. `whose`: what its errors begin with.
template <class Executor>
void expect_does_nothing(std::string const& whose, Executor& executor) {
    auto const a = use_of<hisparse<double>>::make();
    auto const flat = use_of<sellp<double>>::make();
    spmv_plan<double> const plan(host(), a);
    flat_plan<sellp<double>> const plan_of_flat(host(), flat);
    vector y(2);
    expect_refused(whose, [&] { executor.memory(); });
    expect_refused(whose, [&] { buffer<double>(executor, 2); });
    expect_refused(whose, [&] { buffer<double>(executor, ones); });
    expect_refused(whose, [&] { run(executor, seed_range<nothing_to_do>(0, 10), nothing_to_do()); });
    expect_refused(whose, [&] { spmv(executor, 1.0, a, ones, 0.0, y); });
    expect_refused(whose, [&] { spmv(executor, 1.0, flat, ones, 0.0, y); });
    expect_refused(whose, [&] { spmv(executor, 1.0, plan, ones, 0.0, y); });
    expect_refused(whose, [&] { spmv(executor, 1.0, plan_of_flat, ones, 0.0, y); });
    expect_refused(whose, [&] { spmv_plan<double>(executor, a); });
    expect_refused(whose, [&] { flat_plan<sellp<double>>(executor, flat); });
    expect_refused(whose, [&] { add(executor, 1.0, a, 1.0, a); });
    expect_refused(whose, [&] { prune(executor, a); });
    expect_refused(whose, [&] { compact(executor, a); });
    expect_refused(whose, [&] { with_values(executor, a, ones); });
    expect_refused(whose, [&] { hisparse<double>(executor, entries()); });
    expect_refused(whose, [&] { hisparse<double>(executor, to_csr(entries())); });
    expect_refused(whose, [&] { hisparse<double>(executor, coo<double>()); });
    expect_refused(whose, [&] { csr_matrix<double>(executor, to_csr(entries())); });
    expect_refused(whose, [&] { csr5<double>(executor, to_csr(entries())); });
    expect_refused(whose, [&] { sellp<double>(executor, to_csr(entries())); });
    expect_refused(whose, [&] { cmrs<double>(executor, to_csr(entries())); });
}

template <class Executor>
void expect_multiplies(Executor& executor) {
    vector y(2);
    spmv(executor, 1.0, use_of<hisparse<double>>::make(), ones, 0.0, y);
    EXPECT_EQ(y, product);
}

template <>
struct use_of<cpu> {
    static constexpr char const* name = "cpu";
    static cpu make() { return cpu(2); }
    static void expect_usable(cpu& executor) {
        EXPECT_EQ(executor.threads(), 2);
        expect_multiplies(executor);
    }
    static void expect_moved_from(cpu& executor) {
        expect_does_nothing("cpu", executor);
        expect_refused("cpu", [&] { executor.threads(); });
        expect_refused("cpu", [&] { team_of(executor); });
    }
};

template <>
struct use_of<emulated> {
    static constexpr char const* name = "emulated";
    static emulated make() { return emulated({.seed = 5}); }
    static void expect_usable(emulated& executor) {
        EXPECT_EQ(executor.options().seed, 5u);
        expect_multiplies(executor);
    }
    static void expect_moved_from(emulated& executor) {
        expect_does_nothing("emulated", executor);
        expect_refused("emulated", [&] { executor.options(); });
        expect_refused("emulated", [&] { last_trace(executor); });
        expect_refused("emulated", [&] { with_grid(executor, 1, 0, [](auto&) {}); });
        expect_refused("emulated", [&] { to_csr_matrix(executor, use_of<hisparse<double>>::make()); });
    }
};

template <>
struct use_of<buffer<double>> {
    static constexpr char const* name = "buffer";
    static buffer<double> make() { return {host(), product}; }
    static void expect_usable(buffer<double> const& b) { EXPECT_EQ(b.to_host(), product); }
    static void expect_moved_from(buffer<double>& b) {
        EXPECT_EQ(b.size(), 0);
        EXPECT_EQ(b.bytes(), 0u);
        EXPECT_EQ(b.data(), nullptr);
        EXPECT_EQ(b.where(), nullptr);
        EXPECT_EQ(b.view().size(), 0);
        EXPECT_EQ(b.view().space(), memory_space::host);
        EXPECT_TRUE(b.to_host().empty());
        b.shrink(0);
        b.release_unused();
        b.read(0, {});
        vector two(2);
        EXPECT_EQ(message_of<shape_error>([&] { b.read(0, two); }),
                  "buffer: elements 0 to 1 were asked for; the buffer has 0");
        EXPECT_EQ(message_of<argument_error>([&] { buffer<double>(b.where(), 2); }),
                  "buffer: no memory was given; a buffer that was moved from, or made without one, has none");
    }
};

template <>
struct use_of<edits<double>> {
    static constexpr char const* name = "edits";
    static edits<double> make() { return edits<double>().set(1, 0, 2); }
    static void expect_usable(edits<double> const& e) { EXPECT_EQ(e.entries()[0].value, 2); }
    static void expect_valid(edits<double>& e) { EXPECT_EQ(e.set(0, 0, 1).entries().back().value, 1); }
    static void expect_moved_from(edits<double>& e) {
        EXPECT_EQ(e.size(), 0u);
        EXPECT_TRUE(e.entries().empty());
        auto const a = use_of<hisparse<double>>::make();
        EXPECT_EQ(edit(a, e).content(), a.content());
        EXPECT_EQ(edits<double>(e).set(0, 0, 1).size(), 1u);
    }
};

template <>
struct use_of<run_options> {
    static constexpr char const* name = "run_options";
    static run_options make() { return run_options().capacity<nothing_to_do>(100); }
    static void expect_usable(run_options const& options) { EXPECT_EQ(options.of<nothing_to_do>().items, 100); }
    static void expect_valid(run_options& options) {
        EXPECT_EQ(options.capacity<nothing_to_do>(7).of<nothing_to_do>().items, 7);
    }
    static void expect_moved_from(run_options& options) {
        EXPECT_EQ(options.of<nothing_to_do>().items, queue_capacity().items);
        run(host(), options, seed_range<nothing_to_do>(0, 10), nothing_to_do());
        EXPECT_EQ(run_options(options).capacity<nothing_to_do>(7).of<nothing_to_do>().items, 7);
    }
};

using owning = testing::Types<coo<double>, csr<double>, hisparse<double>, csr_matrix<double>, csr5<double>,
                              sellp<double>, cmrs<double>, spmv_plan<double>, flat_plan<csr5<double>>, cpu, emulated,
                              buffer<double>, edits<double>, run_options>;
/// By name.
template <class... X>
std::set<std::string> names_of(testing::Types<X...>) {
    return {use_of<X>::name...};
}

template <class X>
class moved_from : public testing::Test {
    static_assert(std::is_nothrow_move_constructible_v<X> && std::is_nothrow_move_assignable_v<X>);
};
static_assert(std::is_nothrow_move_constructible_v<gpu> && std::is_nothrow_move_assignable_v<gpu>);

TYPED_TEST_SUITE(moved_from, owning);

TYPED_TEST(moved_from, is_empty_or_says_so) {
    using use = use_of<TypeParam>;
    TypeParam first = use::make();
    TypeParam second(std::move(first));
    use::expect_usable(second);
    use::expect_moved_from(first);
    TypeParam third = use::make();
    third = std::move(second);
    use::expect_usable(third);
    use::expect_moved_from(second);
    std::swap(first, third);
    use::expect_usable(first);
    use::expect_moved_from(third);
    // As good as any other, again.
    third = std::move(second);
    use::expect_moved_from(third);
    third = use::make();
    use::expect_usable(third);
}

TYPED_TEST(moved_from, leaves_what_it_was_moved_to_right) {
    using use = use_of<TypeParam>;
    TypeParam first = use::make();
    TypeParam& self = first;
    first = std::move(self);
    if constexpr (requires { use::expect_valid(first); })
        use::expect_valid(first);
    else
        use::expect_usable(first);
    if constexpr (std::is_copy_assignable_v<TypeParam>) {
        first = use::make();
        first = self;
        use::expect_usable(first);
    }
    std::vector<TypeParam> many;
    for (int k = 0; k < 5; ++k) many.push_back(use::make());
    TypeParam const gone(std::move(many[0]));
    many.erase(many.begin());
    many.insert(many.begin() + 1, use::make());
    ASSERT_EQ(many.size(), 5u);
    for (TypeParam& one : many) use::expect_usable(one);
}

TEST(moved_from, plans_of_a_vector_stay_apart) {
    auto const a = use_of<hisparse<double>>::make();
    std::vector<spmv_plan<double>> plans;
    for (int k = 0; k < 20; ++k) plans.emplace_back(host(), scaled(a, k));
    plans.erase(plans.begin());
    std::swap(plans[4], plans[7]);
    vector y(2);
    spmv(host(), 1.0, plans[4], ones, 0.0, y);
    EXPECT_EQ(y, (vector{8, 16}));
}

/// Adds the names of the classes of namespace copse that a header defines with members, or a base, that own something.
void find_owning(std::filesystem::path const& header, std::set<std::string>& names) {
    static std::regex const text(R"("(\\.|[^"\\])*"|'(\\.|[^'\\])*'|//.*)");
    static std::regex const opens_namespace(R"(^(inline )?namespace ([\w:]*) *\{)");
    static std::regex const opens_class(R"(^(class|struct) (alignas\(\w+\) )?(\w+)[^;]*$)");
    static std::regex const owning_base(": public flat_matrix<");
    static std::regex const owning_member(
        R"(^ +(mutable )?(std::(unique_ptr|shared_ptr|vector|map|string|function|tuple)\b|buffer<|detail::shared_content<)[^()]*;)");
    std::ifstream file(header);
    std::vector<std::string> spaces;
    std::string name;  // of the class that the line is in
    std::size_t depth = 0;
    for (std::string line; std::getline(file, line);) {
        line = std::regex_replace(line, text, "");
        std::smatch found;
        if (depth == spaces.size()) {
            if (std::regex_search(line, found, opens_namespace)) spaces.push_back(found[2]);
            if (std::regex_search(line, found, opens_class)) name = found[3];
        }
        if (spaces == std::vector<std::string>{"copse"} && !name.empty() && depth <= 2 &&
            std::regex_search(line, depth == 2 ? owning_member : owning_base))
            names.insert(name);
        depth += static_cast<std::size_t>(std::count(line.begin(), line.end(), '{'));
        depth -= static_cast<std::size_t>(std::count(line.begin(), line.end(), '}'));
        while (depth < spaces.size()) spaces.pop_back();
        if (depth == spaces.size()) name.clear();
    }
}

// A new public type that owns something belongs to `owning`. `others` need no promise: contents, which matrices share
// as const, records of members that the standard library leaves valid, and what cannot be moved.
TEST(moved_from, is_tested_of_all_public_types) {
    std::set<std::string> const others{"hisparse_content", "flat_content", "csr_content",    "csr5_content",
                                       "sellp_content",    "cmrs_content", "arena",          "flat_matrix",
                                       "queue_report",     "run_report",   "gpu_properties", "generator_info",
                                       "format_error",     "queue_full",   "task_error",     "seed_entry",
                                       "seed_list",        "tree_building", "spy_picture",   "trace",
                                       "traced_run",       "access_line",   "access_total",  "access_profile"};
    std::set<std::string> tested = names_of(owning());
    tested.insert("gpu");  // of which there is none on every machine: tests/gpu/gpu_test.cpp
    std::set<std::string> found;
    for (char const* room : {"runtime", "formats", "cpu", "algebra"})
        for (auto const& file : std::filesystem::directory_iterator(std::filesystem::path(COPSE_SOURCE_DIR) / room))
            if (file.path().extension() == ".hpp") find_owning(file.path(), found);
    for (std::string const& name : found)
        EXPECT_NE(tested.contains(name), others.contains(name)) << name << ": what is it when it was moved from?";
    for (std::string const& name : tested) EXPECT_TRUE(found.contains(name)) << name;
}

}  // namespace
}  // namespace copse::tests
