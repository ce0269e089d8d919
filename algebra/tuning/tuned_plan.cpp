#include <copse/algebra/tuning/format_plan.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <iterator>

namespace copse {
namespace {

constexpr std::string_view of_a = "A: ", of_transpose = ", A^T: ";

matrix_format format_of_verdict(std::string_view name, std::string_view text) {
    if (auto const format = matrix_format_named(name)) return *format;
    std::string names;
    for (auto const known : matrix_format_names) names += (names.empty() ? "" : ", ") + std::string(known);
    throw argument_error("format_verdict: '" + std::string(name) + "' in '" + std::string(text) +
                         "' is no format; there are " + names);
}

}  // namespace

format_verdict::format_verdict(std::string_view text) {
    if (!text.starts_with(of_a))
        throw argument_error("format_verdict: '" + std::string(text) +
                             "' does not begin with 'A: '; a verdict reads 'A: csr5, A^T: cmrs', or 'A: csr5'");
    auto const first = text.substr(of_a.size());
    auto const comma = first.find(of_transpose);
    stored = format_of_verdict(first.substr(0, comma), text);
    if (comma != first.npos) transposed = format_of_verdict(first.substr(comma + of_transpose.size()), text);
}

std::string format_verdict::text() const {
    auto result = std::string(of_a) + std::string(name_of(stored));
    if (transposed) result += std::string(of_transpose) + std::string(name_of(*transposed));
    return result;
}

template <class T>
template <any_executor Executor>
tuned_plan<T>::tuned_plan(Executor& executor, csr<T> const& a, format_verdict verdict)
    : verdict_(std::move(verdict)), stored_(detail::plan_in_format(executor, a, verdict_.stored)) {
    // The transpose of a plan is in its format; of SELL-P that is trimmed, other rows are long.
    bool const turned_is_alike = verdict_.stored != matrix_format::sellp_trimmed;
    if (verdict_.transposed && (*verdict_.transposed != verdict_.stored || !turned_is_alike))
        turned_ = detail::plan_in_format(executor, transpose(a), *verdict_.transposed);
}

template <class T>
std::int64_t tuned_plan<T>::row_count() const noexcept {
    std::int64_t rows = 0;
    detail::for_each_plan<T>(stored_, [&](auto const& p) { rows = p.row_count(); });
    return rows;
}
template <class T>
std::int64_t tuned_plan<T>::column_count() const noexcept {
    std::int64_t columns = 0;
    detail::for_each_plan<T>(stored_, [&](auto const& p) { columns = p.column_count(); });
    return columns;
}

template <class T>
std::int64_t tuned_plan<T>::bytes() const {
    std::int64_t bytes = 0;
    auto const add = [&](auto const& p) { bytes += p.matrix().bytes() + p.bytes(); };
    detail::for_each_plan<T>(stored_, add);
    if (turned_) detail::for_each_plan<T>(*turned_, add);
    return bytes;
}

template <class T>
tuned_plan<T> tuned_plan<T>::transposed() const {
    auto result = *this;
    if (result.turned_) {
        std::swap(result.stored_, *result.turned_);
        std::swap(result.verdict_.stored, *result.verdict_.transposed);
    } else {
        result.stored_ = detail::turned<T>(stored_);
    }
    return result;
}

template <class T>
tuned_plan<T> tuned_plan<T>::scaled(T factor) const {
    auto result = *this;
    auto const scale = [&](auto const& p) { return p.scaled(factor); };
    result.stored_ = detail::changed<T>(stored_, scale);
    if (turned_) result.turned_ = detail::changed<T>(*turned_, scale);
    return result;
}

template class tuned_plan<float>;
template class tuned_plan<double>;

#define COPSE_INSTANCES(executor, type)                                                                    \
    template tuned_plan<type>::tuned_plan(executor&, csr<type> const&, format_verdict);                    \
    template detail::format_plan<type> detail::plan_in_format(executor&, csr<type> const&, matrix_format); \
    template void detail::multiply_by_format_plan(executor&, type, detail::format_plan<type> const&,       \
                                                  vector_view<type const>, type, vector_view<type>);
COPSE_INSTANCES(cpu, float)
COPSE_INSTANCES(cpu, double)
COPSE_INSTANCES(emulated, float)
COPSE_INSTANCES(emulated, double)
COPSE_INSTANCES(gpu, float)
COPSE_INSTANCES(gpu, double)
#undef COPSE_INSTANCES

}  // namespace copse
