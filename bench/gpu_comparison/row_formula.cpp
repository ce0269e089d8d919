#include "bench/gpu_comparison/row_formula.hpp"

#include <algorithm>
#include <charconv>
#include <copse/runtime/error.hpp>
#include <vector>

namespace copse::bench {
namespace {

[[noreturn]] void refuse(std::string const& specification) {
    throw argument_error("'" + specification + "': its arguments are whole numbers above 0, of fewer than 2^31 rows");
}

std::vector<std::int64_t> numbers_of(std::string const& specification, std::size_t begin) {
    std::vector<std::int64_t> numbers;
    char const* const end = specification.data() + specification.size();
    for (char const* at = specification.data() + begin;; ++at) {
        std::int64_t number = 0;
        auto const read = std::from_chars(at, end, number);
        if (read.ec != std::errc() || number < 1 || number >= std::int64_t{1} << 31) refuse(specification);
        numbers.push_back(number);
        at = read.ptr;
        if (at == end) return numbers;
        if (*at != ',') refuse(specification);
    }
}

grid_rows grid_of(std::string const& specification, std::vector<std::int64_t> const& numbers) {
    if (numbers.size() > 3) refuse(specification);
    auto const side = [&](std::size_t i) { return grid_side{i < numbers.size() ? numbers[i] : numbers.front()}; };
    grid_rows const rows{side(0), side(1), side(2)};
    double const points =
        static_cast<double>(rows.x.size) * static_cast<double>(rows.y.size) * static_cast<double>(rows.z.size);
    if (points >= 0x1p31) refuse(specification);
    return rows;
}

}  // namespace

std::optional<row_formula> formula_of(std::string const& specification) {
    auto const colon = specification.find(':');
    if (colon == specification.npos) return std::nullopt;
    auto const name = specification.substr(0, colon);
    if (name != "poisson3d" && name != "stencil27" && name != "uniform") return std::nullopt;
    auto const numbers = numbers_of(specification, colon + 1);
    if (name == "poisson3d") return poisson3d_rows{grid_of(specification, numbers)};
    if (name == "stencil27") return stencil27_rows{grid_of(specification, numbers)};
    if (numbers.size() > 3) refuse(specification);
    std::int64_t const in_row = numbers.size() > 1 ? numbers[1] : 16;
    return uniform_rows{numbers[0], std::min(in_row, numbers[0]), numbers.size() > 2 ? numbers[2] : 1};
}

row_formula formula_for_gpu(std::string const& specification) {
    if (auto const formula = formula_of(specification)) return *formula;
    throw argument_error("'" + specification + "': poisson3d, stencil27 and uniform are made on the GPU");
}

}  // namespace copse::bench
