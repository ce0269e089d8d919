// oneMKL's inspector-executor for sparse matrices: its developer reference for C, "Inspector-executor Sparse BLAS
// Routines".
#include "bench/peers/mkl_library.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include "bench/peers/peers.hpp"
#include "bench/peers/upper_half.hpp"

namespace copse::bench {
namespace {

using onemkl::check, onemkl::expected_calls, onemkl::handle, onemkl::index_base_zero, onemkl::layout_column_major,
    onemkl::layout_row_major, onemkl::matrix_descr, onemkl::non_transpose, onemkl::transpose_operation;

/// A matrix of MKL's, which borrows the arrays.
template <class T>
class mkl_matrix {
  public:
    mkl_matrix(onemkl::library const& mkl, csr<T> const& a)
        : mkl_(mkl), offsets_(numbers_as<int>(a.row_offsets)), columns_(a.column_indices), values_(a.values) {
        check(mkl.of<T>().create_csr(&a_, index_base_zero, static_cast<int>(a.row_count),
                                     static_cast<int>(a.column_count), offsets_.data(), offsets_.data() + 1,
                                     columns_.data(), values_.data()),
              "mkl_sparse_create_csr");
    }
    ~mkl_matrix() { mkl_.destroy(a_); }
    mkl_matrix(mkl_matrix const&) = delete;
    mkl_matrix& operator=(mkl_matrix const&) = delete;

    handle get() const { return a_; }
    /// What MKL was given; what it keeps beside that it does not say.
    std::int64_t bytes() const {
        return std::ssize(offsets_) * 4 + std::ssize(columns_) * static_cast<std::int64_t>(4 + sizeof(T));
    }

  private:
    onemkl::library const& mkl_;
    std::vector<int> offsets_;
    std::vector<int> columns_;
    std::vector<T> values_;
    handle a_ = nullptr;
};

template <class T>
class mkl_product final : public host_product<T> {
  public:
    /// a: what.a, or its upper half.
    mkl_product(onemkl::library const& mkl, problem<T> const& what, csr<T> const& a, matrix_descr descr, int threads)
        : host_product<T>({}, what),
          mkl_(mkl),
          descr_(descr),
          operation_(what.transpose && descr.type == matrix_descr::general ? transpose_operation : non_transpose) {
        double const seconds = seconds_of([&] { a_.emplace(mkl, a); });
        double const optimize_seconds = seconds_of([&] { optimize(); });
        this->record = describe(what, descr.type == matrix_descr::general ? "mkl" : "mkl-symmetric", a_->bytes(),
                                threads, seconds);
        this->record.m.plan_seconds = optimize_seconds;
        this->record.m.mode = "optimized";
    }

    void multiply() override {
        check(mkl_.of<T>().mv(operation_, T(1), a_->get(), descr_, this->x_.data(), T(0), this->y_.data()),
              "mkl_sparse_mv");
    }

  private:
    void optimize() {
        check(mkl_.set_mv_hint(a_->get(), operation_, descr_, expected_calls), "mkl_sparse_set_mv_hint");
        check(mkl_.optimize(a_->get()), "mkl_sparse_optimize");
    }

    onemkl::library const& mkl_;
    matrix_descr descr_;
    int operation_;
    std::optional<mkl_matrix<T>> a_;
};

template <class T>
class mkl_columns_product final : public columns_product<T> {
  public:
    /// a: the problem's, or its upper half.
    mkl_columns_product(onemkl::library const& mkl, columns_problem<T> const& what, csr<T> const& a, matrix_descr descr,
                        dense_layout layout, int threads)
        : columns_product<T>({}, what, layout),
          mkl_(mkl),
          descr_(descr),
          operation_(what.bases.front().transpose && descr.type == matrix_descr::general ? transpose_operation
                                                                                         : non_transpose),
          layout_(layout == dense_layout::row_major ? layout_row_major : layout_column_major) {
        double const seconds = seconds_of([&] { a_.emplace(mkl, a); });
        double const optimize_seconds = seconds_of([&] { optimize(); });
        std::string const name = descr.type == matrix_descr::general ? "mkl" : "mkl-symmetric";
        this->record = describe(what, layout == dense_layout::row_major ? name : name + " by columns", a_->bytes(),
                                threads, seconds);
        this->record.library = "mkl";
        this->record.m.plan_seconds = optimize_seconds;
        this->record.m.mode = "optimized";
    }

    void multiply() override {
        auto const x = this->x();
        auto const y = this->y();
        check(mkl_.of<T>().mm(operation_, T(1), a_->get(), descr_, layout_, x.data(), static_cast<int>(this->columns()),
                              static_cast<int>(x.leading_dimension()), T(0), y.data(),
                              static_cast<int>(y.leading_dimension())),
              "mkl_sparse_mm");
    }

  private:
    void optimize() {
        check(
            mkl_.set_mm_hint(a_->get(), operation_, descr_, layout_, static_cast<int>(this->columns()), expected_calls),
            "mkl_sparse_set_mm_hint");
        check(mkl_.optimize(a_->get()), "mkl_sparse_optimize");
    }

    onemkl::library const& mkl_;
    matrix_descr descr_;
    int operation_, layout_;
    std::optional<mkl_matrix<T>> a_;
};

template <class T>
std::unique_ptr<product<T>> multiply(problem<T> const& what, int threads) {
    check_32_bit_indices(what.a);
    auto const& mkl = onemkl::find().functions.value();
    mkl.set_num_threads(threads);
    return std::make_unique<mkl_product<T>>(mkl, what, what.a, matrix_descr{}, threads);
}

constexpr matrix_descr symmetric_by_upper{matrix_descr::symmetric, matrix_descr::upper, matrix_descr::non_unit};

template <class T>
std::unique_ptr<product<T>> multiply_symmetric(problem<T> const& what, int threads) {
    check_32_bit_indices(what.a);
    auto const upper = upper_half(what.a);
    if (!upper) return nullptr;
    auto const& mkl = onemkl::find().functions.value();
    mkl.set_num_threads(threads);
    return std::make_unique<mkl_product<T>>(mkl, what, *upper, symmetric_by_upper, threads);
}

/// A matrix that MKL made.
template <class T>
class made_by_mkl {
  public:
    made_by_mkl(onemkl::library const& mkl, handle a) : mkl_(&mkl), a_(a) {}
    made_by_mkl(made_by_mkl&& other) noexcept : mkl_(other.mkl_), a_(std::exchange(other.a_, nullptr)) {}
    ~made_by_mkl() {
        if (a_) mkl_->destroy(a_);
    }
    handle get() const noexcept { return a_; }

    csr<T> rows() const {
        int base = 0, row_count = 0, column_count = 0;
        int *begins = nullptr, *ends = nullptr, *columns = nullptr;
        T* values = nullptr;
        check(mkl_->of<T>().export_csr(a_, &base, &row_count, &column_count, &begins, &ends, &columns, &values),
              "mkl_sparse_export_csr");
        csr<T> a{row_count, column_count, {0}, {}, {}};
        for (int i = 0; i < row_count; ++i) {
            a.column_indices.insert(a.column_indices.end(), columns + begins[i], columns + ends[i]);
            a.values.insert(a.values.end(), values + begins[i], values + ends[i]);
            a.row_offsets.push_back(std::ssize(a.values));
        }
        return a;
    }

  private:
    onemkl::library const* mkl_;
    handle a_;
};

/// mkl_sparse_?_add takes its first operand transposed if it is told so; a second one is transposed before. Columns of
/// a sum with a transposed operand are put in order, as those of A and B are.
template <class T>
std::unique_ptr<addition<T>> add(sum_problem<T> const& what, int threads) {
    if (what.expected.c.entry_count() > std::numeric_limits<int>::max()) return nullptr;
    auto const& mkl = onemkl::find().functions.value();
    mkl.set_num_threads(threads);
    auto [a, seconds_a] = timed([&] { return std::make_unique<mkl_matrix<T>>(mkl, what.a.matrix); });
    auto [b, seconds_b] = timed([&] { return std::make_unique<mkl_matrix<T>>(mkl, what.b.matrix); });
    auto r = describe(what, "mkl", a->bytes() + b->bytes(), threads, seconds_a + seconds_b);
    // B^T + A is A + B^T.
    bool const swapped = what.b.transpose && !what.a.transpose;
    bool const both = what.a.transpose && what.b.transpose, any = what.a.transpose || what.b.transpose;
    auto sum = [=, &mkl, a = std::move(a), b = std::move(b)] {
        handle first = swapped ? b->get() : a->get(), second = swapped ? a->get() : b->get();
        std::optional<made_by_mkl<T>> turned;
        if (both) {
            handle made = nullptr;
            check(mkl.convert_csr(second, transpose_operation, &made), "mkl_sparse_convert_csr");
            second = turned.emplace(mkl, made).get();
        }
        handle made = nullptr;
        check(mkl.of<T>().add(any ? transpose_operation : non_transpose, first, T(1), second, &made), "mkl_sparse_add");
        made_by_mkl<T> c(mkl, made);
        if (any) check(mkl.order(made), "mkl_sparse_order");
        return c;
    };
    return sum_by(
        std::move(r), what, std::move(sum), [](made_by_mkl<T> const& c) { return c.rows(); },
        [rows = what.expected.c.row_count, entries = what.expected.c.entry_count()](made_by_mkl<T> const&) {
            return 4 * (rows + 1) + entries * static_cast<std::int64_t>(4 + sizeof(T));
        });
}

}  // namespace

both_directions mkl_both_directions(csr<double> const& a, int threads) {
    auto const& found = onemkl::find();
    if (!found.functions) return {};
    check_32_bit_indices(a);
    auto const& mkl = *found.functions;
    mkl.set_num_threads(threads);
    auto const stored = std::make_shared<mkl_matrix<double>>(mkl, a);
    for (int operation : {non_transpose, transpose_operation})
        check(mkl.set_mv_hint(stored->get(), operation, matrix_descr(), expected_calls), "mkl_sparse_set_mv_hint");
    check(mkl.optimize(stored->get()), "mkl_sparse_optimize");
    return [&mkl, stored](bool transpose, double alpha, double const* x, double beta, double* y) {
        check(mkl.of<double>().mv(transpose ? transpose_operation : non_transpose, alpha, stored->get(), matrix_descr(),
                                  x, beta, y),
              "mkl_sparse_mv");
    };
}

template <class T>
peer<T> mkl_peer() {
    auto const& found = onemkl::find();
    if (!found.functions)
        return {"mkl", std::nullopt,
                "MKL (" + found.why_not + "; bench/run --peers installs it, or COPSE_MKL names its folder)"};
    return {.format = "mkl",
            .version = found.functions->version,
            .products = {{"mkl", multiply<T>}, {"mkl-symmetric", multiply_symmetric<T>}},
            .add = add<T>};
}

template <class T>
columns_products<T> mkl_columns(columns_problem<T> const& what, int threads, complaint const& complain) {
    columns_products<T> all;
    try {
        if (!onemkl::find().functions) throw error(mkl_peer<T>().absence);
        csr<T> const& a = what.bases.front().a;
        check_32_bit_indices(a);
        auto const& mkl = *onemkl::find().functions;
        mkl.set_num_threads(threads);
        auto const upper = upper_half(a);
        for (auto const layout : {dense_layout::row_major, dense_layout::column_major}) {
            auto const add = [&](csr<T> const& stored, matrix_descr descr) {
                all.push_back(std::make_unique<mkl_columns_product<T>>(mkl, what, stored, descr, layout, threads));
            };
            add(a, {});
            if (upper) add(*upper, symmetric_by_upper);
        }
    } catch (std::exception const& e) {
        complain(std::string("MKL takes no part: ") + e.what());
        all.clear();
    }
    return all;
}

template columns_products<float> mkl_columns(columns_problem<float> const&, int, complaint const&);
template columns_products<double> mkl_columns(columns_problem<double> const&, int, complaint const&);
template peer<float> mkl_peer();
template peer<double> mkl_peer();

}  // namespace copse::bench
