#include "python/bindings/callables.hpp"

#include <stdexcept>

#include "models/policies/policy_call.hpp"

namespace tasktwin::python {

namespace py = pybind11;

/// The thread that drops the last copy need not have the lock; after the interpreter's end nothing can be given back.
void Callable::forget(py::object* function) {
  if (Py_IsInitialized() == 0) {
    function->release();
    delete function;
    return;
  }
  const py::gil_scoped_acquire lock;
  delete function;
}

void Callable::rethrow(py::error_already_set& raised) {
  if (!raised.matches(PyExc_Exception)) {
    raised.restore();
    throw PolicyInterrupted("the simulation was interrupted");
  }
  std::string text = std::string(py::str(raised.type().attr("__name__"))) + ": " + std::string(py::str(raised.value()));
  if (raised.trace()) {
    py::object innermost = raised.trace();
    while (!innermost.attr("tb_next").is_none()) innermost = innermost.attr("tb_next");
    text += " (" + std::string(py::str(innermost.attr("tb_frame").attr("f_code").attr("co_filename"))) + ":" +
            std::string(py::str(innermost.attr("tb_lineno"))) + ")";
  }
  throw std::runtime_error(text);
}

void Callable::throw_wrong_type() { throw std::runtime_error("what it gave is of a wrong type"); }

}  // namespace tasktwin::python
