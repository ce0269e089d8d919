// What is done with a plan, an executor, a buffer and the like that was moved from: plans and executors throw one error
// that says so, the others are empty (moved_from_test.cpp).
#pragma once

#include <algebra/moved_from_matrices.hpp>
#include <runtime/message_of.hpp>
#include <string>

namespace copse::tests::moving {

template <class Call>
void expect_refused(std::string const& whose, Call call) {
    EXPECT_EQ(message_of<argument_error>([&] { call(); }),
              whose + ": this object was moved from; assign another one to it before its use");
}

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

template <>
struct use_of<tuned_plan<double>> {
    static constexpr char const* name = "tuned_plan";
    using plan = tuned_plan<double>;

    static plan make() { return {host(), to_csr(entries()), format_verdict("A: csr5, A^T: hisparse")}; }
    static void expect_usable(plan const& p) {
        vector y(2);
        spmv(host(), 1.0, p, ones, 0.0, y);
        EXPECT_EQ(y, product);
    }
    static void expect_moved_from(plan const& p) {
        EXPECT_EQ(p.row_count(), 0);
        EXPECT_EQ(p.column_count(), 0);
        vector y(2);
        expect_refused("flat_plan", [&] { p.bytes(); });
        expect_refused("flat_plan", [&] { spmv(host(), 1.0, p, ones, 0.0, y); });
        expect_refused("spmv_plan", [&] { spmv(host(), 1.0, transposed(p), ones, 0.0, y); });
        expect_refused("flat_plan", [&] { scaled(p, 2.0); });
    }
};

template <>
struct use_of<sum_plan<double>> {
    static constexpr char const* name = "sum_plan";
    using plan = sum_plan<double>;
    using matrix = hisparse<double>;

    static matrix const& operand() {
        static matrix const a = use_of<matrix>::make();
        return a;
    }
    static plan make() { return {host(), operand(), operand()}; }
    static void expect_usable(plan const& p) {
        EXPECT_EQ(p.operand_count(), 2);
        matrix const& a = operand();
        vector y(2);
        spmv(host(), 1.0, add(host(), p, 2.0, a, -1.0, a), ones, 0.0, y);
        EXPECT_EQ(y, product);
    }
    static void expect_moved_from(plan const& p) {
        expect_refused("sum_plan", [&] { p.row_count(); });
        expect_refused("sum_plan", [&] { p.column_count(); });
        expect_refused("sum_plan", [&] { p.entry_count(); });
        expect_refused("sum_plan", [&] { p.operand_count(); });
        expect_refused("sum_plan", [&] { p.bytes(); });
        expect_refused("sum_plan", [&] { content_of(p); });
        matrix const& a = operand();
        expect_refused("sum_plan", [&] { add(host(), p, 1.0, a, 1.0, a); });
        expect_refused("sum_plan", [&] { add(lanes(), p, 1.0, a, 1.0, a); });
    }
};

struct nothing_to_do {
    using item = std::int64_t;
    static constexpr int width = 1;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item, Worker&) const {}
};

/// What all executors have. `whose`: what its errors begin with.
template <class Executor>
void expect_does_nothing(std::string const& whose, Executor& executor) {
    auto const a = use_of<hisparse<double>>::make();
    auto const flat = use_of<sellp<double>>::make();
    spmv_plan<double> const plan(host(), a);
    flat_plan<sellp<double>> const plan_of_flat(host(), flat);
    sum_plan<double> const plan_of_sum(host(), a, a);
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
    expect_refused(whose, [&] { sum_plan<double>(executor, a, a); });
    expect_refused(whose, [&] { add(executor, plan_of_sum, 1.0, a, 1.0, a); });
    expect_refused(whose, [&] { spmm(executor, 1.0, a, column_major(ones, 2, 1), 0.0, column_major(y, 2, 1)); });
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
                  "buffer: 2 elements from 0 were asked for; the buffer has 0");
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

}  // namespace copse::tests::moving
