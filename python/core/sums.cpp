// Sums whose structure stays: copse.SumPlan. See copse/algebra/add.hpp.
#include "arrays.hpp"
#include "matrix.hpp"
#include "module.hpp"

#include <nanobind/stl/vector.h>
#include <copse/algebra/add.hpp>
#include <copse/runtime/error.hpp>
#include <mutex>
#include <span>

namespace copse::python {
namespace {

template <class T>
struct recorded {
    place where;
    sum_plan<T> plan;
    std::shared_ptr<plans_of<hisparse<T>>> products;  // of the last sum; the next one has its structure
};

using operand_list = std::vector<matrix const*>;

template <class T>
std::vector<hisparse<T>> trees_of(operand_list const& operands, place where) {
    std::vector<hisparse<T>> trees;
    for (matrix const* m : operands) trees.push_back(m->tree<T>("SumPlan", where));
    return trees;
}

/// A plan of sums, and the plan of products with what it gave last. Thread-safe.
class sums {
  public:
    explicit sums(operand_list const& operands) : recorded_(record(operands)) {}

    matrix add(std::vector<double> const& factors, operand_list const& operands) {
        return std::visit(
            [&]<class T>(recorded<T>& r) {
                auto const trees = trees_of<T>(operands, r.where);
                nb::gil_scoped_release const release;
                std::vector<T> const of_type(factors.begin(), factors.end());
                auto const add = [&](auto& e) {
                    return copse::add(e, r.plan, std::span<T const>(of_type), std::span<hisparse<T> const>(trees));
                };
                held<hisparse<T>> sum{watched(r.plan.entry_count(), [&] { return on(r.where, add); }), r.where};
                std::scoped_lock const lock(mutex_);
                if (r.products) sum.plans = r.products->updated(sum.stored());
                r.products = sum.plans;
                return matrix(std::move(sum));
            },
            recorded_);
    }
    std::int64_t entries() const {
        return std::visit([](auto const& r) { return r.plan.entry_count(); }, recorded_);
    }
    std::int64_t bytes() const {
        return std::visit([](auto const& r) { return r.plan.bytes(); }, recorded_);
    }

  private:
    using any_recorded = std::variant<recorded<float>, recorded<double>>;

    static any_recorded record(operand_list const& operands) {
        if (operands.empty()) throw argument_error("SumPlan: there is no operand; give two matrices or more");
        return operands.front()->visit_tree("SumPlan", [&]<class T>(held<hisparse<T>> const& h) -> any_recorded {
            auto const trees = trees_of<T>(operands, h.where);
            nb::gil_scoped_release const release;
            std::int64_t entries = 0;
            for (auto const& tree : trees) entries += tree.entry_count();
            auto const record = [&](auto& e) { return sum_plan<T>(e, std::span<hisparse<T> const>(trees)); };
            return watched(4 * entries, [&] {  // recording takes longer than a sum
                return recorded<T>{h.where, on(h.where, record), nullptr};
            });
        });
    }

    any_recorded recorded_;
    std::mutex mutex_;
};

}  // namespace

void add_sums(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<sums>(m, "sums", "Where the values of operands go in their sum.")
        .def(nb::init<operand_list const&>(), "operands"_a)
        .def("add", &sums::add, "factors"_a, "operands"_a, "factors[0] operands[0] + factors[1] operands[1] + ...")
        .def_prop_ro("nnz", &sums::entries)
        .def_prop_ro("nbytes", &sums::bytes);
}

}  // namespace copse::python
