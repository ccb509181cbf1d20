#include <string>

#include "python/bindings/bindings.hpp"

namespace tasktwin::python {

namespace py = pybind11;

namespace {

PyCFunctionWithKeywords called = nullptr;  ///< pybind11's, one for all functions that are bound

/// pybind11 ends the process where it describes wrong arguments and a keyword among them is no valid text.
PyObject* checked(PyObject* self, PyObject* arguments, PyObject* keywords) {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; keywords != nullptr && PyDict_Next(keywords, &at, &key, &value) != 0;) {
    if (PyUnicode_AsUTF8(key) != nullptr) continue;
    PyErr_Clear();
    return PyErr_Format(PyExc_TypeError, "keyword %A: has half a character of UTF-16; no argument has such a name", key);
  }
  return called(self, arguments, keywords);
}

/// `field`: of a module or a class, or what a class keeps in place of a function.
void check_keywords_of(py::handle field) {
  if (PyInstanceMethod_Check(field.ptr())) return check_keywords_of(PyInstanceMethod_GET_FUNCTION(field.ptr()));
  if (Py_IS_TYPE(field.ptr(), &PyStaticMethod_Type)) return check_keywords_of(field.attr("__func__"));
  if (PyType_Check(field.ptr())) {
    for (const auto& [name, member] : py::dict(field.attr("__dict__"))) check_keywords_of(member);
  }
  if (!PyCFunction_Check(field.ptr())) return;
  PyMethodDef& method = *reinterpret_cast<PyCFunctionObject*>(field.ptr())->m_ml;
  const auto calls = reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(method.ml_meth));
  if (method.ml_flags != (METH_VARARGS | METH_KEYWORDS) || calls == checked) return;
  if (called == nullptr) called = calls;
  if (calls == called) method.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(checked));
}

}  // namespace

void check_keywords(py::module_& module) {
  for (const auto& [name, field] : py::dict(module.attr("__dict__"))) check_keywords_of(field);
}

}  // namespace tasktwin::python
