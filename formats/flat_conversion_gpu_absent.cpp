// Conversions to SELL-P and CMRS on the gpu executor in a library that was built without a CUDA toolkit: no gpu object
// exists for them.
#include <copse/formats/cmrs.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <string>

namespace copse {
namespace {

template <class Content>
std::shared_ptr<Content const> refuse(char const* format) {
    throw cuda_error(std::string(format) + ": copse was built without a CUDA toolkit");
}

}  // namespace

template <class T>
sellp<T>::sellp(gpu&, csr<T> const&, sellp_options const&) : sellp(refuse<sellp_content<T>>("sellp")) {}
template <class T>
cmrs<T>::cmrs(gpu&, csr<T> const&, cmrs_options const&) : cmrs(refuse<cmrs_content<T>>("cmrs")) {}
template <class T>
cmrs<T>::cmrs(gpu&, csr_matrix<T>&&, cmrs_options const&) : cmrs(refuse<cmrs_content<T>>("cmrs")) {}

template sellp<float>::sellp(gpu&, csr<float> const&, sellp_options const&);
template sellp<double>::sellp(gpu&, csr<double> const&, sellp_options const&);
template cmrs<float>::cmrs(gpu&, csr<float> const&, cmrs_options const&);
template cmrs<double>::cmrs(gpu&, csr<double> const&, cmrs_options const&);
template cmrs<float>::cmrs(gpu&, csr_matrix<float>&&, cmrs_options const&);
template cmrs<double>::cmrs(gpu&, csr_matrix<double>&&, cmrs_options const&);

}  // namespace copse
