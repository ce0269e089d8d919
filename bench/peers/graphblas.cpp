// SuiteSparse:GraphBLAS: Davis, Algorithm 1000, ACM TOMS 45(4), 2019.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "bench/harness/timing.hpp"
#include "bench/peers/peers.hpp"
#include "bench/peers/products.hpp"

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

template <class T>
constexpr bool is_float = std::is_same_v<T, float>;

/// Owns a GraphBLAS matrix, which may not be there yet.
class matrix {
  public:
    matrix() = default;
    ~matrix() { reset(); }
    matrix(matrix const&) = delete;
    matrix& operator=(matrix const&) = delete;

    void reset() { GrB_Matrix_free(&handle_); }
    GrB_Matrix get() const noexcept { return handle_; }
    GrB_Matrix* to_fill() noexcept { return &handle_; }
    std::int64_t bytes() const {
        std::size_t bytes = 0;
        check(GxB_Matrix_memoryUsage(&bytes, handle_), "GxB_Matrix_memoryUsage");
        return static_cast<std::int64_t>(bytes);
    }

  private:
    GrB_Matrix handle_ = nullptr;
};

template <class T>
void to_graphblas(csr<T> const& a, matrix& result) {
    std::vector<GrB_Index> const offsets(a.row_offsets.begin(), a.row_offsets.end());
    std::vector<GrB_Index> const columns(a.column_indices.begin(), a.column_indices.end());
    auto const fill = [&](auto import, GrB_Type type) {
        return import(result.to_fill(), type, a.row_count, a.column_count, offsets.data(), columns.data(),
                      a.values.data(), offsets.size(), columns.size(), a.values.size(), GrB_CSR_FORMAT);
    };
    if constexpr (is_float<T>) {
        check(fill(GrB_Matrix_import_FP32, GrB_FP32), "GrB_Matrix_import");
    } else {
        check(fill(GrB_Matrix_import_FP64, GrB_FP64), "GrB_Matrix_import");
    }
}

template <class T>
csr<T> from_graphblas(GrB_Matrix a, std::int64_t row_count, std::int64_t column_count) {
    GrB_Index offset_count = 0;
    GrB_Index column_index_count = 0;
    GrB_Index value_count = 0;
    check(GrB_Matrix_exportSize(&offset_count, &column_index_count, &value_count, GrB_CSR_FORMAT, a),
          "GrB_Matrix_exportSize");
    std::vector<GrB_Index> offsets(offset_count);
    std::vector<GrB_Index> columns(column_index_count);
    std::vector<T> values(value_count);
    auto const fill = [&](auto write) {
        return write(offsets.data(), columns.data(), values.data(), &offset_count, &column_index_count, &value_count,
                     GrB_CSR_FORMAT, a);
    };
    if constexpr (is_float<T>) {
        check(fill(GrB_Matrix_export_FP32), "GrB_Matrix_export");
    } else {
        check(fill(GrB_Matrix_export_FP64), "GrB_Matrix_export");
    }
    values.resize(value_count);
    csr<T> result{row_count, column_count, {offsets.begin(), offsets.end()}, {}, std::move(values)};
    result.column_indices.reserve(value_count);
    for (GrB_Index k = 0; k < value_count; ++k) result.column_indices.push_back(static_cast<std::int32_t>(columns[k]));
    return result;
}

template <class T>
class graphblas_addition final : public addition<T> {
  public:
    graphblas_addition(sum_problem<T> const& what, int threads)
        : addition<T>({}, what),
          row_count_(what.a.transpose ? what.a.matrix.column_count : what.a.matrix.row_count),
          column_count_(what.a.transpose ? what.a.matrix.row_count : what.a.matrix.column_count),
          descriptor_(what.a.transpose ? (what.b.transpose ? GrB_DESC_T0T1 : GrB_DESC_T0)
                                       : (what.b.transpose ? GrB_DESC_T1 : nullptr)) {
        double const seconds = seconds_of([&] {
            to_graphblas(what.a.matrix, a_);
            to_graphblas(what.b.matrix, b_);
        });
        this->record = describe(what, "graphblas", a_.bytes() + b_.bytes(), threads);
        this->record.m.convert_seconds = seconds;
    }

    void forget(int) override { c_.reset(); }
    void add() override {
        check(GrB_Matrix_new(c_.to_fill(), is_float<T> ? GrB_FP32 : GrB_FP64, row_count_, column_count_),
              "GrB_Matrix_new");
        check(GrB_Matrix_eWiseAdd_BinaryOp(c_.get(), nullptr, nullptr, is_float<T> ? GrB_PLUS_FP32 : GrB_PLUS_FP64,
                                           a_.get(), b_.get(), descriptor_),
              "GrB_Matrix_eWiseAdd");
        check(GrB_Matrix_wait(c_.get(), GrB_MATERIALIZE), "GrB_Matrix_wait");
    }
    csr<T> result() const override { return from_graphblas<T>(c_.get(), row_count_, column_count_); }
    std::int64_t result_bytes() const override { return c_.bytes(); }

  private:
    std::int64_t row_count_;
    std::int64_t column_count_;
    GrB_Descriptor descriptor_;
    matrix a_;
    matrix b_;
    matrix c_;
};

/// Owns a GraphBLAS vector of n elements.
template <class T>
class vector {
  public:
    explicit vector(std::size_t n) : size_(n) {
        check(GrB_Vector_new(&handle_, is_float<T> ? GrB_FP32 : GrB_FP64, n), "GrB_Vector_new");
    }
    explicit vector(std::vector<T> const& values) : vector(values.size()) {
        std::vector<GrB_Index> indices(values.size());
        std::iota(indices.begin(), indices.end(), GrB_Index{0});
        auto const fill = [&](auto build, GrB_BinaryOp first) {
            return build(handle_, indices.data(), values.data(), values.size(), first);
        };
        if constexpr (is_float<T>) {
            check(fill(GrB_Vector_build_FP32, GrB_FIRST_FP32), "GrB_Vector_build");
        } else {
            check(fill(GrB_Vector_build_FP64, GrB_FIRST_FP64), "GrB_Vector_build");
        }
        check(GrB_Vector_wait(handle_, GrB_MATERIALIZE), "GrB_Vector_wait");
    }
    ~vector() { GrB_Vector_free(&handle_); }
    vector(vector const&) = delete;
    vector& operator=(vector const&) = delete;

    GrB_Vector get() const noexcept { return handle_; }

    /// Every element <- value
    void fill(T value) {
        if constexpr (is_float<T>) {
            check(GrB_Vector_assign_FP32(handle_, nullptr, nullptr, value, GrB_ALL, size_, nullptr), "GrB_assign");
        } else {
            check(GrB_Vector_assign_FP64(handle_, nullptr, nullptr, value, GrB_ALL, size_, nullptr), "GrB_assign");
        }
    }

    /// Those that are not stored are 0.
    std::vector<T> values() const {
        std::vector<GrB_Index> indices(size_);
        std::vector<T> stored(size_);
        GrB_Index count = size_;
        if constexpr (is_float<T>) {
            check(GrB_Vector_extractTuples_FP32(indices.data(), stored.data(), &count, handle_), "GrB_extractTuples");
        } else {
            check(GrB_Vector_extractTuples_FP64(indices.data(), stored.data(), &count, handle_), "GrB_extractTuples");
        }
        std::vector<T> all(size_, T(0));
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
          x_(what.x),
          y_(what.expected.y.size()) {
        double const seconds = seconds_of([&] { to_graphblas(what.a, a_); });
        this->record = describe(what, "graphblas", a_.bytes(), threads);
        this->record.m.convert_seconds = seconds;
    }

    void set_up(int) override { y_.fill(std::numeric_limits<T>::quiet_NaN()); }
    /// y <- 0, then y += op(A) x into the full vector: without the accumulator, into a new vector, it took 12.6 in
    /// place of 12.0 ms and 28.7 in place of 25.1 ms for A^T x (poisson3d:120, double, 2 threads).
    void multiply() override {
        y_.fill(0);
        check(GrB_mxv(y_.get(), nullptr, is_float<T> ? GrB_PLUS_FP32 : GrB_PLUS_FP64,
                      is_float<T> ? GrB_PLUS_TIMES_SEMIRING_FP32 : GrB_PLUS_TIMES_SEMIRING_FP64, a_.get(), x_.get(),
                      descriptor_),
              "GrB_mxv");
        check(GrB_Vector_wait(y_.get(), GrB_MATERIALIZE), "GrB_Vector_wait");
    }
    std::vector<T> result() const override { return y_.values(); }

  private:
    GrB_Descriptor descriptor_;
    matrix a_;
    vector<T> x_;
    vector<T> y_;
};

}  // namespace

template <class T>
std::unique_ptr<product<T>> product_by_graphblas(problem<T> const& what, int threads) {
    library::use(threads);
    return std::make_unique<graphblas_product<T>>(what, threads);
}

template <class T>
std::unique_ptr<addition<T>> sum_by_graphblas(sum_problem<T> const& what, int threads) {
    library::use(threads);
    return std::make_unique<graphblas_addition<T>>(what, threads);
}

std::string graphblas_version() {
    return fmt::format("SuiteSparse:GraphBLAS {}.{}.{}", GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR,
                       GxB_IMPLEMENTATION_SUB);
}

template std::unique_ptr<product<float>> product_by_graphblas(problem<float> const&, int);
template std::unique_ptr<product<double>> product_by_graphblas(problem<double> const&, int);
template std::unique_ptr<addition<float>> sum_by_graphblas(sum_problem<float> const&, int);
template std::unique_ptr<addition<double>> sum_by_graphblas(sum_problem<double> const&, int);

}  // namespace copse::bench
