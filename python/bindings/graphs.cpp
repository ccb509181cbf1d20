#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include "models/base/error.hpp"
#include "models/graph/task_graph.hpp"
#include "python/bindings/apart.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/values.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/tasks/listed_tasks.hpp"

namespace tasktwin::python {

namespace py = pybind11;
using scenarios::Node;
using scenarios::TaskColumn;

namespace {

constexpr std::size_t kMostTasks = 100'000'000;

/// An edge as a program gives it.
struct Edge {
  std::int64_t from;
  std::int64_t to;
  std::int64_t bytes;
};

std::string edge_path(std::size_t i) { return "edges[" + std::to_string(i) + "]"; }

void check_edge(const Edge& edge, std::size_t i, std::size_t tasks) {
  const auto check = [&](const char* what, std::int64_t value, std::int64_t most) {
    if (value >= 0 && value <= most) return;
    throw InputError(edge_path(i) + ": " + what + " is " + std::to_string(value) +
                     (most < 0 ? "; there are no tasks" : "; must be 0 to " + std::to_string(most)));
  };
  const auto last = static_cast<std::int64_t>(tasks) - 1;
  check("from", edge.from, last);
  check("to", edge.to, last);
  check("bytes", edge.bytes, scenarios::kMaxBytes);
}

TaskGraph built(TaskGraphBuilder builder, const std::vector<Edge>& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    check_edge(edges[i], i, builder.size());
    builder.add_edge(task_id(static_cast<std::size_t>(edges[i].from)), task_id(static_cast<std::size_t>(edges[i].to)), {edges[i].bytes});
  }
  try {
    return std::move(builder).build();
  } catch (const InputError& wrong) {
    throw InputError(std::string("graph: ") + wrong.what());
  }
}

Node whole_node(std::int64_t value) {
  Node node;
  node.kind = Node::Kind::kInteger;
  node.integer = value;
  node.real = static_cast<double>(value);
  node.text = std::to_string(value);
  return node;
}

/// The numbers of an array of one dimension. Throws InputError, said of `path`, for any other shape.
template <class Number>
std::vector<Number> numbers(const py::array& array, const std::string& path) {
  if (array.ndim() != 1) throw InputError(path + ": has " + std::to_string(array.ndim()) + " dimensions; must have one");
  const py::array_t<Number, py::array::c_style | py::array::forcecast> exact(array);
  return {exact.data(), exact.data() + exact.size()};
}

bool is_whole_type(const py::dtype& type) { return type.kind() == 'i' || (type.kind() == 'u' && type.itemsize() < 8); }
bool is_number_type(const py::dtype& type) { return is_whole_type(type) || type.kind() == 'u' || type.kind() == 'f'; }

/// One field as a program gives it, and how many values it has; none for a value of all tasks.
struct GivenColumn {
  TaskColumn column;
  std::optional<std::size_t> count;
};

GivenColumn array_column(const std::string& field, const py::array& array) {
  if (is_whole_type(array.dtype())) {
    auto values = numbers<std::int64_t>(array, field);
    const std::size_t count = values.size();
    return {{field, [values = std::move(values)](std::size_t i) { return whole_node(values[i]); }}, count};
  }
  auto values = numbers<double>(array, field);
  const std::size_t count = values.size();
  const auto value = [field, values = std::move(values)](std::size_t i) {
    constexpr double kExact = 0x1p53;
    if (std::abs(values[i]) < kExact && values[i] == std::trunc(values[i])) return whole_node(static_cast<std::int64_t>(values[i]));
    return to_node(values[i], "graph.tasks[" + std::to_string(i) + "]." + field);
  };
  return {{field, value}, count};
}

GivenColumn given_column(const std::string& field, const py::handle& value) {
  refuse_masks(value, field);
  if (py::isinstance<py::array>(value) && is_number_type(py::reinterpret_borrow<py::array>(value).dtype()) &&
      py::reinterpret_borrow<py::array>(value).ndim() > 0)
    return array_column(field, py::reinterpret_borrow<py::array>(value));
  Node node = to_node(value, field);
  if (node.kind != Node::Kind::kList) return {{field, [node = std::move(node)](std::size_t) { return node; }, true}, std::nullopt};
  const std::size_t count = node.items.size();
  return {{field, [node = std::move(node)](std::size_t i) { return node.items[i]; }}, count};
}

std::vector<Edge> edges_from(const py::object& given, const py::object& given_bytes) {
  if (given.is_none()) return {};
  const py::array array = array_from(given, "edges");
  if (array.size() == 0) return {};
  if (array.ndim() != 2 || array.shape(1) != 2) throw InputError("edges: must have a row for each edge, of two columns: from and to");
  if (!is_whole_type(array.dtype()))
    throw InputError("edges: holds numbers of type " + std::string(py::str(array.dtype())) + "; must be whole numbers");
  const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast> ends(array);
  std::vector<std::int64_t> bytes;
  if (!given_bytes.is_none()) {
    const py::array column = array_from(given_bytes, "edge_bytes");
    if (!is_whole_type(column.dtype())) throw InputError("edge_bytes: must be whole numbers");
    bytes = numbers<std::int64_t>(column, "edge_bytes");
    if (bytes.size() != static_cast<std::size_t>(ends.shape(0)))
      throw InputError("edge_bytes: has " + std::to_string(bytes.size()) + " values; there are " + std::to_string(ends.shape(0)) +
                       " edges");
  }
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(ends.shape(0)));
  SignalCheck check;
  for (py::ssize_t i = 0; i < ends.shape(0); ++i, check())
    edges.push_back({*ends.data(i, 0), *ends.data(i, 1), bytes.empty() ? 0 : bytes[static_cast<std::size_t>(i)]});
  return edges;
}

TaskGraph from_arrays(const py::object& edges, const py::object& edge_bytes, const py::object& count, const py::kwargs& fields) {
  std::vector<TaskColumn> columns;
  std::optional<std::size_t> tasks;
  if (!count.is_none()) tasks = whole_number(count, 0, kMostTasks, "count");
  for (const auto& [key, value] : fields) {
    const std::string field = text_of(key, "a field");
    GivenColumn given = given_column(field, value);
    if (given.count && tasks && *given.count != *tasks)
      throw InputError(field + ": has " + std::to_string(*given.count) + " values; there are " + std::to_string(*tasks) + " tasks");
    if (given.count) tasks = given.count;
    columns.push_back(std::move(given.column));
  }
  if (!tasks) throw InputError("count: missing; no field has a value for each task");
  std::vector<Edge> list = edges_from(edges, edge_bytes);
  const bool is_long = *tasks + list.size() > kLongWork;
  return without_lock(is_long, [count = *tasks, columns = std::move(columns), list = std::move(list)](const Interrupted&) {
    return built(scenarios::tabled_tasks(count, columns), list);
  });
}

/// Collects tasks and edges one by one.
class GraphBuilder {
 public:
  GraphBuilder() { tasks_.kind = Node::Kind::kList; }

  std::size_t add_task(const py::object& name, const py::kwargs& fields) {
    check_free();
    if (!py::isinstance<py::str>(name))
      throw py::type_error("name: is a " + std::string(py::str(py::type::of(name).attr("__name__"))) + "; must be a str");
    const std::size_t id = tasks_.items.size();
    py::dict all(fields);
    all["name"] = name;
    Node task = to_node(all, "graph.tasks[" + std::to_string(id) + "]");
    check_free();
    tasks_.items.push_back(std::move(task));
    return tasks_.items.size() - 1;
  }
  void add_edge(std::int64_t from, std::int64_t to, std::int64_t bytes) {
    check_free();
    const Edge edge{from, to, bytes};
    check_edge(edge, edges_.size(), tasks_.items.size());
    edges_.push_back(edge);
  }
  TaskGraph build() const {
    const Reading reading(*this);
    TaskGraphBuilder builder = scenarios::checked_tasks(tasks_);
    if (builder.size() != size() && !edges_.empty())
      throw InputError("edges: a task with 'split' or 'group' is several tasks, of which ids of add_task say none; give edges as 'after'");
    return built(std::move(builder), edges_);
  }
  std::size_t size() const { return tasks_.items.size(); }
  bool is_large() const { return size() + edges_.size() > kLongWork; }

 private:
  /// Without the interpreter's lock: nothing may change meanwhile.
  class Reading {
   public:
    explicit Reading(const GraphBuilder& builder) : builder_(builder) { ++builder_.readers_; }
    ~Reading() { --builder_.readers_; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    const GraphBuilder& builder_;
  };

  void check_free() const {
    if (readers_ > 0) throw RunError("the graph is being built by another thread; tasks and edges are added before or after that");
  }

  mutable std::atomic<int> readers_{0};
  Node tasks_;
  std::vector<Edge> edges_;
};

/// A property that is a view of one member of all tasks.
template <class Value, class Member>
auto column(Member member) {
  return [member](const py::object& self) {
    const auto& graph = py::cast<const TaskGraph&>(self);
    return view(py::dtype::of<Value>(), graph.size() == 0 ? nullptr : &member(graph.tasks().front()), graph.size(), sizeof(Task), self);
  };
}

py::array rows_view(const py::object& self, const std::vector<std::uint32_t>& values) {
  return view(py::dtype::of<std::uint32_t>(), values.data(), values.size(), sizeof(std::uint32_t), self);
}

py::list names(const TaskGraph& graph) {
  py::list all;
  SignalCheck check;
  for (std::size_t i = 0; i < graph.size(); ++i, check()) all.append(std::string(graph.name(task_id(i))));
  return all;
}

}  // namespace

}  // namespace tasktwin::python

template <>
class pybind11::detail::type_caster<tasktwin::python::GraphBuilder> : public InitialisedCaster<tasktwin::python::GraphBuilder> {};

namespace tasktwin::python {

void bind_graphs(py::module_& module) {
  py::class_<TaskGraph>(module, "Graph", "A directed acyclic graph of tasks. It does not change; arrays of it are views.")
      .def_static(
          "from_tasks",
          [](const py::object& tasks) {
            return without_lock(
                true, [list = to_node(tasks, "graph.tasks")](const Interrupted&) { return built(scenarios::checked_tasks(list), {}); });
          },
          py::arg("tasks"), "Of tasks as scenario files write them under `graph.tasks`: a dict each, with `after` for edges.")
      .def_static("from_arrays", &from_arrays, py::arg("edges") = py::none(), py::arg("edge_bytes") = py::none(),
                  py::arg("count") = py::none(),
                  "Tasks t0, t1, … whose fields are arrays, or one value for all; `edges` has a row (from, to) for each.")
      .def("__len__", &TaskGraph::size)
      .def_property_readonly("edge_count", &TaskGraph::edge_count)
      .def_property_readonly("names", &names)
      .def_property_readonly("time_ns", column<std::int64_t>([](const Task& task) -> const auto& { return task.cost.time; }))
      .def_property_readonly("flops", column<std::int64_t>([](const Task& task) -> const auto& { return task.cost.flops; }))
      .def_property_readonly("bytes", column<std::int64_t>([](const Task& task) -> const auto& { return task.cost.bytes; }))
      .def_property_readonly("priority", column<std::int32_t>([](const Task& task) -> const auto& { return task.priority; }))
      .def_property_readonly("layer", column<std::int32_t>([](const Task& task) -> const auto& { return task.layer; }))
      .def_property_readonly(
          "predecessor_offsets",
          [](const py::object& self) { return rows_view(self, py::cast<const TaskGraph&>(self).predecessor_rows().offsets); },
          "Those of task i stand in predecessors[offsets[i]:offsets[i + 1]].")
      .def_property_readonly(
          "predecessors",
          [](const py::object& self) { return rows_view(self, py::cast<const TaskGraph&>(self).predecessor_rows().targets); })
      .def("__repr__", [](const TaskGraph& graph) {
        return "<Graph: " + std::to_string(graph.size()) + " tasks, " + std::to_string(graph.edge_count()) + " edges>";
      });
  py::class_<GraphBuilder>(module, "GraphBuilder", "Collects tasks and edges one by one.")
      .def(py::init<>())
      .def("add_task", &GraphBuilder::add_task, py::arg("name"), "A task with fields as scenario files have them. Returns its id.")
      .def("add_edge", &GraphBuilder::add_edge, py::arg("from_id"), py::arg("to_id"), py::arg("bytes") = 0)
      .def("build",
           [](const py::object& self) {
             const auto& builder = py::cast<const GraphBuilder&>(self);
             return without_lock(builder.is_large(), [self, &builder](const Interrupted&) { return builder.build(); });
           })
      .def("__len__", &GraphBuilder::size);
}

}  // namespace tasktwin::python
