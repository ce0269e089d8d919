// PageRank: the share of time that somebody spends on each page who follows links at random, and now and then starts
// anew. rank <- d A^T (rank / out-degree) + rest: a transposed product in every step. The plan of A serves it as it is,
// and the function for finished elements adds the rest and sums up how much the ranks still change.
#include <cmath>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdio>
#include <vector>

int main() {
    copse::cpu cpu;
    // Links of a power-law graph; several links from one page to another count as one.
    copse::csr<double> links = copse::to_csr(copse::generate<double>("rmat:14,8"));
    for (double& value : links.values) value = 1;
    auto const pages = static_cast<std::size_t>(links.row_count);
    copse::spmv_plan<double> const plan(cpu, copse::hisparse<double>(cpu, links));
    auto const by_target = copse::transposed(plan);

    double const damping = 0.85;
    auto const out_degree = [&](std::size_t i) {
        return static_cast<double>(links.row_offsets[i + 1] - links.row_offsets[i]);
    };
    std::vector<double> rank(pages, 1.0 / static_cast<double>(pages)), next(pages), given(pages);
    int steps = 0;
    for (double change = 1; change > 1e-10; ++steps) {
        double stuck = 0;  // the ranks of pages without links: they start anew
        for (std::size_t i = 0; i < pages; ++i) {
            given[i] = out_degree(i) > 0 ? rank[i] / out_degree(i) : 0;
            if (out_degree(i) == 0) stuck += rank[i];
        }
        double const rest = (1 - damping + damping * stuck) / static_cast<double>(pages);
        change = copse::spmv(cpu, damping, by_target, given, 0.0, next, [&](std::int64_t i, double& next_i) {
            next_i += rest;
            return std::abs(next_i - rank[static_cast<std::size_t>(i)]);
        });
        rank.swap(next);
    }
    double sum = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < pages; ++i) {
        sum += rank[i];
        if (rank[i] > rank[first]) first = i;
    }
    std::printf("%d steps; page %zu has the highest rank, %.4f; all ranks sum to %.12f\n", steps, first, rank[first],
                sum);
    return std::abs(sum - 1) < 1e-9 && steps < 200 ? 0 : 1;
}
