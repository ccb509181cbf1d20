#include <optional>
#include <stdexcept>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "models/base/error.hpp"
#include "models/policies/own_policies.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/callables.hpp"
#include "python/bindings/values.hpp"
#include "scenarios/policy_files/policy_file.hpp"

namespace tasktwin::python {

namespace py = pybind11;

namespace {

[[noreturn]] void refuse_answer(const py::handle& answer, const std::string& right) {
  throw std::runtime_error("it gave " + std::string(py::str(py::repr(answer))) + "; it must give " + right);
}

double number_from(const py::object& answer) {
  const double number = PyFloat_AsDouble(answer.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse_answer(answer, "a number");
  }
  return number;
}

std::int64_t whole_from(const py::object& answer, const char* what) {
  const auto whole = PyIndex_Check(answer.ptr()) != 0 ? py::reinterpret_steal<py::object>(PyNumber_Index(answer.ptr())) : py::object();
  const long long number = whole ? PyLong_AsLongLong(whole.ptr()) : 0;
  const bool failed = !whole || PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (failed) refuse_answer(answer, what);
  return number;
}

/// A view of what lives longer than the call that is given it.
template <class Value>
py::array lent(const Value* first, std::size_t count, std::size_t stride = sizeof(Value)) {
  return view(py::dtype::of<Value>(), first, count, stride, py::none());
}

py::dict keywords(const PolicyParameters& parameters) {
  py::dict all;
  for (const auto& [name, value] : parameters) all[py::str(name)] = value;
  return all;
}

/// What answers the calls of one run: the function with its parameters, or an object of the class that was given in its place.
template <class... Inputs>
py::object for_run(const Callable& callable, const PolicyParameters& parameters, const Inputs&... inputs) {
  const py::object& given = callable.get();
  if (PyType_Check(given.ptr()) != 0) return given(inputs()..., **keywords(parameters));
  if (parameters.empty()) return given;
  return py::module_::import("functools").attr("partial")(given, **keywords(parameters));
}

/// Made for a run as the graph of the run has its tasks.
py::object graph_of(const TaskGraph& graph) { return py::cast(TaskGraph(graph)); }
py::array durations_of(const PolicyInputs& inputs) {
  std::vector<std::int64_t> durations;
  for (const Duration duration : inputs.durations) durations.push_back(duration.count());
  return owned(std::move(durations), {static_cast<py::ssize_t>(inputs.durations.size())});
}

MakeRanks ranks_by(const Callable& callable) {
  return [callable](const PolicyInputs& inputs, const PolicyParameters& parameters) {
    return Callable::locked([&] {
      const py::object given = callable.get()(graph_of(inputs.graph), durations_of(inputs), inputs.seed, **keywords(parameters));
      const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
      if (!array || array.ndim() != 1) {
        PyErr_Clear();
        refuse_answer(given, "an array of one dimension, a number for each task");
      }
      return std::vector<double>(array.data(), array.data() + array.size());
    });
  };
}

class OrderByCallable final : public OnlineOrder {
 public:
  OrderByCallable(py::object function, bool changes) : function_(std::move(function)), changes_(changes) {}
  double rank(TaskId task, const OrderMoment& moment) override {
    return Callable::locked(
        [&] { return number_from(function_.get()(index(task), to_ns(moment.now), to_ns(moment.ready), moment.arrival, moment.waiting)); });
  }
  bool changes() const override { return changes_; }

 private:
  Callable function_;
  bool changes_;
};

MakeOrder order_by(const Callable& callable, bool changes) {
  return [callable, changes](const PolicyInputs& inputs, const PolicyParameters& parameters) -> std::unique_ptr<OnlineOrder> {
    return Callable::locked([&] {
      return std::make_unique<OrderByCallable>(for_run(
                                                   callable, parameters, [&] { return graph_of(inputs.graph); },
                                                   [&] { return durations_of(inputs); }, [&] { return py::int_(inputs.seed); }),
                                               changes);
    });
  };
}

class PlacementByCallable final : public CorePolicy {
 public:
  PlacementByCallable(py::object function, std::span<const PastRun> so_far) : function_(std::move(function)), so_far_(so_far) {}
  std::optional<std::size_t> choose(TaskId task, std::span<const Candidate> candidates) const override {
    return Callable::locked([&]() -> std::optional<std::size_t> {
      std::vector<std::int32_t> cores;
      std::vector<std::int32_t> held;
      std::vector<std::int64_t> loads;
      for (const Candidate& candidate : candidates) {
        cores.push_back(static_cast<std::int32_t>(index(candidate.core)));
        held.push_back(candidate.held);
        loads.push_back(candidate.expected_load.count());
      }
      const auto count = static_cast<py::ssize_t>(candidates.size());
      const py::object answer = function_.get()(index(task), owned(std::vector(cores), {count}), owned(std::move(held), {count}),
                                                owned(std::move(loads), {count}), ran_on(), ended());
      const std::int64_t core = whole_from(answer, "one of the cores that it was given");
      for (std::size_t i = 0; i < cores.size(); ++i) {
        if (cores[i] == core) return i;
      }
      refuse_answer(answer, "one of the " + std::to_string(cores.size()) + " cores that it was given");
    });
  }

 private:
  py::array ran_on() const {
    static_assert(sizeof(CoreId) == sizeof(std::int32_t));
    return lent(reinterpret_cast<const std::int32_t*>(so_far_.empty() ? nullptr : &so_far_.front().core), so_far_.size(), sizeof(PastRun));
  }
  py::array ended() const {
    static_assert(sizeof(TimePoint) == sizeof(std::int64_t));
    return lent(reinterpret_cast<const std::int64_t*>(so_far_.empty() ? nullptr : &so_far_.front().ended), so_far_.size(), sizeof(PastRun));
  }

  Callable function_;
  std::span<const PastRun> so_far_;
};

MakePlacement placement_by(const Callable& callable) {
  return [callable](const TaskGraph& graph, std::span<const PastRun> so_far,
                    const PolicyParameters& parameters) -> std::unique_ptr<CorePolicy> {
    return Callable::locked(
        [&] { return std::make_unique<PlacementByCallable>(for_run(callable, parameters, [&] { return graph_of(graph); }), so_far); });
  };
}

MakeSchedule schedule_by(const Callable& callable) {
  return [callable](const StaticInputs& inputs, const PolicyParameters& parameters) {
    return Callable::locked([&] {
      // Copies of what they ask, since they may be kept.
      const py::cpp_function cost(
          [of = inputs.cost, tasks = inputs.graph.size(), workers = inputs.workers](std::size_t task, std::size_t worker) {
            if (task >= tasks || worker >= workers) throw py::index_error("there is no such task or core");
            return of(task_id(task), worker);
          });
      const py::cpp_function communication(
          [of = inputs.communication, tasks = inputs.graph.size()](std::size_t from, std::size_t to, bool same) {
            if (from >= tasks || to >= tasks) throw py::index_error("there is no such task");
            return of(task_id(from), task_id(to), same);
          });
      const py::object given = callable.get()(graph_of(inputs.graph), inputs.workers, cost, communication, **keywords(parameters));
      FrozenSchedule lists;
      for (const py::handle list : py::iter(given)) {
        lists.emplace_back();
        for (const py::handle task : py::iter(list)) {
          const std::int64_t number = whole_from(py::reinterpret_borrow<py::object>(task), "a list of tasks for each core");
          if (number < 0 || static_cast<std::size_t>(number) >= inputs.graph.size())
            throw std::runtime_error("its lists have task " + std::to_string(number) + "; there are tasks 0 to " +
                                     std::to_string(inputs.graph.size() - 1));
          lists.back().push_back(task_id(static_cast<std::size_t>(number)));
        }
      }
      return lists;
    });
  };
}

class VictimByCallable final : public VictimPolicy {
 public:
  explicit VictimByCallable(py::object function) : function_(std::move(function)) {}
  std::optional<std::size_t> next_victim(std::size_t thief, std::uint64_t round, std::size_t attempt,
                                         std::span<const std::size_t> lengths) const override {
    return Callable::locked([&]() -> std::optional<std::size_t> {
      const auto count = static_cast<py::ssize_t>(lengths.size());
      const py::object answer =
          function_.get()(thief, round, attempt, owned(std::vector<std::int64_t>(lengths.begin(), lengths.end()), {count}));
      if (answer.is_none()) return std::nullopt;
      const std::int64_t queue = whole_from(answer, "the number of a queue, or None");
      if (queue < 0) refuse_answer(answer, "the number of a queue, or None");
      return static_cast<std::size_t>(queue);
    });
  }

 private:
  Callable function_;
};

MakeVictim victim_by(const Callable& callable) {
  return [callable](std::uint64_t seed, const PolicyParameters& parameters) -> std::unique_ptr<VictimPolicy> {
    return Callable::locked(
        [&] { return std::make_unique<VictimByCallable>(for_run(callable, parameters, [&] { return py::int_(seed); })); });
  };
}

StealSizeRule steal_size_by(const Callable& callable) {
  return [callable](std::uint32_t there, const PolicyParameters& parameters) {
    return Callable::locked([&] {
      const py::object answer = callable.get()(there, **keywords(parameters));
      const std::int64_t size = whole_from(answer, "a whole number");
      if (size < 1 || size > there) refuse_answer(answer, "1 to " + std::to_string(there));
      return static_cast<std::uint32_t>(size);
    });
  };
}

FillRuleOfOwn fill_by(const Callable& callable) {
  return [callable](const rules::FillView& of, const PolicyParameters& parameters) {
    return Callable::locked([&] {
      const py::object answer = callable.get()(of.idle_elsewhere, of.left, of.cores, **keywords(parameters));
      const int truth = PyObject_IsTrue(answer.ptr());
      if (truth < 0) throw py::error_already_set();
      return truth == 1;
    });
  };
}

PolicyEntry::Make make_of(const std::string& kind, const Callable& callable, bool changes) {
  if (kind == "ranks") return ranks_by(callable);
  if (kind == "order") return order_by(callable, changes);
  if (kind == "placement") return placement_by(callable);
  if (kind == "schedule") return schedule_by(callable);
  if (kind == "victim") return victim_by(callable);
  if (kind == "steal_size") return steal_size_by(callable);
  return fill_by(callable);
}

PolicyParameters parameters_from(const py::dict& given) {
  PolicyParameters parameters;
  for (const auto& [key, value] : given) {
    if (!py::isinstance<py::str>(key)) throw InputError("parameters: a key is " + std::string(py::str(py::repr(key))) + "; must be text");
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw InputError("parameters." + text_of(key, "parameters") + ": is " + std::string(py::str(py::repr(value))) + "; must be a number");
    }
    parameters[text_of(key, "parameters")] = number;
  }
  return parameters;
}

Policy made(std::string axis, OwnPolicy own) {
  Design design = {};
  set_own(design, axis, own);  // throws for parameters that it does not have
  return {std::move(axis), std::move(own)};
}

Policy of_callable(const std::string& kind, const py::object& function, const std::optional<std::string>& name, const std::string& like,
                   bool changes, bool draws, const py::dict& parameters) {
  if (PyCallable_Check(function.ptr()) == 0)
    throw py::type_error("function: is a " + std::string(py::str(py::type::of(function).attr("__name__"))) + "; must be callable");
  std::string own_name = name ? *name : "policy";
  if (!name && py::hasattr(function, "__name__")) own_name = py::str(function.attr("__name__"));
  if (own_name == "<lambda>") own_name = "lambda";
  if (name) check_name(*name, "name");
  PolicyEntry entry{.name = own_name, .parameters = {}, .make = make_of(kind, Callable(function), changes)};
  OwnPolicy own{.file = {}, .name = own_name, .parameters = parameters_from(parameters)};
  for (const auto& [parameter, value] : own.parameters) entry.parameters.push_back({parameter, value});
  entry.like = like;
  entry.draws = draws;
  own.entry = std::make_shared<const PolicyEntry>(std::move(entry));
  const std::string axis(axis_of(*own.entry));
  return made(axis, std::move(own));
}

Policy of_object(const std::string& file, const std::string& axis, const std::string& name, const py::dict& parameters) {
  OwnPolicy own{.file = file, .name = {}, .parameters = parameters_from(parameters)};
  const AxisField& of = axis_named(axis);
  const auto table = scenarios::load_policies(file);
  try {
    own.entry = scenarios::find_policy(table, of.name, name);
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
  own.name = own.entry->name;
  return made(axis, std::move(own));
}

}  // namespace

void bind_policies(py::module_& module) {
  py::class_<Policy> policy(module, "Policy", "A policy of one's own, for an axis of a design; docs/policies.md.");
  const auto add = [&policy](const char* kind, const char* meaning) {
    policy.def_static(
        kind,
        [kind = std::string(kind)](const py::object& function, const std::optional<std::string>& name, const std::string& like,
                                   bool changes, bool draws, const py::dict& parameters) {
          return of_callable(kind, function, name, like, changes, draws, parameters);
        },
        py::arg("function"), py::kw_only(), py::arg("name") = py::none(), py::arg("like") = "", py::arg("changes") = false,
        py::arg("draws") = false, py::arg("parameters") = py::dict(), meaning);
  };
  add("ranks", "An order: function(graph, durations_ns, seed) gives a number for each task; the lowest of the ready ones goes first.");
  add("order", "An order asked in the run: function(task, now_ns, ready_ns, arrival, waiting) gives the task's rank.");
  add("placement", "function(task, cores, held, load_ns, ran_on, ended_ns) gives one of `cores`.");
  add("schedule", "function(graph, workers, cost, communication) gives for each core the list of its tasks.");
  add("victim", "function(thief, round, attempt, lengths) gives the queue to try, or None where the round is over.");
  add("steal_size", "function(there) gives how many tasks a thief takes, 1 to `there`.");
  add("fill", "function(idle_elsewhere, left, cores) says whether a core that holds a task may be given a further one.");
  policy
      .def_static("load", &of_object, py::arg("file"), py::arg("axis"), py::arg("name") = "", py::arg("parameters") = py::dict(),
                  "That of a shared object.")
      .def_readonly("axis", &Policy::axis)
      .def_property_readonly(
          "file", [](const Policy& self) { return self.own.file; }, "The shared object; empty for a callable.")
      .def_property_readonly("name", [](const Policy& self) { return self.own.name; })
      .def_property_readonly("parameters", [](const Policy& self) { return self.own.parameters; })
      .def("__repr__", [](const Policy& self) { return "<Policy of " + self.axis + ": " + self.own.text() + ">"; });
}

}  // namespace tasktwin::python
