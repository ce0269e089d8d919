// What the papers measured, as far as they print numbers: shown beside ours.
#pragma once

#include <optional>
#include <string>

namespace copse::bench {

/// Anzt, Tomov, Dongarra, Table III: seconds of a product in double. MKL on two Xeon E5-2670 (16 cores), the others on
/// a Tesla K40c.
struct sellp_figures {
    double mkl_csr;
    double sellp;
    double cusparse_csr;
    double cusparse_hyb;
};

/// By the name in the table; none for another.
std::optional<sellp_figures> sellp_figures_of(std::string const& name);

/// Liu & Vinter, Table 3, of one format on one machine: the conversion in products of the fastest CSR there, and
/// speedups over it with 50 and 500 products behind the conversion, mean and best over the group.
struct scenario_figures {
    double conversion;
    double mean_50, best_50;
    double mean_500, best_500;
};

/// CSR5's on two Xeon E5-2667 v3, or on a GeForce GTX 980; over the regular matrices, or the irregular ones.
scenario_figures scenario_figures_of(bool on_gpu, bool regular);

/// Liu & Vinter, §5.4: the mean loss of the rule on the GTX 980, Figure 9.
inline constexpr double sigma_loss_figure = 0.042;

/// Koza et al., §6.5: (6.2) on a K20M in double, with strips of 4.
struct efficiency_figures {
    double most;   // eta-
    double least;  // eta+
};

/// By the name in the text; none for another.
std::optional<efficiency_figures> efficiency_figures_of(std::string const& name);

}  // namespace copse::bench
