#pragma once

#include <cstdint>
#include <string>

#include <pybind11/pybind11.h>

#include "scenarios/document/document.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::python {

/// A value of Python as a file would have it: None, bool, int, float, str, lists, tuples, dicts with keys of text, scalars and arrays of
/// NumPy, designs. Throws InputError, said of `path`, for what no file can hold.
scenarios::Node to_node(const pybind11::handle& value, const std::string& path);

/// The text of a `str`. Throws InputError, said of `path`, for what UTF-8 has no bytes for.
std::string text_of(const pybind11::handle& value, const std::string& path);

/// Throws InputError, said of `path`, where some of the values of a NumPy array are masked.
void refuse_masks(const pybind11::handle& value, const std::string& path);

/// Throws InputError, said of `path`, where `value` is not finite.
scenarios::Node to_node(double value, const std::string& path);

/// A whole number from `min` to `max`, both at least 0. Throws InputError, said of `path`, for any other.
std::uint64_t whole_number(const pybind11::handle& value, std::uint64_t min, std::uint64_t max, const std::string& path);

/// Objects, arrays and plain values as dicts, lists and plain values, in their order.
pybind11::object to_python(const verify::Json& json);

/// The C++ object of `value`. Throws TypeError, said of `path`, where that is no `Value`, which Python calls `type`.
template <class Value>
const Value& instance(const pybind11::handle& value, const char* type, const std::string& path) {
  if (pybind11::isinstance<Value>(value)) return pybind11::cast<const Value&>(value);
  throw pybind11::type_error(path + ": is a " + std::string(pybind11::str(pybind11::type::handle_of(value).attr("__name__"))) +
                             "; must be a " + type);
}

}  // namespace tasktwin::python
