#include "python/bindings/values.hpp"

#include <cmath>

#include "models/base/error.hpp"
#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "python/bindings/apart.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "scenarios/designs/stated_parts.hpp"
#include "scenarios/designs/stated_sets.hpp"
#include "scenarios/document/characters.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/document/scalar.hpp"

namespace tasktwin::python {

namespace py = pybind11;
using scenarios::Node;

namespace {

std::string below(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError((path.empty() ? "the value" : path) + ": " + why);
}

/// A number by the text that a file would have.
Node number_node(const std::string& text, const std::string& path) {
  try {
    return scenarios::typed_scalar(text);
  } catch (const InputError& wrong) {
    refuse(path, wrong.what());
  }
}

Node text_node(const py::handle& value, const std::string& path) {
  const std::string text = text_of(value, path);
  if (text.size() > scenarios::kMaxScalarBytes)
    refuse(path, "the text is longer than " + std::to_string(scenarios::kMaxScalarBytes) + " bytes");
  if (scenarios::has_control_character(text)) refuse(path, std::string(scenarios::kHasControlCharacter));
  return scenarios::text_node(text);
}

/// What is left of a walk through nested values.
struct Walk {
  std::size_t depth;
  SignalCheck* check;

  Walk below() const { return {depth - 1, check}; }
};

Node node_of(const py::handle& value, const std::string& path, const Walk& walk);

Node list_node(const py::handle& value, const std::string& path, const Walk& walk) {
  Node list;
  list.kind = Node::Kind::kList;
  for (const py::handle item : py::iter(value)) {
    list.items.push_back(node_of(item, path + "[" + std::to_string(list.items.size()) + "]", walk));
  }
  return list;
}

void add(Node& map, const std::string& key, Node value) {
  map.keys.push_back({key});
  map.items.push_back(std::move(value));
}

Node map_node(const py::dict& value, const std::string& path, const Walk& walk) {
  Node map;
  map.kind = Node::Kind::kMap;
  // A copy, since what converts its values is free to change the dict.
  const auto items = py::reinterpret_steal<py::dict>(PyDict_Copy(value.ptr()));
  if (!items) throw py::error_already_set();
  for (const auto& [key, item] : items) {
    if (!py::isinstance<py::str>(key)) refuse(path, "a key is " + std::string(py::str(py::repr(key))) + "; it must be text");
    const std::string word = text_of(key, path);
    add(map, word, node_of(item, below(path, word), walk));
  }
  return map;
}

Node policy_node(const OwnPolicy& policy, const std::string& path) {
  if (policy.file.empty()) refuse(path, "has the policy '" + policy.text() + "', a callable, which no file can hold");
  Node map;
  map.kind = Node::Kind::kMap;
  add(map, "policy", scenarios::text_node(policy.file));
  add(map, "name", scenarios::text_node(policy.name));
  Node parameters;
  parameters.kind = Node::Kind::kMap;
  for (const auto& [name, value] : policy.parameters) add(parameters, name, to_node(value, path));
  add(map, "parameters", std::move(parameters));
  return map;
}

/// A design of the scenario's own: all of its axes. A named one is its name.
Node design_node(const Design& design, const std::string& path) {
  for (const Design& named : named_designs()) {
    if (named == design) return scenarios::text_node(design.name);
  }
  Node map;
  map.kind = Node::Kind::kMap;
  add(map, "name", scenarios::text_node(design.name));
  for (const AxisField& axis : axis_fields()) {
    if (const OwnPolicy* const policy = axis.own_policy(design)) {
      add(map, std::string(axis.name), policy_node(*policy, path));
      continue;
    }
    const std::string text = axis.text(design);
    add(map, std::string(axis.name), axis.is_word() ? scenarios::text_node(text) : scenarios::typed_scalar(text));
  }
  if (!design.replay.empty()) add(map, "replay", scenarios::text_node(design.replay));
  if (!design.parts.empty())
    add(map, "parts", scenarios::parse_document("parts", scenarios::design_parts_to_json(design.parts).dump()).root);
  if (!design.sets.empty()) add(map, "sets", scenarios::parse_document("sets", scenarios::design_sets_to_json(design.sets).dump()).root);
  return map;
}

/// A whole number by its digits.
Node whole_node(const py::handle& value, const std::string& path) {
  const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!whole) throw py::error_already_set();
  int beyond = 0;
  const long long number = PyLong_AsLongLongAndOverflow(whole.ptr(), &beyond);
  if (beyond == 0 && number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  constexpr std::size_t kMostBits = 128;  // of a number whose digits a message can have
  if (beyond != 0 && py::cast<std::size_t>(whole.attr("bit_length")()) > kMostBits) refuse(path, "is a number beyond 64 bits");
  return number_node(beyond == 0 ? std::to_string(number) : std::string(py::str(whole)), path);
}

Node node_of(const py::handle& value, const std::string& path, const Walk& walk) {
  if (walk.depth == 0) refuse(path, "is nested deeper than " + std::to_string(scenarios::kMaxDepth) + " levels");
  (*walk.check)();
  if (value.is_none()) return {};
  if (py::isinstance<py::bool_>(value)) return scenarios::typed_scalar(py::cast<bool>(value) ? "true" : "false");
  if (py::isinstance<py::str>(value)) return text_node(value, path);
  if (py::isinstance<py::float_>(value)) return to_node(py::cast<double>(value), path);
  if (py::isinstance<py::dict>(value)) return map_node(py::reinterpret_borrow<py::dict>(value), path, walk.below());
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) return list_node(value, path, walk.below());
  refuse_masks(value, path);
  if (PyIndex_Check(value.ptr()) != 0 && !py::hasattr(value, "__len__")) return whole_node(value, path);
  if (py::isinstance<Design>(value)) return design_node(py::cast<const Design&>(value), path);
  if (py::hasattr(value, "tolist")) return node_of(value.attr("tolist")(), path, walk.below());
  throw py::type_error((path.empty() ? "the value" : path) + " is a " + std::string(py::str(py::type::of(value).attr("__name__"))) +
                       ", which no scenario can hold" +
                       (PyCallable_Check(value.ptr()) != 0 ? "; a policy of one's own is made of it by tasktwin.Policy" : ""));
}

}  // namespace

std::string text_of(const py::handle& value, const std::string& path) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  refuse(path, "has half a character of UTF-16, which no file can hold");
}

void refuse_masks(const py::handle& value, const std::string& path) {
  if (!py::hasattr(value, "mask") || !py::hasattr(value, "filled")) return;
  if (py::cast<bool>(py::bool_(py::object(value.attr("mask")).attr("any")())))
    refuse(path, "has masked values; give an array without a mask, such as that of filled()");
}

py::array array_from(const py::object& given, const std::string& path) {
  refuse_masks(given, path);
  try {
    return py::array(given);
  } catch (py::error_already_set& wrong) {
    if (!wrong.matches(PyExc_Exception) || wrong.matches(PyExc_MemoryError)) throw;
    refuse(path, "is no array of numbers: " + std::string(py::str(wrong.value())));
  }
}

Node to_node(const py::handle& value, const std::string& path) {
  SignalCheck check;
  return node_of(value, path, {scenarios::kMaxDepth, &check});
}

Node to_node(double value, const std::string& path) {
  if (std::isnan(value)) return number_node(".nan", path);
  if (std::isinf(value)) return number_node(".inf", path);
  return number_node(scenarios::shortest(value), path);
}

std::uint64_t whole_number(const py::handle& value, std::uint64_t min, std::uint64_t max, const std::string& path) {
  const auto index = PyIndex_Check(value.ptr()) != 0 ? py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr())) : py::object();
  const std::uint64_t number = index ? PyLong_AsUnsignedLongLong(index.ptr()) : 0;
  const bool fits = index && PyErr_Occurred() == nullptr;
  PyErr_Clear();
  if (fits && number >= min && number <= max) return number;
  refuse(path,
         "is " + std::string(py::str(py::repr(value))) + "; must be a whole number, " + std::to_string(min) + " to " + std::to_string(max));
}

py::object to_python(const verify::Json& json) {
  switch (json.type()) {
    case verify::Json::value_t::object: {
      py::dict dict;
      for (const auto& [key, value] : json.items()) dict[py::str(key)] = to_python(value);
      return dict;
    }
    case verify::Json::value_t::array: {
      py::list list;
      for (const auto& value : json) list.append(to_python(value));
      return list;
    }
    case verify::Json::value_t::string:
      return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
          json.get_ref<const std::string&>().data(), static_cast<Py_ssize_t>(json.get_ref<const std::string&>().size()), "replace"));
    case verify::Json::value_t::boolean:
      return py::bool_(json.get<bool>());
    case verify::Json::value_t::number_integer:
      return py::int_(json.get<std::int64_t>());
    case verify::Json::value_t::number_unsigned:
      return py::int_(json.get<std::uint64_t>());
    case verify::Json::value_t::number_float:
      return py::float_(json.get<double>());
    default:
      return py::none();
  }
}

}  // namespace tasktwin::python
