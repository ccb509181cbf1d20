#include <algorithm>
#include <string>
#include <string_view>

#include "models/base/error.hpp"
#include "models/base/internal_error.hpp"
#include "models/base/utf8.hpp"
#include "python/bindings/bindings.hpp"
#include "scenarios/document/faults.hpp"

namespace tasktwin::python {

namespace py = pybind11;

namespace {

/// What messages begin with: "scenario.yaml:3:5: ".
std::string place_of(const SourceLocation& where) {
  if (where.file.empty()) return {};
  return where.file + (where.line > 0 ? ":" + std::to_string(where.line) + ":" + std::to_string(where.column) : "") + ": ";
}

/// The path of the field that a message is about, which it then begins with ("graph.tasks[3].time_ns: …"); empty where it does not.
std::string field_of(std::string_view message) {
  const auto in_path = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '[' || c == ']';
  };
  const std::string_view path = message.substr(0, message.find(": "));
  const bool is_path = path.size() < message.size() && !path.empty() && std::ranges::all_of(path, in_path);
  return is_path ? std::string(path) : std::string();
}

py::object text_or_none(const std::string& text) { return text.empty() ? py::object(py::none()) : py::str(well_formed(text)); }
py::object number_or_none(int number) { return number > 0 ? py::object(py::int_(number)) : py::object(py::none()); }

/// `first`: of several faults, of which `all` is the message.
void raise(const py::handle& type, const char* all, const InputError& first) {
  const std::string place = place_of(first.where());
  std::string_view message = first.what();
  if (message.starts_with(place)) message.remove_prefix(place.size());
  const py::object raised = type(well_formed(all));
  raised.attr("file") = text_or_none(first.where().file);
  raised.attr("line") = number_or_none(first.where().line);
  raised.attr("column") = number_or_none(first.where().column);
  raised.attr("field") = text_or_none(field_of(message));
  PyErr_SetObject(type.ptr(), raised.ptr());
}

/// A new class of exceptions, in the module and for as long as the process lives: translators have no other place to find it.
py::handle add_exception(py::module_& module, const char* name, const char* meaning, const py::handle& base, const py::object& members) {
  const std::string full_name = std::string("tasktwin.") + name;
  PyObject* const type = PyErr_NewExceptionWithDoc(full_name.c_str(), meaning, base.ptr(), members.ptr());
  if (type == nullptr) throw py::error_already_set();
  module.attr(name) = py::handle(type);
  return type;
}

}  // namespace

void bind_errors(py::module_& module) {
  using namespace py::literals;
  static const py::handle input_error =
      add_exception(module, "InputError", "What was given is wrong; the message is that of the command line.", PyExc_ValueError,
                    py::dict("file"_a = py::none(), "line"_a = py::none(), "column"_a = py::none(), "field"_a = py::none()));
  static const py::handle run_error = add_exception(
      module, "RunError", "A run came to a standstill, or something outside the input failed.", PyExc_RuntimeError, py::dict());
  static const py::handle internal_error =
      add_exception(module, "InternalError", "What was worked out contradicts itself: a fault of tasktwin, whatever was given.",
                    PyExc_RuntimeError, py::dict());
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const scenarios::InputFaults& several) {
      raise(input_error, several.what(), several.all().front());
    } catch (const InputError& error) {
      raise(input_error, error.what(), error);
    } catch (const RunError& error) {
      if (PyErr_Occurred() == nullptr)
        PyErr_SetString(run_error.ptr(), well_formed(error.what()).c_str());  // else a signal's handler has ended the run
    } catch (const InternalError& error) {
      PyErr_SetString(internal_error.ptr(), well_formed(error.what()).c_str());
    }
  });
}

}  // namespace tasktwin::python
