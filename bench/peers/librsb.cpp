// librsb, recursive sparse blocks: Martone, Efficient multithreaded untransposed, transposed or symmetric sparse
// matrix-vector multiplication with the Recursive Sparse Blocks format, Parallel Computing 40(7), 2014.
#include <fmt/format.h>
#include <rsb.h>

#include <type_traits>
#include <utility>

#include "bench/peers/peers.hpp"
#include "bench/peers/upper_half.hpp"

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

std::int64_t bytes_of(matrix const& a) {
    return static_cast<std::int64_t>(info<std::size_t>(a, RSB_MIF_TOTAL_SIZE__TO__SIZE_T));
}

template <class T>
matrix to_librsb(csr<T> const& a, rsb_flags_t flags = RSB_FLAG_NOFLAGS) {
    auto const entries = to_coo(a);
    rsb_err_t status = RSB_ERR_NO_ERROR;
    matrix made(rsb_mtx_alloc_from_coo_const(
        entries.values.data(), entries.rows.data(), entries.columns.data(), static_cast<rsb_nnz_idx_t>(a.entry_count()),
        type_code<T>, static_cast<rsb_coo_idx_t>(a.row_count), static_cast<rsb_coo_idx_t>(a.column_count),
        RSB_DEFAULT_BLOCKING, RSB_DEFAULT_BLOCKING, flags, &status));
    check(status, "rsb_mtx_alloc_from_coo_const");
    return made;
}

template <class T>
csr<T> from_librsb(matrix const& a) {
    coo<T> c;
    c.row_count = info<rsb_coo_idx_t>(a, RSB_MIF_MATRIX_ROWS__TO__RSB_COO_INDEX_T);
    c.column_count = info<rsb_coo_idx_t>(a, RSB_MIF_MATRIX_COLS__TO__RSB_COO_INDEX_T);
    auto const count = info<rsb_nnz_idx_t>(a, RSB_MIF_MATRIX_NNZ__TO__RSB_NNZ_INDEX_T);
    c.rows.resize(count);
    c.columns.resize(count);
    c.values.resize(count);
    check(rsb_mtx_get_coo(a.get(), c.values.data(), c.rows.data(), c.columns.data(), RSB_FLAG_NOFLAGS),
          "rsb_mtx_get_coo");
    return to_csr(c);
}

template <class T>
matrix transposed(matrix const& a) {
    rsb_mtx_t* result = nullptr;
    check(rsb_mtx_clone(&result, type_code<T>, RSB_TRANSPOSITION_T, nullptr, a.get(), RSB_FLAG_NOFLAGS),
          "rsb_mtx_clone");
    return matrix(result);
}

/// What rsb_tune_spmm makes of the matrix for this product: other blocks, and the number of threads as it is. May be
/// the same matrix.
template <class T>
matrix tuned(matrix a, problem<T> const& what) {
    T const one = 1, zero = 0;
    std::vector<T> y(what.expected.y.size());
    rsb_mtx_t* best = a.get();
    constexpr rsb_int_t own_choice_of_rounds = 0;
    check(rsb_tune_spmm(&best, nullptr, nullptr, own_choice_of_rounds, seconds_per_tuning_round,
                        transposition(what.transpose), &one, nullptr, 1, RSB_FLAG_WANT_COLUMN_MAJOR_ORDER,
                        what.x.data(), 0, &zero, y.data(), 0),
          "rsb_tune_spmm");
    if (best != a.get()) {
        (void)a.release();  // the tuner has freed it
        a.reset(best);
    }
    return a;
}

/// The name of what is given the upper half of a symmetric matrix.
constexpr char const* symmetric_name = "librsb-symmetric";

template <class T>
std::unique_ptr<product<T>> multiply(problem<T> const& what, int threads, bool is_tuned, bool symmetric) {
    check_32_bit_indices(what.a);
    auto const upper = symmetric ? upper_half(what.a) : std::nullopt;
    if (symmetric && !upper) return nullptr;
    library::use(threads);
    auto [a, seconds] = timed([&] { return upper ? to_librsb(*upper, RSB_FLAG_UPPER_SYMMETRIC) : to_librsb(what.a); });
    std::optional<double> tune_seconds;
    if (is_tuned) tune_seconds = seconds_of([&, &a = a] { a = tuned(std::move(a), what); });
    auto r = describe(what, symmetric ? symmetric_name : "librsb", bytes_of(a), threads, seconds);
    r.m.plan_seconds = tune_seconds;
    if (is_tuned) r.m.mode = "tuned";
    return product_by(
        std::move(r), what, [a = std::move(a), transpose = what.transpose](std::vector<T> const& x, std::vector<T>& y) {
            T const one = 1, zero = 0;
            check(rsb_spmv(transposition(transpose), &one, a.get(), x.data(), 1, &zero, y.data(), 1), "rsb_spmv");
        });
}

template <class T>
matrix sum_of(matrix const& a, bool transpose_a, matrix const& b, bool transpose_b) {
    T const one = 1;
    rsb_err_t status = RSB_ERR_NO_ERROR;
    matrix c(rsb_sppsp(type_code<T>, transposition(transpose_a), &one, a.get(), transposition(transpose_b), &one,
                       b.get(), &status));
    check(status, "rsb_sppsp");
    return c;
}

template <class T>
std::unique_ptr<addition<T>> add(sum_problem<T> const& what, int threads) {
    if (!fits_in_32_bits(what)) return nullptr;
    library::use(threads);
    auto [a, seconds_a] = timed([&] { return to_librsb(what.a.matrix); });
    auto [b, seconds_b] = timed([&] { return to_librsb(what.b.matrix); });
    auto r = describe(what, "librsb", bytes_of(a) + bytes_of(b), threads, seconds_a + seconds_b);
    bool const turn_a = what.a.transpose, turn_b = what.b.transpose;
    // rsb_sppsp of two transposed matrices gives other entries where they are not square (1.3.0).
    bool const turn_c = turn_a && turn_b && what.a.matrix.row_count != what.a.matrix.column_count;
    return sum_by(
        std::move(r), what,
        [=, a = std::move(a), b = std::move(b)] {
            return turn_c ? transposed<T>(sum_of<T>(a, false, b, false)) : sum_of<T>(a, turn_a, b, turn_b);
        },
        from_librsb<T>, bytes_of, true);
}

}  // namespace

template <class T>
peer<T> librsb_peer() {
    auto const way = [](std::string name, bool is_tuned, bool symmetric) {
        return product_peer<T>{std::move(name), [=](problem<T> const& what, int threads) {
                                   return multiply<T>(what, threads, is_tuned, symmetric);
                               }};
    };
    std::string const symmetric = symmetric_name;
    return {.format = "librsb",
            .version = "librsb " RSB_LIBRSB_VER_STRING,
            .products = {way("librsb", false, false), way("librsb tuned", true, false), way(symmetric, false, true),
                         way(symmetric + " tuned", true, true)},
            .add = add<T>};
}

template peer<float> librsb_peer();
template peer<double> librsb_peer();

}  // namespace copse::bench
