// Products with several columns on a GPU, Y <- A X and Y <- A^T X: HiSparse beside cusparseSpMM, in one process.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <copse/algebra/spmm.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <memory>
#include <utility>

#include "bench/gpu_comparison/cusparse_handle.hpp"
#include "bench/gpu_comparison/product.hpp"
#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "bench/harness/columns.hpp"
#include "bench/harness/options.hpp"

namespace copse::bench {
namespace {

constexpr auto by_rows = dense_layout::row_major, by_columns = dense_layout::column_major;

struct arguments : program_arguments {
    int columns = 8;
};

/// X and Y in device memory, without gaps. The problem must outlive it.
template <class T>
class gpu_columns : public gpu_entrant {
  public:
    gpu_columns(gpu_clock& clock, race_record r, columns_problem<T> const& what, dense_layout layout)
        : gpu_entrant(clock, std::move(r)),
          what_(what),
          layout_(layout),
          x_(executor(), what.x(layout).to_host()),
          y_(executor(), what.y_rows() * what.columns) {}

    void set_up(int) override { poison(executor(), y_.data(), y_.bytes()); }
    double largest_error(int) override {
        auto const here = y_.to_host();
        return what_.largest_error(view<T const>(vector_view<T const>(here), what_.y_rows()));
    }

  protected:
    dense_view<T const> x() const { return view<T const>(vector_view<T const>(x_), what_.x_rows()); }
    dense_view<T> y() const { return view<T>(y_.view(), what_.y_rows()); }
    columns_problem<T> const& what() const { return what_; }

  private:
    template <class V>
    dense_view<V> view(vector_view<V> memory, std::int64_t rows) const {
        return {memory, rows, what_.columns, layout_ == by_rows ? what_.columns : rows, layout_};
    }

    columns_problem<T> const& what_;
    dense_layout layout_;
    buffer<T> x_, y_;
};

template <class T>
race_record describe_on_gpu(columns_problem<T> const& what, std::string library, std::string variant,
                            dense_layout layout, std::string format, std::int64_t bytes) {
    auto r = describe(what, std::move(format), bytes, 1, 0);
    r.library = std::move(library);
    r.variant = std::move(variant) + (layout == by_rows ? "" : " by columns");
    r.m.on = "gpu";
    return r;
}

/// By the matrix or by a plan: both wait, and the wall clock counts the launches.
template <class T, class Matrix>
class our_columns final : public gpu_columns<T> {
  public:
    our_columns(gpu_clock& clock, race_record r, columns_problem<T> const& what, dense_layout layout, Matrix op_a)
        : gpu_columns<T>(clock, std::move(r), what, layout), op_a_(std::move(op_a)) {}
    std::optional<run_report> call(int) override {
        spmm(this->executor(), T(1), op_a_, this->x(), T(0), this->y());
        return std::nullopt;
    }

  private:
    Matrix op_a_;
};

template <class T, class Matrix>
std::unique_ptr<entrant> ours(gpu_clock& clock, columns_problem<T> const& what, dense_layout layout,
                              std::string const& how, Matrix const& op_a, std::int64_t bytes) {
    auto r = describe_on_gpu(what, "copse", "hisparse " + how, layout, "hisparse", bytes);
    r.clock = "wall";
    if (how == "plan") r.m.mode = how;
    return std::make_unique<our_columns<T, Matrix>>(clock, std::move(r), what, layout, op_a);
}

struct spmm_variant {
    char const* name;
    cusparseSpMMAlg_t algorithm;
    bool of_transpose;  // it takes CUSPARSE_OPERATION_TRANSPOSE
};
/// CSR_ALG3 has no transposed product.
constexpr std::array spmm_variants{spmm_variant{"csr default", CUSPARSE_SPMM_ALG_DEFAULT, true},
                                   spmm_variant{"csr alg1", CUSPARSE_SPMM_CSR_ALG1, true},
                                   spmm_variant{"csr alg2", CUSPARSE_SPMM_CSR_ALG2, true},
                                   spmm_variant{"csr alg3", CUSPARSE_SPMM_CSR_ALG3, false}};

using dense_handle = std::unique_ptr<cusparseDnMatDescr, decltype(cusparse_library::destroy_dense)>;

/// By cusparseSpMM, preprocessed. `rows`: of A, or of A^T where that is stored. A variant that cannot have the product
/// refuses it in prepare().
template <class T>
class cusparse_columns final : public gpu_columns<T> {
  public:
    cusparse_columns(gpu_clock& clock, race_record r, columns_problem<T> const& what, dense_layout layout,
                     std::shared_ptr<cusparse_handle const> handle, std::shared_ptr<device_csr<T> const> rows,
                     spmm_variant const& variant, bool by_operation)
        : gpu_columns<T>(clock, std::move(r), what, layout),
          handle_(std::move(handle)),
          rows_(std::move(rows)),
          algorithm_(variant.algorithm),
          operation_(by_operation ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE),
          matrix_(describe_csr(*handle_, rows_->view())),
          x_(describe_dense(const_cast<T*>(this->x().data()), this->x())),
          y_(describe_dense(this->y().data(), this->y())) {}

    void prepare() override {
        std::size_t bytes = 0;
        ask(handle_->library.spmm_buffer_size, &bytes, "cusparseSpMM_bufferSize");
        workspace_ = buffer<std::byte>(this->executor(), static_cast<std::int64_t>(bytes));
        this->record.kept_bytes = workspace_.size();
        this->record.prepare_seconds = seconds_of([&] {
            ask(handle_->library.spmm_preprocess, static_cast<void*>(workspace_.data()), "cusparseSpMM_preprocess");
            COPSE_CUDA_TRY(cudaStreamSynchronize(static_cast<cudaStream_t>(this->executor().stream())));
        });
    }
    std::optional<run_report> call(int) override {
        ask(handle_->library.spmm, static_cast<void*>(workspace_.data()), "cusparseSpMM");
        return std::nullopt;
    }

  private:
    template <class View>
    dense_handle describe_dense(T* data, View const& view) const {
        cusparseDnMatDescr_t dense = nullptr;
        handle_->check(handle_->library.create_dense(
                           &dense, view.row_count(), view.column_count(), view.leading_dimension(), data, data_type<T>,
                           view.layout() == by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
                       "cusparseCreateDnMat");
        return {dense, handle_->library.destroy_dense};
    }
    template <class Function, class Last>
    void ask(Function function, Last last, char const* name) {
        auto const status = function(*handle_, operation_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(),
                                     x_.get(), &zero, y_.get(), data_type<T>, algorithm_, last);
        if (status == CUSPARSE_STATUS_NOT_SUPPORTED) throw refusal(std::string(name) + ": not supported");
        handle_->check(status, name);
    }

    static constexpr T one = 1, zero = 0;
    std::shared_ptr<cusparse_handle const> handle_;
    std::shared_ptr<device_csr<T> const> rows_;
    cusparseSpMMAlg_t algorithm_;
    cusparseOperation_t operation_;
    matrix_handle matrix_;
    dense_handle x_, y_;
    buffer<std::byte> workspace_;
};

class comparison {
  public:
    explicit comparison(arguments const& a) : a_(a), program_("copse_spmm_gpu", "columns", a) {}

    int run() {
        auto const& names = !a_.matrices.empty() ? a_.matrices : a_.quick ? quick_gpu_suite : gpu_suite;
        return program_.for_each_matrix(
            "spmm", names,
            [&](std::string const& name, std::string const& type) {
                type == "float" ? measure_matrix<float>(name) : measure_matrix<double>(name);
            },
            [&](std::string const& name, std::string const& type) {
                return is_measured(name, type, false) && is_measured(name, type, true);
            });
    }

  private:
    bool is_measured(std::string const& name, std::string const& type, bool transpose) const {
        return program_.is_measured("spmm", name, type, transpose);
    }

    template <class T>
    void add_cusparse(gpu_entrants& all, columns_problem<T> const& what, std::shared_ptr<cusparse_handle const> handle,
                      std::shared_ptr<device_csr<T> const> rows, bool by_operation, bool keeps_transpose) {
        for (auto const layout : {by_rows, by_columns})
            for (auto const& variant : spmm_variants) {
                if (by_operation && !variant.of_transpose) continue;
                auto const name = std::string(variant.name) + (keeps_transpose ? " of stored A^T" : "");
                auto r = describe_on_gpu(what, "cusparse", name, layout, "csr", rows->bytes());
                r.clock = "events";
                r.keeps_transpose = keeps_transpose;
                if (!program_.is_left_out(r.name()))
                    all.push_back(std::make_unique<cusparse_columns<T>>(program_.clock(), std::move(r), what, layout,
                                                                        handle, rows, variant, by_operation));
            }
    }

    template <class T>
    void measure_matrix(std::string const& name) {
        program_.show("load");
        auto const a = load_for_gpu<T>(name);
        program_.show("convert");
        auto& executor = program_.executor();
        watchdog limit(program_.name(), "[" + work_on(name, type_name<T>) + "]", a_.quick ? 120 : 300);
        executor.set_controller(controller_for_preparations);
        hisparse<T> const tree(executor, a, {.node_dimension = a_.node_dimension});
        spmv_plan<T> const plan(executor, tree);
        auto const handle =
            program_.cusparse() ? std::make_shared<cusparse_handle const>(*program_.cusparse(), executor) : nullptr;
        auto const rows = handle ? std::make_shared<device_csr<T> const>(to_device(executor, a)) : nullptr;
        for (bool const transpose : {false, true}) {
            if (is_measured(name, type_name<T>, transpose)) continue;
            program_.show(transpose ? "A^T X" : "A X");
            columns_problem<T> const what(name, a, transpose, a_.columns);
            gpu_entrants all;
            if (handle) add_cusparse<T>(all, what, handle, rows, transpose, false);
            if (handle && transpose)
                add_cusparse<T>(all, what, handle,
                                std::make_shared<device_csr<T> const>(to_device(executor, copse::transpose(a))), false,
                                true);
            auto const add = [&](std::unique_ptr<entrant> one) {
                if (!program_.is_left_out(one->record.name())) all.push_back(std::move(one));
            };
            for (auto const layout : {by_rows, by_columns})
                add(ours(program_.clock(), what, layout, "plan", transpose ? transposed(plan) : plan,
                         tree.bytes() + plan.bytes()));
            add(ours(program_.clock(), what, by_rows, "one-shot", transpose ? transposed(tree) : tree, tree.bytes()));
            program_.race(all);
        }
    }

    arguments a_;
    gpu_program program_;
};

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    arguments a;
    return run_program(
        "copse_spmm_gpu", "products with several columns on a GPU: HiSparse beside cusparseSpMM, checked and timed",
        argc, argv, a, [&] { return comparison(a).run(); },
        [&](CLI::App& app) { add_whole(app, "--columns", a.columns, 1, 256, "of X and Y (default 8)"); });
}
