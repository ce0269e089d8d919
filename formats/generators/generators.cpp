// The list of generators, and the way from a specification to one of them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <copse/formats/generators.hpp>
#include <copse/formats/generators/tools.hpp>
#include <copse/runtime/error.hpp>
#include <limits>

namespace copse {
namespace {

using arguments = detail::generator_arguments;

constexpr std::int64_t index_limit = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t required = -1;       // as a default: there is none
constexpr std::int64_t same_as_first = -2;  // as a default: the value of the first argument

struct argument_rule {
    char const* name;
    std::int64_t minimum;
    std::int64_t maximum;
    std::int64_t otherwise = required;
};

struct generator {
    char const* name;
    std::vector<argument_rule> rules;
    char const* text;
    char const* example;
    coo<float> (*as_float)(arguments const&);
    coo<double> (*as_double)(arguments const&);
    bool changes_another = false;  // takes one more argument, the last: the specification of another generator
};

argument_rule const dimension_n{"n", 1, index_limit};
argument_rule const dimension_m{"m", 1, index_limit, same_as_first};
argument_rule const dimension_k{"k", 1, index_limit, same_as_first};
argument_rule const seed_rule{"seed", 0, no_limit, 1};

// Maxima below are the largest for which the matrix has at most 2^31 - 1 rows.
std::vector<generator> const& table() {
    using namespace detail;
    static std::vector<generator> const entries{
        {"poisson2d",
         {dimension_n, dimension_m},
         "5-point stencil on an n x m grid: 4 on the diagonal, -1 beside it",
         "poisson2d:1000",
         poisson2d<float>,
         poisson2d<double>},
        {"poisson3d",
         {dimension_n, dimension_m, dimension_k},
         "7-point stencil on an n x m x k grid: 6 on the diagonal, -1 beside it",
         "poisson3d:96",
         poisson3d<float>,
         poisson3d<double>},
        {"stencil27",
         {dimension_n, dimension_m, dimension_k},
         "27-point stencil on an n x m x k grid: 26 and -1, as in HPCG",
         "stencil27:96",
         stencil27<float>,
         stencil27<double>},
        {"elasticity",
         {{"n", 1, 894}},
         "dense 3 x 3 blocks on the 27-point stencil of an n^3 grid, positive definite",
         "elasticity:32",
         elasticity<float>,
         elasticity<double>},
        {"trefethen",
         {{"n", 1, 100'000'000}},
         "primes on the diagonal, ones where |i - j| is a power of two",
         "trefethen:20000",
         trefethen<float>,
         trefethen<double>},
        {"epidemiology",
         {{"people", 0, 65534, 1024}},
         "Markov chain of an epidemic: states (S, I) with S + I <= people, up to 4 entries in a row",
         "epidemiology:1024",
         epidemiology<float>,
         epidemiology<double>},
        {"qcd",
         {{"L", 3, 115, 8}, seed_rule},
         "hopping term of lattice QCD on L^4 sites x 12: 39 entries in each row",
         "qcd:8",
         qcd<float>,
         qcd<double>},
        {"dense",
         {dimension_n, dimension_m, seed_rule},
         "every entry of an n x m matrix stored, random values",
         "dense:2000",
         dense<float>,
         dense<double>},
        {"permutation",
         {dimension_n, seed_rule},
         "a random permutation of n rows",
         "permutation:1000000",
         permutation<float>,
         permutation<double>},
        {"banded",
         {dimension_n, {"half_bandwidth", 0, index_limit}, seed_rule},
         "every entry with |i - j| <= half_bandwidth stored, random values",
         "banded:100000,20",
         banded<float>,
         banded<double>},
        {"rmat",
         {{"scale", 1, 30}, {"edge_factor", 1, 1 << 20, 16}, seed_rule},
         "power-law graph of Graph500: 2^scale rows, edge_factor 2^scale edges, repeated ones summed later",
         "rmat:20,16",
         rmat<float>,
         rmat<double>},
        {"circuit",
         {{"n", 16, index_limit}, seed_rule},
         "few entries in a row, and four rows and columns that hold a fifth of all entries",
         "circuit:1000000",
         circuit<float>,
         circuit<double>},
        {"lp",
         {{"rows", 1, index_limit}, {"columns", 1, index_limit}, seed_rule},
         "constraints of a linear program: 2 to 5 entries in a column, a hundredth of the rows long",
         "lp:10000,1000000",
         lp<float>,
         lp<double>},
        {"uniform",
         {dimension_n, {"entries_per_row", 1, index_limit, 16}, seed_rule},
         "equally many entries in each row, one at random in each equal stretch of columns",
         "uniform:1000000,16",
         uniform<float>,
         uniform<double>},
        {"dense_row",
         {dimension_n, {"entries_per_row", 1, index_limit, 16}, seed_rule},
         "as uniform, but for the row in the middle, which holds every column",
         "dense_row:1000000,4",
         dense_row<float>,
         dense_row<double>},
        {"moved",
         {{"sigma", 0, largest_sigma}, {"seed", 0, no_limit}},
         "another matrix, each entry moved to a normally distributed place near by; those that meet are summed later",
         "moved:10,1,poisson3d:96",
         moved<float>,
         moved<double>,
         true},
        {"ones", {}, "another matrix, each value 1", "ones:rmat:18,16", ones<float>, ones<double>, true},
        {"valued",
         {{"seed", 0, no_limit}},
         "another matrix with random values, the same at (i, j) and (j, i)",
         "valued:1,stencil27:96",
         valued<float>,
         valued<double>,
         true},
        {"symmetric",
         {},
         "the lower triangle of another matrix and its mirror image",
         "symmetric:rmat:18,16",
         symmetric<float>,
         symmetric<double>,
         true},
        {"skew",
         {},
         "L - L^T, L what another matrix has below its diagonal",
         "skew:banded:100000,20",
         skew<float>,
         skew<double>,
         true},
        {"kkt",
         {},
         "[A B^T; B 0], A another matrix, and B every fourth row of it",
         "kkt:poisson3d:64",
         kkt<float>,
         kkt<double>,
         true},
    };
    return entries;
}

std::string describe_arguments(generator const& g) {
    auto const& rules = g.rules;
    std::string text;
    std::size_t optional = 0;
    for (auto const& rule : rules) {
        std::string const comma = text.empty() ? "" : ",";
        if (rule.otherwise == required) {
            text += comma + rule.name;
        } else {
            auto const value = rule.otherwise == same_as_first ? rules[0].name : std::to_string(rule.otherwise);
            text += fmt::format("[{}{}={}", comma, rule.name, value);
            ++optional;
        }
    }
    text += std::string(optional, ']');
    if (g.changes_another) text += text.empty() ? "generator" : ",generator";
    return text;
}

std::string_view name_of(std::string_view specification) {
    return specification.substr(0, specification.find(':'));
}

generator const* find(std::string_view name) {
    auto const& all = table();
    auto const found = std::find_if(all.begin(), all.end(), [&](generator const& g) { return g.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::int64_t parse_argument(generator const& g, argument_rule const& rule, std::string_view text) {
    std::int64_t value = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    // Digits only that overflow are a number out of range, and said to be so with their own digits.
    bool const whole = end == text.data() + text.size() && failure != std::errc::invalid_argument;
    if (!whole || failure != std::errc{} || value < rule.minimum || value > rule.maximum) {
        throw argument_error(fmt::format("{}: argument {} is '{}'; it must be a whole number, {} .. {}, as in {}",
                                         g.name, rule.name, text, rule.minimum, rule.maximum, g.example));
    }
    return value;
}

// "a,b,c" -> { "a", "b", "c" }; nothing for an empty text. The last of at_most pieces is all that is left.
std::vector<std::string_view> split(std::string_view text, std::size_t at_most) {
    std::vector<std::string_view> pieces;
    if (text.empty()) return pieces;
    for (auto comma = text.find(','); comma != text.npos && pieces.size() + 1 < at_most; comma = text.find(',')) {
        pieces.push_back(text.substr(0, comma));
        text.remove_prefix(comma + 1);
    }
    pieces.push_back(text);
    return pieces;
}

arguments parse_arguments(generator const& g, std::string_view specification) {
    auto const colon = specification.find(':');
    auto const count = g.rules.size() + (g.changes_another ? 1 : 0);
    auto const given = split(colon == specification.npos ? "" : specification.substr(colon + 1),
                             g.changes_another ? count : std::string_view::npos);
    auto const usage = fmt::format("{}:{}, as in {}", g.name, describe_arguments(g), g.example);
    if (given.size() > count) {
        throw argument_error(
            fmt::format("{}: {} arguments are too many, it takes at most {}: {}", g.name, given.size(), count, usage));
    }
    arguments result{g.name, {}};
    for (std::size_t i = 0; i < g.rules.size(); ++i) {
        auto const& rule = g.rules[i];
        if (i < given.size()) {
            result.values.push_back(parse_argument(g, rule, given[i]));
        } else if (rule.otherwise == required) {
            throw argument_error(fmt::format("{}: argument {} ({} .. {}) is missing: {}", g.name, rule.name,
                                             rule.minimum, rule.maximum, usage));
        } else {
            result.values.push_back(rule.otherwise == same_as_first ? result.values[0] : rule.otherwise);
        }
    }
    if (!g.changes_another) return result;
    if (given.size() < count) {
        throw argument_error(fmt::format("{}: the generator whose matrix it changes is missing: {}", g.name, usage));
    }
    result.generator = given.back();
    return result;
}

std::string text_of(generator const& g, detail::lack_of_memory const& lack) {
    auto const there = lack.available == SIZE_MAX
                           ? "more than there is"
                           : fmt::format("and {:.3g} GB are available", 1e-9 * static_cast<double>(lack.available));
    return fmt::format("{}: {} entries in {} x {} need {:.3g} GB, {}: give smaller arguments, as in {}", g.name,
                       lack.entries, lack.rows, lack.columns, 1e-9 * lack.bytes, there, g.example);
}

std::string known_names() {
    std::string names;
    for (auto const& g : table()) names += (names.empty() ? "" : ", ") + std::string(g.name);
    return names;
}

}  // namespace

void detail::check_size(std::string const& name, double rows, double columns, double entries_at_most,
                        std::size_t value_bytes) {
    double const largest = std::max(rows, columns);
    if (largest > static_cast<double>(index_limit)) {
        throw argument_error(
            fmt::format("{}: {:.0f} rows or columns are too many: at most {} (2^31 - 1) can be numbered, "
                        "as in {}",
                        name, largest, index_limit, find(name)->example));
    }
    double const bytes = entries_at_most * static_cast<double>(8 + value_bytes);
    double const memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (bytes > memory) {
        throw argument_error(
            fmt::format("{}: up to {:.3g} entries need {:.3g} GB, and this machine has {:.3g} GB: give "
                        "smaller arguments, as in {}",
                        name, entries_at_most, bytes * 1e-9, memory * 1e-9, find(name)->example));
    }
}

std::vector<generator_info> const& generators() {
    static std::vector<generator_info> const infos = [] {
        std::vector<generator_info> result;
        for (auto const& g : table()) result.push_back({g.name, describe_arguments(g), g.text, g.example});
        return result;
    }();
    return infos;
}

std::string generator_help() {
    std::string text;
    for (auto const& g : generators()) {
        text += fmt::format("  {}:{}\n      {}; for example {}\n", g.name, g.arguments, g.text, g.example);
    }
    return text;
}

bool is_generator(std::string_view specification) {
    return find(name_of(specification)) != nullptr;
}

template <class T>
coo<T> generate(std::string_view specification) {
    auto const* g = find(name_of(specification));
    if (g == nullptr) {
        throw argument_error(
            fmt::format("'{}' is not the name of a generator; there are {}", name_of(specification), known_names()));
    }
    auto const parsed = parse_arguments(*g, specification);
    try {
        if constexpr (std::is_same_v<T, float>) {
            return g->as_float(parsed);
        } else {
            return g->as_double(parsed);
        }
    } catch (detail::lack_of_memory const& lack) {
        throw argument_error(text_of(*g, lack));
    }
}

template coo<float> generate(std::string_view);
template coo<double> generate(std::string_view);

}  // namespace copse
