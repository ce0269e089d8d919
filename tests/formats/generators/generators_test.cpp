// Generators: specifications, sizes and errors; and that nothing depends on threads. What each matrix must be is tested
// in generators_matrices_test.cpp.
#include <gtest/gtest.h>

#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/error.hpp>
#include <string>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace {

using copse::coo;
using copse::generate;

// One small matrix of every generator.
std::vector<std::string> const small_specifications{"poisson2d:5,4",
                                                    "poisson3d:4,3,2",
                                                    "stencil27:4,3,2",
                                                    "elasticity:3",
                                                    "trefethen:40",
                                                    "epidemiology:20",
                                                    "qcd:3",
                                                    "dense:7,5",
                                                    "permutation:50",
                                                    "banded:40,3",
                                                    "rmat:7,8,3",
                                                    "circuit:500",
                                                    "lp:200,900",
                                                    "uniform:300,5",
                                                    "dense_row:90,3",
                                                    "moved:10,3,poisson2d:20",
                                                    "ones:rmat:7,8",
                                                    "valued:1,qcd:3",
                                                    "symmetric:rmat:7,8",
                                                    "skew:banded:40,3",
                                                    "kkt:poisson2d:5"};

std::string message_of(std::string const& specification) {
    try {
        generate<double>(specification);
    } catch (copse::argument_error const& e) {
        return e.what();
    }
    return "no error";
}

void set_threads([[maybe_unused]] int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
}

int max_threads() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

TEST(generators, the_small_specifications_name_every_generator_once) {
    ASSERT_EQ(small_specifications.size(), copse::generators().size());
    for (std::size_t k = 0; k < small_specifications.size(); ++k) {
        auto const& info = copse::generators()[k];
        EXPECT_EQ(small_specifications[k].substr(0, small_specifications[k].find(':')), info.name);
        EXPECT_TRUE(copse::is_generator(info.example)) << info.example;
        EXPECT_NE(copse::generator_help().find(info.example), std::string::npos);
        EXPECT_NE(copse::generator_help().find(info.name + ":" + info.arguments), std::string::npos);
    }
}

TEST(generators, entries_lie_inside_and_occur_once_except_in_rmat_and_moved) {
    for (auto const& specification : small_specifications) {
        auto const a = generate<double>(specification);
        ASSERT_GT(a.entry_count(), 0) << specification;
        auto const rows = copse::to_csr(a);  // throws for an index outside
        if (specification.starts_with("rmat") || specification.starts_with("moved")) {
            EXPECT_LT(rows.entry_count(), a.entry_count());
        } else {
            EXPECT_EQ(rows.entry_count(), a.entry_count()) << specification;
        }
    }
}

TEST(generators, threads_change_nothing) {
    int const before = max_threads();
    for (auto const& specification : small_specifications) {
        set_threads(1);
        auto const one = generate<double>(specification);
        set_threads(3);
        auto const three = generate<double>(specification);
        EXPECT_EQ(one.rows, three.rows) << specification;
        EXPECT_EQ(one.columns, three.columns) << specification;
        EXPECT_EQ(one.values, three.values) << specification;
    }
    set_threads(before);
}

TEST(generators, float_values_are_the_double_ones_rounded) {
    for (auto const& specification : small_specifications) {
        auto const in_double = generate<double>(specification);
        auto const in_float = generate<float>(specification);
        EXPECT_EQ(in_double.rows, in_float.rows) << specification;
        EXPECT_EQ(in_double.columns, in_float.columns) << specification;
        EXPECT_EQ(std::vector<float>(in_double.values.begin(), in_double.values.end()), in_float.values)
            << specification;
    }
}

TEST(generators, the_seed_decides) {
    for (auto const* const with : {"qcd:3,", "dense:7,5,", "permutation:50,", "banded:40,3,", "rmat:7,8,",
                                   "circuit:500,", "lp:200,900,", "uniform:300,5,", "dense_row:90,3,"}) {
        std::string const specification = with;
        auto const one = generate<double>(specification + "1");
        auto const again = generate<double>(specification + "1");
        auto const two = generate<double>(specification + "2");
        EXPECT_EQ(one.values, again.values) << specification;
        EXPECT_EQ(one.columns, again.columns) << specification;
        EXPECT_TRUE(one.values != two.values || one.columns != two.columns) << specification;
    }
}

TEST(generators, left_out_arguments_take_their_defaults) {
    auto const same = [](char const* a, char const* b) {
        auto const left = generate<double>(a);
        auto const right = generate<double>(b);
        return left.row_count == right.row_count && left.column_count == right.column_count &&
               left.rows == right.rows && left.columns == right.columns && left.values == right.values;
    };
    EXPECT_TRUE(same("poisson2d:6", "poisson2d:6,6"));
    EXPECT_TRUE(same("poisson3d:4,3", "poisson3d:4,3,4"));
    EXPECT_TRUE(same("stencil27:3", "stencil27:3,3,3"));
    EXPECT_TRUE(same("epidemiology", "epidemiology:1024"));
    EXPECT_TRUE(same("qcd", "qcd:8,1"));
    EXPECT_TRUE(same("rmat:5", "rmat:5,16,1"));
    EXPECT_TRUE(same("uniform:40", "uniform:40,16,1"));
    EXPECT_FALSE(same("uniform:40", "uniform:40,16,2"));
}

TEST(generators, names) {
    EXPECT_TRUE(copse::is_generator("poisson2d:3"));
    EXPECT_TRUE(copse::is_generator("poisson2d:nonsense"));
    EXPECT_TRUE(copse::is_generator("qcd"));
    EXPECT_FALSE(copse::is_generator("poisson2d.mtx"));
    EXPECT_FALSE(copse::is_generator("poisson"));
    EXPECT_FALSE(copse::is_generator("folder/qcd:3"));
    EXPECT_FALSE(copse::is_generator(""));
    EXPECT_FALSE(copse::is_generator(":3"));
}

TEST(generators, errors_name_generator_argument_range_and_an_example) {
    auto const n = "poisson3d: argument n is '";
    auto const range = "'; it must be a whole number, 1 .. 2147483647, as in poisson3d:96";
    for (auto const* const bad : {"0", "-1", "abc", "3x", "2147483648", "99999999999999999999", "1.5", " 3", "0x10"}) {
        EXPECT_EQ(message_of(std::string("poisson3d:") + bad), n + std::string(bad) + range);
    }
    EXPECT_EQ(message_of("poisson3d:3,,3"), "poisson3d: argument m is '" + std::string(range));
    EXPECT_EQ(message_of("poisson2d"),
              "poisson2d: argument n (1 .. 2147483647) is missing: poisson2d:n[,m=n], as in poisson2d:1000");
    EXPECT_EQ(message_of("poisson2d:"), message_of("poisson2d"));
    EXPECT_EQ(message_of("elasticity:2,3"),
              "elasticity: 2 arguments are too many, it takes at most 1: elasticity:n, as in elasticity:32");
    EXPECT_EQ(message_of("moved:10,1"),
              "moved: the generator whose matrix it changes is missing: "
              "moved:sigma,seed,generator, as in moved:10,1,poisson3d:96");
    EXPECT_EQ(message_of("moved:10,1,poisson3d:0"), message_of("poisson3d:0"));
    EXPECT_EQ(message_of("moved:10,1,moved:-1,1,qcd").substr(0, 31), "moved: argument sigma is '-1'; ");
    EXPECT_EQ(message_of("rmat:0").substr(0, 42), "rmat: argument scale is '0'; it must be a ");
    EXPECT_EQ(message_of("nothing:3").substr(0, 50), "'nothing' is not the name of a generator; there ar");
    EXPECT_NE(message_of("nothing:3").find("poisson3d"), std::string::npos);
}

TEST(generators, sizes_that_cannot_be_had_are_refused_at_once) {
    EXPECT_NE(message_of("poisson3d:2000").find("8000000000 rows or columns are too many"), std::string::npos);
    EXPECT_NE(message_of("poisson2d:2147483647").find("too many"), std::string::npos);
    EXPECT_NE(message_of("stencil27:2147483647").find("too many"), std::string::npos);
    EXPECT_NE(message_of("dense:2147483647").find("and this machine has"), std::string::npos);
    EXPECT_NE(message_of("rmat:30,1048576").find("and this machine has"), std::string::npos);
    EXPECT_NE(message_of("uniform:2147483647,2147483647").find("and this machine has"), std::string::npos);
    EXPECT_NE(message_of("dense_row:2147483647,2147483647").find("and this machine has"), std::string::npos);
    EXPECT_NE(message_of("banded:2147483647,2147483647").find("and this machine has"), std::string::npos);
}

}  // namespace
