// Conversions to CSR5, SELL-P and CMRS, and back, on the gpu executor in a library that was built without a CUDA toolkit: no gpu object
// exists for them.
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
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
csr5<T>::csr5(gpu&, csr<T> const&, csr5_options) : csr5(refuse<csr5_content<T>>("csr5")) {}
template <class T>
csr5<T>::csr5(gpu&, csr_matrix<T>&&, csr5_options) : csr5(refuse<csr5_content<T>>("csr5")) {}
template <class T>
sellp<T>::sellp(gpu&, csr<T> const&, sellp_options const&) : sellp(refuse<sellp_content<T>>("sellp")) {}
template <class T>
sellp<T>::sellp(gpu&, csr_matrix<T> const&, sellp_options const&) : sellp(refuse<sellp_content<T>>("sellp")) {}
template <class T>
cmrs<T>::cmrs(gpu&, csr<T> const&, cmrs_options const&) : cmrs(refuse<cmrs_content<T>>("cmrs")) {}
template <class T>
cmrs<T>::cmrs(gpu&, csr_matrix<T>&&, cmrs_options const&) : cmrs(refuse<cmrs_content<T>>("cmrs")) {}

template <class T>
csr_matrix<T> to_csr_matrix(gpu&, csr5<T> const&) {
    return csr_matrix<T>(refuse<csr_content<T>>("csr5"));
}
template <class T>
csr_matrix<T> to_csr_matrix(gpu&, csr5<T>&&) {
    return csr_matrix<T>(refuse<csr_content<T>>("csr5"));
}
template <class T>
csr_matrix<T> to_csr_matrix(gpu&, sellp<T> const&) {
    return csr_matrix<T>(refuse<csr_content<T>>("sellp"));
}
template <class T>
csr_matrix<T> to_csr_matrix(gpu&, cmrs<T> const&) {
    return csr_matrix<T>(refuse<csr_content<T>>("cmrs"));
}
template <class T>
csr_matrix<T> to_csr_matrix(gpu&, cmrs<T>&&) {
    return csr_matrix<T>(refuse<csr_content<T>>("cmrs"));
}

template csr5<float>::csr5(gpu&, csr<float> const&, csr5_options);
template csr5<double>::csr5(gpu&, csr<double> const&, csr5_options);
template csr5<float>::csr5(gpu&, csr_matrix<float>&&, csr5_options);
template csr5<double>::csr5(gpu&, csr_matrix<double>&&, csr5_options);
template csr_matrix<float> to_csr_matrix(gpu&, csr5<float>&&);
template csr_matrix<double> to_csr_matrix(gpu&, csr5<double>&&);
template csr_matrix<float> to_csr_matrix(gpu&, csr5<float> const&);
template csr_matrix<double> to_csr_matrix(gpu&, csr5<double> const&);
template csr_matrix<float> to_csr_matrix(gpu&, sellp<float> const&);
template csr_matrix<double> to_csr_matrix(gpu&, sellp<double> const&);
template csr_matrix<float> to_csr_matrix(gpu&, cmrs<float> const&);
template csr_matrix<double> to_csr_matrix(gpu&, cmrs<double> const&);
template csr_matrix<float> to_csr_matrix(gpu&, cmrs<float>&&);
template csr_matrix<double> to_csr_matrix(gpu&, cmrs<double>&&);
template sellp<float>::sellp(gpu&, csr<float> const&, sellp_options const&);
template sellp<double>::sellp(gpu&, csr<double> const&, sellp_options const&);
template sellp<float>::sellp(gpu&, csr_matrix<float> const&, sellp_options const&);
template sellp<double>::sellp(gpu&, csr_matrix<double> const&, sellp_options const&);
template cmrs<float>::cmrs(gpu&, csr<float> const&, cmrs_options const&);
template cmrs<double>::cmrs(gpu&, csr<double> const&, cmrs_options const&);
template cmrs<float>::cmrs(gpu&, csr_matrix<float>&&, cmrs_options const&);
template cmrs<double>::cmrs(gpu&, csr_matrix<double>&&, cmrs_options const&);

}  // namespace copse
