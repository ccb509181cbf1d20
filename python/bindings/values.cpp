#include "python/bindings/values.hpp"

#include <cmath>

#include "models/base/error.hpp"
#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/designs/stated_parts.hpp"
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
  const auto text = py::cast<std::string>(value);
  if (text.size() > scenarios::kMaxScalarBytes)
    refuse(path, "the text is longer than " + std::to_string(scenarios::kMaxScalarBytes) + " bytes");
  return scenarios::text_node(text);
}

Node node_of(const py::handle& value, const std::string& path, std::size_t depth);

Node list_node(const py::handle& value, const std::string& path, std::size_t depth) {
  Node list;
  list.kind = Node::Kind::kList;
  for (const py::handle item : py::iter(value)) {
    list.items.push_back(node_of(item, path + "[" + std::to_string(list.items.size()) + "]", depth));
  }
  return list;
}

void add(Node& map, const std::string& key, Node value) {
  map.keys.push_back({key});
  map.items.push_back(std::move(value));
}

Node map_node(const py::dict& value, const std::string& path, std::size_t depth) {
  Node map;
  map.kind = Node::Kind::kMap;
  for (const auto& [key, item] : value) {
    if (!py::isinstance<py::str>(key)) refuse(path, "a key is " + std::string(py::str(py::repr(key))) + "; it must be text");
    const auto word = py::cast<std::string>(key);
    add(map, word, node_of(item, below(path, word), depth));
  }
  return map;
}

/// A design of the scenario's own: all of its axes. A named one is its name.
Node design_node(const Design& design) {
  for (const Design& named : named_designs()) {
    if (named == design) return scenarios::text_node(design.name);
  }
  Node map;
  map.kind = Node::Kind::kMap;
  add(map, "name", scenarios::text_node(design.name));
  for (const AxisField& axis : axis_fields()) {
    const std::string text = axis.text(design);
    add(map, std::string(axis.name), axis.is_word() ? scenarios::text_node(text) : scenarios::typed_scalar(text));
  }
  if (!design.replay.empty()) add(map, "replay", scenarios::text_node(design.replay));
  if (!design.parts.empty())
    add(map, "parts", scenarios::parse_document("parts", scenarios::design_parts_to_json(design.parts).dump()).root);
  return map;
}

Node node_of(const py::handle& value, const std::string& path, std::size_t depth) {
  if (depth == 0) refuse(path, "is nested deeper than " + std::to_string(scenarios::kMaxDepth) + " levels");
  if (value.is_none()) return {};
  if (py::isinstance<py::bool_>(value)) {
    Node node = scenarios::typed_scalar(py::cast<bool>(value) ? "true" : "false");
    return node;
  }
  if (py::isinstance<py::str>(value)) return text_node(value, path);
  if (py::isinstance<py::float_>(value)) return to_node(py::cast<double>(value), path);
  if (PyIndex_Check(value.ptr()) != 0 && !py::hasattr(value, "__len__"))
    return number_node(py::str(py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()))), path);
  if (py::isinstance<Design>(value)) return design_node(py::cast<const Design&>(value));
  if (py::isinstance<py::dict>(value)) return map_node(py::reinterpret_borrow<py::dict>(value), path, depth - 1);
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) return list_node(value, path, depth - 1);
  if (py::hasattr(value, "tolist")) return node_of(value.attr("tolist")(), path, depth - 1);
  throw py::type_error((path.empty() ? "the value" : path) + " is a " + std::string(py::str(py::type::of(value).attr("__name__"))) +
                       ", which no scenario can hold");
}

}  // namespace

Node to_node(const py::handle& value, const std::string& path) { return node_of(value, path, scenarios::kMaxDepth); }

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
