// PETSc's sequential compressed rows, seqaij: https://petsc.org. Its products know no threads, only MPI's processes, of
// which there is one here. Debian's packages hold it for double.
#include <fmt/format.h>

#include <cstdlib>
#include <type_traits>

#include "bench/peers/peers.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <petscmat.h>

namespace copse::bench {
namespace {

static_assert(std::is_same_v<PetscScalar, double>, "a PETSc of real numbers in double precision");

void check(int status, char const* call) {
    if (status != 0) throw error(fmt::format("PETSc: {} failed with code {}", call, status));
}

/// PETSc, and MPI below it, are started once, before the first matrix, and ended after the last one. MPI is to stay in
/// this process: no daemon, no network; and PETSc reads no file of options, and leaves signals and errors to us.
class library {
  public:
    static void use() { static library const started; }
    ~library() { PetscFinalize(); }

  private:
    library() {
        for (auto const* setting : {"ess_singleton_isolated=1", "btl=self", "plm_rsh_agent="}) set(setting);
        static char program[] = "copse_bench", no_file[] = "-skip_petscrc", no_handler[] = "-no_signal_handler";
        static char* arguments[] = {program, no_file, no_handler, nullptr};
        int count = 3;
        char** all = arguments;
        check(PetscInitialize(&count, &all, nullptr, nullptr), "PetscInitialize");
        check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr), "PetscPushErrorHandler");
    }
    /// Open MPI's, unless the user has set it.
    static void set(std::string const& setting) {
        auto const equals = setting.find('=');
        ::setenv(("OMPI_MCA_" + setting.substr(0, equals)).c_str(), setting.substr(equals + 1).c_str(), 0);
    }
};

class petsc_product final : public host_product<double> {
  public:
    explicit petsc_product(problem<double> const& what) : host_product({}, what) {
        double const seconds = seconds_of([&] { convert(what.a); });
        wrap(x_, x_vector_);
        wrap(y_, y_vector_);
        auto const bytes = std::ssize(offsets_) * static_cast<std::int64_t>(sizeof(PetscInt)) +
                           std::ssize(columns_) * static_cast<std::int64_t>(sizeof(PetscInt) + sizeof(double));
        record = describe(what, "petsc", bytes, 1, seconds);
    }
    ~petsc_product() override {
        VecDestroy(&x_vector_);
        VecDestroy(&y_vector_);
        MatDestroy(&a_);
    }

    void multiply() override {
        if (what_.transpose) {
            check(MatMultTranspose(a_, x_vector_, y_vector_), "MatMultTranspose");
        } else {
            check(MatMult(a_, x_vector_, y_vector_), "MatMult");
        }
    }

  private:
    /// The matrix borrows the arrays.
    void convert(csr<double> const& a) {
        offsets_ = numbers_as<PetscInt>(a.row_offsets);
        columns_ = numbers_as<PetscInt>(a.column_indices);
        values_ = a.values;
        check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, static_cast<PetscInt>(a.row_count),
                                        static_cast<PetscInt>(a.column_count), offsets_.data(), columns_.data(),
                                        values_.data(), &a_),
              "MatCreateSeqAIJWithArrays");
    }
    static void wrap(std::vector<double>& elements, Vec& vector) {
        check(
            VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(elements.size()), elements.data(), &vector),
            "VecCreateSeqWithArray");
    }

    std::vector<PetscInt> offsets_;
    std::vector<PetscInt> columns_;
    std::vector<double> values_;
    Mat a_ = nullptr;
    Vec x_vector_ = nullptr;
    Vec y_vector_ = nullptr;
};

std::unique_ptr<product<double>> multiply(problem<double> const& what, int) {
    if constexpr (sizeof(PetscInt) == 4) check_32_bit_indices(what.a);
    library::use();
    return std::make_unique<petsc_product>(what);
}

}  // namespace

template <class T>
peer<T> petsc_peer() {
    peer<T> one{.format = "petsc",
                .version = fmt::format("PETSc {}.{}.{} (double, 1 thread)", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
                                       PETSC_VERSION_SUBMINOR),
                .adds = false};
    if constexpr (std::is_same_v<T, double>) one.products.push_back({"petsc", multiply});
    return one;
}

template peer<float> petsc_peer();
template peer<double> petsc_peer();

}  // namespace copse::bench
