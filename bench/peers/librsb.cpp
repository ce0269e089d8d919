// librsb, recursive sparse blocks: Martone, Efficient multithreaded untransposed, transposed or symmetric sparse
// matrix-vector multiplication with the Recursive Sparse Blocks format, Parallel Computing 40(7), 2014.
#include <fmt/format.h>
#include <rsb.h>

#include <copse/runtime/error.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "bench/harness/timing.hpp"
#include "bench/peers/peers.hpp"
#include "bench/peers/products.hpp"

namespace copse::bench {
namespace {

void check(rsb_err_t status, char const* call) {
    if (status != RSB_ERR_NO_ERROR) throw error(fmt::format("librsb: {} failed with code {}", call, status));
}

/// librsb is started once, before its first matrix, and ended after its last one.
class library {
  public:
    static void use(int threads) {
        static library const started;
        rsb_int_t const wanted = threads;
        check(rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &wanted), "rsb_lib_set_opt");
    }
    ~library() { rsb_lib_exit(RSB_NULL_EXIT_OPTIONS); }

  private:
    library() { check(rsb_lib_init(RSB_NULL_INIT_OPTIONS), "rsb_lib_init"); }
};

constexpr rsb_time_t seconds_per_tuning_round = 0.5;

template <class T>
constexpr rsb_type_t type_code = std::is_same_v<T, float> ? RSB_NUMERICAL_TYPE_FLOAT : RSB_NUMERICAL_TYPE_DOUBLE;

constexpr rsb_trans_t transposition(bool transposed) {
    return transposed ? RSB_TRANSPOSITION_T : RSB_TRANSPOSITION_N;
}

struct free_matrix {
    void operator()(rsb_mtx_t* a) const noexcept { rsb_mtx_free(a); }
};
using matrix = std::unique_ptr<rsb_mtx_t, free_matrix>;

template <class Value>
Value info(matrix const& a, rsb_mif_t which) {
    Value value = 0;
    check(rsb_mtx_get_info(a.get(), which, &value), "rsb_mtx_get_info");
    return value;
}

template <class T>
matrix to_librsb(csr<T> const& a) {
    auto const entries = to_coo(a);
    rsb_err_t status = RSB_ERR_NO_ERROR;
    matrix result(rsb_mtx_alloc_from_coo_const(
        entries.values.data(), entries.rows.data(), entries.columns.data(), static_cast<rsb_nnz_idx_t>(a.entry_count()),
        type_code<T>, static_cast<rsb_coo_idx_t>(a.row_count), static_cast<rsb_coo_idx_t>(a.column_count),
        RSB_DEFAULT_BLOCKING, RSB_DEFAULT_BLOCKING, RSB_FLAG_NOFLAGS, &status));
    check(status, "rsb_mtx_alloc_from_coo_const");
    return result;
}

std::int64_t bytes_of(matrix const& a) {
    return static_cast<std::int64_t>(info<std::size_t>(a, RSB_MIF_TOTAL_SIZE__TO__SIZE_T));
}

template <class T>
matrix transposed(matrix const& a) {
    rsb_mtx_t* result = nullptr;
    check(rsb_mtx_clone(&result, type_code<T>, RSB_TRANSPOSITION_T, nullptr, a.get(), RSB_FLAG_NOFLAGS),
          "rsb_mtx_clone");
    return matrix(result);
}

template <class T>
class librsb_addition final : public addition<T> {
  public:
    librsb_addition(sum_problem<T> const& what, int threads)
        : addition<T>({}, what),
          transpose_a_(what.a.transpose),
          transpose_b_(what.b.transpose),
          is_square_(what.a.matrix.row_count == what.a.matrix.column_count) {
        double const seconds = seconds_of([&] {
            a_ = to_librsb(what.a.matrix);
            b_ = to_librsb(what.b.matrix);
        });
        this->record = describe(what, "librsb", bytes_of(a_) + bytes_of(b_), threads);
        this->record.m.convert_seconds = seconds;
    }

    void forget(int) override { c_.reset(); }
    void add() override {
        // rsb_sppsp of two transposed matrices gives other entries where they are not square (1.3.0).
        if (transpose_a_ && transpose_b_ && !is_square_) {
            c_ = transposed<T>(sum(RSB_TRANSPOSITION_N, RSB_TRANSPOSITION_N));
        } else {
            c_ = sum(transposition(transpose_a_), transposition(transpose_b_));
        }
    }
    csr<T> result() const override {
        coo<T> c;
        c.row_count = info<rsb_coo_idx_t>(c_, RSB_MIF_MATRIX_ROWS__TO__RSB_COO_INDEX_T);
        c.column_count = info<rsb_coo_idx_t>(c_, RSB_MIF_MATRIX_COLS__TO__RSB_COO_INDEX_T);
        auto const count = info<rsb_nnz_idx_t>(c_, RSB_MIF_MATRIX_NNZ__TO__RSB_NNZ_INDEX_T);
        c.rows.resize(count);
        c.columns.resize(count);
        c.values.resize(count);
        check(rsb_mtx_get_coo(c_.get(), c.values.data(), c.rows.data(), c.columns.data(), RSB_FLAG_NOFLAGS),
              "rsb_mtx_get_coo");
        return to_csr(c);
    }
    std::int64_t result_bytes() const override { return bytes_of(c_); }
    bool drops_zeros() const override { return true; }

  private:
    matrix sum(rsb_trans_t transposition_a, rsb_trans_t transposition_b) const {
        T const one = 1;
        rsb_err_t status = RSB_ERR_NO_ERROR;
        matrix result(
            rsb_sppsp(type_code<T>, transposition_a, &one, a_.get(), transposition_b, &one, b_.get(), &status));
        check(status, "rsb_sppsp");
        return result;
    }

    matrix a_;
    matrix b_;
    bool transpose_a_;
    bool transpose_b_;
    bool is_square_;
    matrix c_;
};

/// What rsb_tune_spmm makes of the matrix for this product: other blocks, and the number of threads as it is. May be
/// the same matrix.
template <class T>
matrix tuned(matrix a, bool transposed, std::vector<T> const& x, std::vector<T>& y) {
    T const one = 1, zero = 0;
    rsb_mtx_t* best = a.get();
    constexpr rsb_int_t own_choice_of_rounds = 0;
    check(rsb_tune_spmm(&best, nullptr, nullptr, own_choice_of_rounds, seconds_per_tuning_round,
                        transposition(transposed), &one, nullptr, 1, RSB_FLAG_WANT_COLUMN_MAJOR_ORDER, x.data(), 0,
                        &zero, y.data(), 0),
          "rsb_tune_spmm");
    if (best != a.get()) {
        (void)a.release();  // the tuner has freed it
        a.reset(best);
    }
    return a;
}

template <class T>
class librsb_product final : public host_product<T> {
  public:
    librsb_product(problem<T> const& what, int threads, bool is_tuned) : host_product<T>({}, what) {
        check_32_bit_indices(what.a);
        library::use(threads);
        double const seconds = seconds_of([&] { a_ = to_librsb(what.a); });
        std::optional<double> tune_seconds;
        if (is_tuned) tune_seconds = seconds_of([&] { a_ = tuned(std::move(a_), what.transpose, this->x_, this->y_); });
        this->record = describe(what, "librsb", bytes_of(a_), threads);
        this->record.m.convert_seconds = seconds;
        this->record.m.plan_seconds = tune_seconds;
        if (is_tuned) this->record.m.mode = "tuned";
    }

    void multiply() override {
        T const one = 1, zero = 0;
        check(rsb_spmv(transposition(this->what_.transpose), &one, a_.get(), this->x_.data(), 1, &zero, this->y_.data(),
                       1),
              "rsb_spmv");
    }

  private:
    matrix a_;
};

}  // namespace

template <class T>
std::unique_ptr<product<T>> product_by_librsb(problem<T> const& what, int threads) {
    return std::make_unique<librsb_product<T>>(what, threads, false);
}

template <class T>
std::unique_ptr<product<T>> product_by_librsb_tuned(problem<T> const& what, int threads) {
    return std::make_unique<librsb_product<T>>(what, threads, true);
}

template <class T>
std::unique_ptr<addition<T>> sum_by_librsb(sum_problem<T> const& what, int threads) {
    library::use(threads);
    return std::make_unique<librsb_addition<T>>(what, threads);
}

std::string librsb_version() {
    return "librsb " RSB_LIBRSB_VER_STRING;
}

template std::unique_ptr<product<float>> product_by_librsb(problem<float> const&, int);
template std::unique_ptr<product<double>> product_by_librsb(problem<double> const&, int);
template std::unique_ptr<product<float>> product_by_librsb_tuned(problem<float> const&, int);
template std::unique_ptr<product<double>> product_by_librsb_tuned(problem<double> const&, int);
template std::unique_ptr<addition<float>> sum_by_librsb(sum_problem<float> const&, int);
template std::unique_ptr<addition<double>> sum_by_librsb(sum_problem<double> const&, int);

}  // namespace copse::bench
