// A x and A^T w of one plan, and A^T (A x), beside each other: as two products and as one launch, or part by part.
#include <algorithm>
#include <cmath>
#include <copse/algebra/replay_gpu.cuh>
#include <copse/algebra/spmv_both.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <cstddef>
#include <limits>

#include "bench/gpu_comparison/product.hpp"

namespace copse::bench {
namespace {

template <class T>
struct store_rows {
    T* y;
    COPSE_HOST_DEVICE void operator()(std::int64_t i, T& t) const { y[i] = t; }
};

/// What a set needs besides its x and y.
template <class T>
struct other_vectors {
    buffer<T> w, z;
};

template <class T>
class gpu_both_products final : public gpu_entrant {
  public:
    gpu_both_products(gpu_clock& clock, race_record r, gpu_problem<T> const& what, copies_of<hisparse<T>> const& trees,
                      both_way const& way)
        : gpu_entrant(clock, std::move(r)), what_(what), trees_(trees), way_(way) {}

    void prepare() override {
        executor().set_controller(controller_for_preparations);
        for (std::size_t set = 0; set < trees_.of_set.size(); ++set) {
            auto const& tree = trees_.of_set[set];
            plans_.emplace_back(executor(), what_.transpose ? tree.transposed() : tree, plan_directions::both);
            std::vector<T> w(static_cast<std::size_t>(plans_.back().row_count()));
            for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<T>(std::sin(static_cast<double>(i + set)));
            others_.push_back({buffer<T>(executor(), w), buffer<T>(executor(), plans_.back().column_count())});
        }
        record.kept_bytes = plans_.front().bytes();
    }
    void set_up(int set) override {
        for (buffer<T> const* v : {&vectors(set).y, &others(set).z}) poison(executor(), v->data(), v->bytes());
    }
    std::optional<run_report> call(int set) override {
        multiply(set, way_.is_normal, way_.choices, others(set).z);
        return std::nullopt;
    }
    /// z beside that of two products.
    double largest_error(int set) override {
        buffer<T> const& z = others(set).z;
        std::vector<T> const found = z.to_host();
        double const of_y = vectors(set).check(vectors(set).y);
        buffer<T> const apart(executor(), z.size());
        multiply(set, way_.is_normal, {}, apart);
        std::vector<T> const expected = apart.to_host();
        double largest = 0, distance = 0;
        for (std::size_t j = 0; j < found.size(); ++j) {
            largest = std::max(largest, std::abs(static_cast<double>(expected[j])));
            double const off = std::abs(static_cast<double>(found[j]) - static_cast<double>(expected[j]));
            distance = off <= distance ? distance : off;  // NaN stays
        }
        double const allowed = way_.is_normal ? 1000 * std::numeric_limits<T>::epsilon() * largest : 0;
        bool const is_right = distance <= allowed;
        return is_right ? of_y : std::numeric_limits<double>::infinity();
    }

  private:
    vector_set<T> const& vectors(int set) const { return what_.sets[static_cast<std::size_t>(set)]; }
    other_vectors<T> const& others(int set) const { return others_[static_cast<std::size_t>(set)]; }

    /// y <- A x; z <- A^T w, or A^T y.
    void multiply(int set, bool is_normal, detail::replay_choices const& choices, buffer<T> const& z) const {
        auto const& plan = plans_[static_cast<std::size_t>(set)];
        auto const& v = vectors(set);
        vector_view<T const> const w = is_normal ? vector_view<T const>(v.y.view()) : others(set).w.view();
        if (!is_normal || !choices.normal_by_parts)
            return detail::replay_both_on_gpu<T, T>(executor(), plan, {1, v.x, 0, v.y, 1, w, 0, z}, choices);
        detail::replay_normal_by_parts<T, T>(static_cast<cudaStream_t>(executor().stream()), plan, v.x,
                                             store_rows<T>{v.y.data()}, T(0), z.view(), v.y.data(), nullptr, choices);
    }

    gpu_problem<T> const& what_;
    copies_of<hisparse<T>> trees_;
    both_way way_;
    std::vector<spmv_plan<T>> plans_;
    std::vector<other_vectors<T>> others_;
};

}  // namespace

std::vector<both_way> both_ways() {
    return {{.name = "A x and A^T w, apart"},
            {.name = "A x and A^T w, at once", .choices = {.both_at_once = true}},
            {.name = "A^T (A x), apart", .is_normal = true},
            {.name = "A^T (A x), by parts", .is_normal = true, .choices = {.normal_by_parts = true}}};
}

template <class T>
std::unique_ptr<entrant> hisparse_both(gpu_clock& clock, gpu_problem<T> const& what,
                                       copies_of<hisparse<T>> const& trees, both_way const& way) {
    auto r = describe_ours(what, "hisparse", way.name, trees);
    r.m.mode = "plan";
    r.m.moved_bytes *= 2;  // as two products
    return std::make_unique<gpu_both_products<T>>(clock, std::move(r), what, trees, way);
}

template std::unique_ptr<entrant> hisparse_both(gpu_clock&, gpu_problem<float> const&,
                                                copies_of<hisparse<float>> const&, both_way const&);
template std::unique_ptr<entrant> hisparse_both(gpu_clock&, gpu_problem<double> const&,
                                                copies_of<hisparse<double>> const&, both_way const&);

}  // namespace copse::bench
