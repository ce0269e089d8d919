// SuiteSparse:GraphBLAS: Davis, Algorithm 1000, ACM TOMS 45(4), 2019.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "bench/peers/peers.hpp"

extern "C" {  // version 7 does not say so itself; what it includes of the standard library is included above
#include <GraphBLAS.h>
}

namespace copse::bench {
namespace {

void check(GrB_Info status, char const* call) {
    if (status != GrB_SUCCESS)
        throw error(fmt::format("GraphBLAS: {} failed with code {}", call, static_cast<int>(status)));
}

/// GraphBLAS is started once, before its first matrix, and ended after its last one.
class library {
  public:
    static void use(int threads) {
        static library const started;
        check(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads), "GxB_Global_Option_set");
    }
    ~library() { GrB_finalize(); }

  private:
    library() { check(GrB_init(GrB_NONBLOCKING), "GrB_init"); }
};

/// The one of two functions or objects of GraphBLAS that is for T.
template <class T, class Float, class Double>
constexpr auto of_type(Float of_float, Double of_double) {
    if constexpr (std::is_same_v<T, float>)
        return of_float;
    else
        return of_double;
}

struct free_matrix {
    void operator()(GrB_Matrix a) const noexcept { GrB_Matrix_free(&a); }
};
using matrix = std::unique_ptr<std::remove_pointer_t<GrB_Matrix>, free_matrix>;

std::int64_t bytes_of(matrix const& a) {
    std::size_t bytes = 0;
    check(GxB_Matrix_memoryUsage(&bytes, a.get()), "GxB_Matrix_memoryUsage");
    return static_cast<std::int64_t>(bytes);
}

template <class T>
matrix to_graphblas(csr<T> const& a) {
    std::vector<GrB_Index> const offsets(a.row_offsets.begin(), a.row_offsets.end());
    std::vector<GrB_Index> const columns(a.column_indices.begin(), a.column_indices.end());
    auto const import = of_type<T>(GrB_Matrix_import_FP32, GrB_Matrix_import_FP64);
    GrB_Matrix made = nullptr;
    check(import(&made, of_type<T>(GrB_FP32, GrB_FP64), a.row_count, a.column_count, offsets.data(), columns.data(),
                 a.values.data(), offsets.size(), columns.size(), a.values.size(), GrB_CSR_FORMAT),
          "GrB_Matrix_import");
    return matrix(made);
}

template <class T>
csr<T> from_graphblas(matrix const& a) {
    GrB_Index row_count = 0, column_count = 0, offset_count = 0, column_index_count = 0, value_count = 0;
    check(GrB_Matrix_nrows(&row_count, a.get()), "GrB_Matrix_nrows");
    check(GrB_Matrix_ncols(&column_count, a.get()), "GrB_Matrix_ncols");
    check(GrB_Matrix_exportSize(&offset_count, &column_index_count, &value_count, GrB_CSR_FORMAT, a.get()),
          "GrB_Matrix_exportSize");
    std::vector<GrB_Index> offsets(offset_count), columns(column_index_count);
    std::vector<T> values(value_count);
    auto const write = of_type<T>(GrB_Matrix_export_FP32, GrB_Matrix_export_FP64);
    check(write(offsets.data(), columns.data(), values.data(), &offset_count, &column_index_count, &value_count,
                GrB_CSR_FORMAT, a.get()),
          "GrB_Matrix_export");
    values.resize(value_count);
    columns.resize(value_count);
    return {static_cast<std::int64_t>(row_count), static_cast<std::int64_t>(column_count),
            numbers_as<std::int64_t>(offsets), numbers_as<std::int32_t>(columns), std::move(values)};
}

template <class T>
std::unique_ptr<addition<T>> add(sum_problem<T> const& what, int threads) {
    library::use(threads);
    auto [a, seconds_a] = timed([&] { return to_graphblas(what.a.matrix); });
    auto [b, seconds_b] = timed([&] { return to_graphblas(what.b.matrix); });
    auto r = describe(what, "graphblas", bytes_of(a) + bytes_of(b), threads, seconds_a + seconds_b);
    GrB_Descriptor const descriptor = what.a.transpose ? (what.b.transpose ? GrB_DESC_T0T1 : GrB_DESC_T0)
                                                       : (what.b.transpose ? GrB_DESC_T1 : nullptr);
    auto const& shape = what.expected.c;
    auto sum = [descriptor, rows = shape.row_count, columns = shape.column_count, a = std::move(a), b = std::move(b)] {
        GrB_Matrix made = nullptr;
        check(GrB_Matrix_new(&made, of_type<T>(GrB_FP32, GrB_FP64), rows, columns), "GrB_Matrix_new");
        matrix c(made);
        check(GrB_Matrix_eWiseAdd_BinaryOp(made, nullptr, nullptr, of_type<T>(GrB_PLUS_FP32, GrB_PLUS_FP64), a.get(),
                                           b.get(), descriptor),
              "GrB_Matrix_eWiseAdd");
        check(GrB_Matrix_wait(made, GrB_MATERIALIZE), "GrB_Matrix_wait");
        return c;
    };
    return sum_by(std::move(r), what, std::move(sum), from_graphblas<T>, bytes_of);
}

/// Owns a GraphBLAS vector of n elements.
template <class T>
class vector {
  public:
    explicit vector(std::size_t n) : size_(n) {
        check(GrB_Vector_new(&handle_, of_type<T>(GrB_FP32, GrB_FP64), n), "GrB_Vector_new");
    }
    explicit vector(std::vector<T> const& values) : vector(values.size()) {
        std::vector<GrB_Index> indices(values.size());
        std::iota(indices.begin(), indices.end(), GrB_Index{0});
        auto const build = of_type<T>(GrB_Vector_build_FP32, GrB_Vector_build_FP64);
        check(build(handle_, indices.data(), values.data(), values.size(), of_type<T>(GrB_FIRST_FP32, GrB_FIRST_FP64)),
              "GrB_Vector_build");
        check(GrB_Vector_wait(handle_, GrB_MATERIALIZE), "GrB_Vector_wait");
    }
    ~vector() { GrB_Vector_free(&handle_); }
    vector(vector const&) = delete;
    vector& operator=(vector const&) = delete;

    GrB_Vector get() const noexcept { return handle_; }

    /// Every element <- value
    void fill(T value) {
        auto const assign = of_type<T>(GrB_Vector_assign_FP32, GrB_Vector_assign_FP64);
        check(assign(handle_, nullptr, nullptr, value, GrB_ALL, size_, nullptr), "GrB_assign");
    }

    /// Those that are not stored are 0.
    std::vector<T> values() const {
        std::vector<GrB_Index> indices(size_);
        std::vector<T> stored(size_), all(size_, T(0));
        GrB_Index count = size_;
        auto const extract = of_type<T>(GrB_Vector_extractTuples_FP32, GrB_Vector_extractTuples_FP64);
        check(extract(indices.data(), stored.data(), &count, handle_), "GrB_extractTuples");
        for (GrB_Index k = 0; k < count; ++k) all[indices[k]] = stored[k];
        return all;
    }

  private:
    std::size_t size_;
    GrB_Vector handle_ = nullptr;
};

template <class T>
class graphblas_product final : public product<T> {
  public:
    graphblas_product(problem<T> const& what, int threads)
        : product<T>({}, what),
          descriptor_(what.transpose ? GrB_DESC_T0 : nullptr),
          a_(timed([&] { return to_graphblas(what.a); })),
          x_(what.x),
          y_(what.expected.y.size()) {
        this->record = describe(what, "graphblas", bytes_of(a_.matrix), threads, a_.seconds);
    }

    void set_up(int) override { y_.fill(std::numeric_limits<T>::quiet_NaN()); }
    /// y <- 0, then y += op(A) x into the full vector: without the accumulator, into a new vector, it took 12.6 in
    /// place of 12.0 ms and 28.7 in place of 25.1 ms for A^T x (poisson3d:120, double, 2 threads).
    void multiply() override {
        y_.fill(0);
        check(GrB_mxv(y_.get(), nullptr, of_type<T>(GrB_PLUS_FP32, GrB_PLUS_FP64),
                      of_type<T>(GrB_PLUS_TIMES_SEMIRING_FP32, GrB_PLUS_TIMES_SEMIRING_FP64), a_.matrix.get(), x_.get(),
                      descriptor_),
              "GrB_mxv");
        check(GrB_Vector_wait(y_.get(), GrB_MATERIALIZE), "GrB_Vector_wait");
    }
    std::vector<T> result() const override { return y_.values(); }

  private:
    GrB_Descriptor descriptor_;
    converted<matrix> a_;
    vector<T> x_, y_;
};

template <class T>
std::unique_ptr<product<T>> multiply(problem<T> const& what, int threads) {
    library::use(threads);
    return std::make_unique<graphblas_product<T>>(what, threads);
}

}  // namespace

template <class T>
peer<T> graphblas_peer() {
    return {.format = "graphblas",
            .version = fmt::format("SuiteSparse:GraphBLAS {}.{}.{}", GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR,
                                   GxB_IMPLEMENTATION_SUB),
            .products = {{"graphblas", multiply<T>}},
            .add = add<T>};
}

template peer<float> graphblas_peer();
template peer<double> graphblas_peer();

}  // namespace copse::bench
