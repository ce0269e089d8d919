// A matrix whose entries lie near those of another one: what additions are measured with.
#include <algorithm>
#include <cmath>
#include <copse/formats/generators.hpp>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/generators/tools.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <string>

namespace copse {
namespace {

// Distances from a normal distribution, as sums of sixteen uniform numbers of 16 bits (the central limit theorem; never
// beyond 6.9 sigma). Logarithms and cosines would make better tails, and other matrices on machines that round them
// otherwise.
class distances {
  public:
    distances(double sigma, std::int64_t seed, std::uint64_t stream)
        : random_(seed, stream), scale_(sigma / deviation) {}

    std::int64_t operator()(std::int64_t k) const {
        auto const start = random_.bits(k);
        std::int64_t sum = 0;
        for (std::uint64_t word = 0; word < 4; ++word) {
            auto const bits = detail::mix_bits(start + word);
            for (int shift = 0; shift < 64; shift += 16) sum += static_cast<std::int64_t>(bits >> shift & 0xffff);
        }
        return std::llround(scale_ * static_cast<double>(2 * sum - 16 * 0xffff));
    }

  private:
    // Of twice the sum of sixteen: 2 sqrt(16 (2^32 - 1) / 12).
    static constexpr double deviation = 151348.908948826;

    detail::random_sequence random_;
    double scale_;
};

}  // namespace

template <class T>
coo<T> moved(coo<T> a, double sigma, std::int64_t seed) {
    if (!(sigma >= 0 && sigma <= largest_sigma)) {
        throw argument_error("moved: sigma is " + std::to_string(sigma) + "; it must be a number from 0 to " +
                             std::to_string(largest_sigma));
    }
    distances const down(sigma, seed, 0);
    distances const right(sigma, seed, 1);
    auto const count = a.entry_count();
    auto const last_row = a.row_count - 1;
    auto const last_column = a.column_count - 1;
    detail::parallel_for(count, detail::elements_at_once, [&](std::int64_t k) {
        auto const place = a.rows[k] * a.column_count + a.columns[k];
        auto const row = std::clamp<std::int64_t>(a.rows[k] + down(place), 0, last_row);
        auto const column = std::clamp<std::int64_t>(a.columns[k] + right(place), 0, last_column);
        a.rows[k] = static_cast<std::int32_t>(row);
        a.columns[k] = static_cast<std::int32_t>(column);
    });
    return a;
}

template <class T>
coo<T> detail::moved(generator_arguments const& arguments) {
    return copse::moved(generate<T>(arguments.generator), static_cast<double>(arguments[0]), arguments[1]);
}

template coo<float> moved(coo<float>, double, std::int64_t);
template coo<double> moved(coo<double>, double, std::int64_t);
template coo<float> detail::moved(generator_arguments const&);
template coo<double> detail::moved(generator_arguments const&);

}  // namespace copse
