// Products with a matrix and with its transpose, in turn: Kleinberg's hubs and authorities of a graph.
//
//   authorities <- A^T hubs        a page is an authority if good hubs point to it
//   hubs        <- A authorities   a page is a hub if it points to good authorities
//
// The transpose is a flag: no second matrix is made, and the product with it costs what the product costs.
#include <algorithm>
#include <cmath>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdio>
#include <numeric>

namespace {

/// Scales to length 1; returns the length before.
double normalize(std::vector<double>& v) {
    double const length = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    for (double& element : v) element /= length;
    return length;
}

}  // namespace

int main() {
    copse::cpu cpu;
    auto links = copse::generate<double>("rmat:12,8,1");
    std::fill(links.values.begin(), links.values.end(), 1.0);
    copse::hisparse<double> const a(cpu, links);

    std::vector<double> hubs(a.row_count(), 1.0), authorities(a.column_count());
    double length = 0, change = 1;
    int rounds = 0;
    for (; rounds < 200 && change > 1e-10; ++rounds) {
        copse::spmv(cpu, 1.0, copse::transposed(a), hubs, 0.0, authorities);
        normalize(authorities);
        copse::spmv(cpu, 1.0, a, authorities, 0.0, hubs);
        double const before = length;
        length = normalize(hubs);
        change = std::abs(length - before) / length;
    }
    auto const best = std::max_element(authorities.begin(), authorities.end()) - authorities.begin();
    std::printf("%lld pages, %lld links: largest singular value %.6f after %d rounds, best authority %lld\n",
                static_cast<long long>(a.row_count()), static_cast<long long>(a.entry_count()), length, rounds,
                static_cast<long long>(best));
    return change <= 1e-10 ? 0 : 1;
}
