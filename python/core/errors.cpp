// Exceptions of the library as Python's. std::bad_alloc, and with it out_of_memory, becomes MemoryError in nanobind.
#include "module.hpp"

#include <copse/runtime/error.hpp>
#include <exception>

namespace copse::python {

void add_errors(nb::module_&) {
    nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (shape_error const& e) {
            PyErr_SetString(PyExc_ValueError, e.what());
        } catch (format_error const& e) {
            PyErr_SetString(PyExc_ValueError, e.what());
        } catch (argument_error const& e) {
            PyErr_SetString(PyExc_ValueError, e.what());
        } catch (error const& e) {
            PyErr_SetString(PyExc_RuntimeError, e.what());
        }
    });
}

}  // namespace copse::python
