// cuSPARSE's sums in the comparison on a GPU.
#include <copse/runtime/gpu/cuda_try.cuh>
#include <optional>

#include "bench/gpu_comparison/cusparse_handle.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/sum.hpp"

namespace copse::bench {
namespace {

using description = std::unique_ptr<cusparseMatDescr, decltype(cusparse_library::destroy_description)>;

/// General, with indices from 0 on: what a new description says.
description describe_plain(cusparse_handle const& handle) {
    cusparseMatDescr_t made = nullptr;
    handle.check(handle.library.create_description(&made), "cusparseCreateMatDescr");
    return {made, handle.library.destroy_description};
}

template <class T>
auto sum_buffer_size(cusparse_library const& library) {
    if constexpr (std::is_same_v<T, float>)
        return library.sum_buffer_size_float;
    else
        return library.sum_buffer_size_double;
}
template <class T>
auto sum_function(cusparse_library const& library) {
    if constexpr (std::is_same_v<T, float>)
        return library.sum_float;
    else
        return library.sum_double;
}

template <class T>
void poison_rows(gpu& executor, device_csr<T> const& a) {
    poison(executor, a.row_offsets.data(), a.row_offsets.bytes());
    poison(executor, a.column_indices.data(), a.column_indices.bytes());
    poison(executor, a.values.data(), a.values.bytes());
}

/// C <- A + B, all by rows. Gets a workspace and C's memory unless there is enough in what is given.
template <class T>
class csrgeam2_call {
  public:
    csrgeam2_call(cusparse_handle const& handle, bool reserves)
        : handle_(handle), description_(describe_plain(handle)), reserves_(reserves) {}

    void reserve(device_csr_view<T> const& a, device_csr_view<T> const& b) {
        if (!reserves_) return;
        c_ = make_device_csr<T>(handle_.executor, a.row_count, a.column_count, a.entry_count + b.entry_count);
        workspace_ = buffer<std::byte>(handle_.executor, static_cast<std::int64_t>(workspace_bytes(a, b)));
    }
    void run(device_csr_view<T> const& a, device_csr_view<T> const& b) {
        if (!reserves_) c_.row_offsets = buffer<std::int32_t>(handle_.executor, a.row_count + 1);
        c_.row_count = a.row_count;
        c_.column_count = a.column_count;
        auto const bytes = workspace_bytes(a, b);
        if (!reserves_) workspace_ = buffer<std::byte>(handle_.executor, static_cast<std::int64_t>(bytes));
        count(a, b);
        if (!reserves_) {
            c_.column_indices = buffer<std::int32_t>(handle_.executor, entries_);
            c_.values = buffer<T>(handle_.executor, entries_);
        }
        auto const add = sum_function<T>(handle_.library);
        handle_.check(add(handle_, rows(a), columns(a), &one, description_.get(), entries(a), a.values, a.row_offsets,
                          a.column_indices, &one, description_.get(), entries(b), b.values, b.row_offsets,
                          b.column_indices, description_.get(), c_.values.data(), c_.row_offsets.data(),
                          c_.column_indices.data(), workspace_.data()),
                      "cusparse<t>csrgeam2");
        if (!reserves_) workspace_ = {};  // waits for the sum, as cudaFree does
    }
    void spoil() {
        if (!reserves_) return;
        poison_rows(handle_.executor, c_);
        poison(handle_.executor, workspace_.data(), workspace_.bytes());
    }
    void forget() {
        if (reserves_) return;
        c_ = {};
        workspace_ = {};
    }

    device_csr<T> const& c() const { return c_; }
    std::int64_t result_entries() const { return entries_; }
    std::int64_t reserved_bytes() const { return reserves_ ? c_.bytes() + workspace_.size() : 0; }

  private:
    static int rows(device_csr_view<T> const& a) { return static_cast<int>(a.row_count); }
    static int columns(device_csr_view<T> const& a) { return static_cast<int>(a.column_count); }
    static int entries(device_csr_view<T> const& a) { return static_cast<int>(a.entry_count); }

    std::size_t workspace_bytes(device_csr_view<T> const& a, device_csr_view<T> const& b) const {
        std::size_t bytes = 0;
        auto const ask = sum_buffer_size<T>(handle_.library);
        handle_.check(
            ask(handle_, rows(a), columns(a), &one, description_.get(), entries(a), a.values, a.row_offsets,
                a.column_indices, &one, description_.get(), entries(b), b.values, b.row_offsets, b.column_indices,
                description_.get(), c_.values.data(), c_.row_offsets.data(), c_.column_indices.data(), &bytes),
            "cusparse<t>csrgeam2_bufferSizeExt");
        return bytes;
    }
    /// C's rows; waits for the number of its entries.
    void count(device_csr_view<T> const& a, device_csr_view<T> const& b) {
        int found = 0;
        handle_.check(
            handle_.library.count_sum(handle_, rows(a), columns(a), description_.get(), entries(a), a.row_offsets,
                                      a.column_indices, description_.get(), entries(b), b.row_offsets, b.column_indices,
                                      description_.get(), c_.row_offsets.data(), &found, workspace_.data()),
            "cusparseXcsrgeam2Nnz");
        entries_ = found;
    }

    static constexpr T one = 1;
    cusparse_handle const& handle_;
    description description_;
    bool reserves_;
    buffer<std::byte> workspace_;
    device_csr<T> c_;
    std::int64_t entries_ = 0;
};

/// What csr2csc makes of an operand, or of C.
enum class turning { none, operands, stored, result };

struct cusparse_way {
    char const* name;
    turning how;
    bool reserves;

    /// From call to call: what is stored, or room.
    bool keeps_turned() const { return how == turning::stored || (how == turning::operands && reserves); }
};

template <class T>
device_csr<T> room_for_transpose(gpu const& executor, device_csr_view<T> const& a) {
    return make_device_csr<T>(executor, a.column_count, a.row_count, a.entry_count);
}

template <class T>
class cusparse_addition final : public gpu_sum<T> {
  public:
    cusparse_addition(std::shared_ptr<cusparse_handle> handle, sum_on_gpu<T> const& what, cusparse_way way)
        : handle_(std::move(handle)), what_(what), way_(way), sum_(*handle_, way.reserves) {}

    void prepare() override {
        if (way_.keeps_turned()) turn_operands();
        if (way_.reserves) sum_.reserve(a(), b());
        wait();
    }
    std::optional<run_report> run() override {
        if (way_.how == turning::operands) turn_operands();
        sum_.run(a(), b());
        forget_turned();
        if (way_.how == turning::result) turn_result();
        wait();
        return std::nullopt;
    }
    void spoil() override {
        sum_.spoil();
        if (way_.how != turning::operands) return;
        poison_rows(handle_->executor, turned_a_.rows);
        poison_rows(handle_->executor, turned_b_.rows);
    }
    void forget() override {
        sum_.forget();
        forget_turned();
        turned_c_ = {};
    }
    csr<T> result() const override {
        auto const& c = this->c();
        csr<T> host;
        host.row_count = c.row_count;
        host.column_count = c.column_count;
        auto const offsets = c.row_offsets.to_host();
        host.row_offsets.assign(offsets.begin(), offsets.end());
        host.column_indices = c.column_indices.to_host();
        host.values = c.values.to_host();
        host.column_indices.resize(static_cast<std::size_t>(sum_.result_entries()));
        host.values.resize(static_cast<std::size_t>(sum_.result_entries()));
        return host;
    }
    rows_of_sum<T> rows_on_gpu() const override {
        auto const& c = this->c();
        auto const offsets =
            std::make_shared<buffer<std::int64_t> const>(widen_offsets(handle_->executor, c.row_offsets));
        return {{c.row_count, c.column_count, offsets->data(), c.column_indices.data(), c.values.data()},
                sum_.result_entries(),
                false,
                offsets};
    }
    std::int64_t result_bytes() const override {
        auto const& c = this->c();
        return sum_.result_entries() * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T)) +
               static_cast<std::int64_t>(c.row_offsets.bytes());
    }
    std::int64_t kept_bytes() const override {
        return sum_.reserved_bytes() + (way_.keeps_turned() ? turned_a_.bytes() + turned_b_.bytes() : 0);
    }

  private:
    /// Rows of a transpose. `fill`, where they are filled in each run and their room is there before.
    struct turned_rows {
        device_csr<T> rows;
        std::optional<transpose_call<T>> fill;

        std::int64_t bytes() const { return rows.bytes() + (fill ? fill->workspace_bytes() : 0); }
    };

    bool turns(bool transpose) const {
        return transpose && (way_.how == turning::operands || way_.how == turning::stored);
    }
    device_csr_view<T> a() const { return turns(what_.a.transpose) ? turned_a_.rows.view() : what_.a.rows; }
    device_csr_view<T> b() const { return turns(what_.b.transpose) ? turned_b_.rows.view() : what_.b.rows; }
    device_csr<T> const& c() const { return way_.how == turning::result ? turned_c_.rows : sum_.c(); }

    void turn(device_csr_view<T> const& from, turned_rows& to) {
        if (!to.fill) {
            to.rows = room_for_transpose(handle_->executor, from);
            to.fill.emplace(*handle_, from, to.rows.view());
        }
        to.fill->run(*handle_);
        if (way_.how != turning::operands || !way_.reserves) to.fill.reset();
    }
    void turn_operands() {
        if (turns(what_.a.transpose)) turn(what_.a.rows, turned_a_);
        if (turns(what_.b.transpose)) turn(what_.b.rows, turned_b_);
    }
    void forget_turned() {
        if (way_.how != turning::operands || way_.reserves) return;
        turned_a_ = {};
        turned_b_ = {};
    }
    void turn_result() { turn(sum_.c().view(), turned_c_); }
    void wait() const { COPSE_CUDA_TRY(cudaStreamSynchronize(static_cast<cudaStream_t>(handle_->executor.stream()))); }

    std::shared_ptr<cusparse_handle> handle_;
    sum_on_gpu<T> what_;
    cusparse_way way_;
    csrgeam2_call<T> sum_;
    turned_rows turned_a_, turned_b_, turned_c_;
};

std::vector<cusparse_way> ways_of(bool transpose_a, bool transpose_b) {
    if (!transpose_a && !transpose_b)
        return {{"csrgeam2", turning::none, false}, {"csrgeam2, memory there", turning::none, true}};
    std::vector<cusparse_way> ways{{"csr2csc + csrgeam2", turning::operands, false},
                                   {"csr2csc + csrgeam2, memory there", turning::operands, true},
                                   {"csrgeam2, transposed stored", turning::stored, false},
                                   {"csrgeam2, transposed stored, memory there", turning::stored, true}};
    if (transpose_a && transpose_b) ways.push_back({"csrgeam2 + csr2csc", turning::result, false});
    return ways;
}

}  // namespace

template <class T>
std::vector<sum_way<T>> cusparse_sums(cusparse_library const& library, gpu& executor, sum_on_gpu<T> const& what) {
    auto const handle = std::make_shared<cusparse_handle>(library, executor);
    std::vector<sum_way<T>> all;
    for (auto const& way : ways_of(what.a.transpose, what.b.transpose)) {
        auto r = describe(what, "cusparse", way.name, what.a.rows.bytes() + what.b.rows.bytes());
        r.keeps_transpose = way.how == turning::stored;
        std::int64_t bytes_to_keep = 0;
        for (auto const* addend : {&what.a, &what.b}) {
            if (way.keeps_turned() && addend->transpose) bytes_to_keep += addend->rows.bytes();
            if (way.reserves) bytes_to_keep += addend->rows.bytes();  // its share of C
        }
        all.push_back(
            {std::move(r),
             [=](sum_on_gpu<T> const& of_set) { return std::make_unique<cusparse_addition<T>>(handle, of_set, way); },
             bytes_to_keep});
    }
    return all;
}

template std::vector<sum_way<float>> cusparse_sums(cusparse_library const&, gpu&, sum_on_gpu<float> const&);
template std::vector<sum_way<double>> cusparse_sums(cusparse_library const&, gpu&, sum_on_gpu<double> const&);

}  // namespace copse::bench
