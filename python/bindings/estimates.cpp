#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include "models/base/error.hpp"
#include "python/bindings/apart.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/values.hpp"
#include "sim/estimate/estimate.hpp"

namespace tasktwin::python {

namespace py = pybind11;

namespace {

constexpr std::uint64_t kMostSeed = std::numeric_limits<std::uint64_t>::max();
constexpr auto kMostTime = static_cast<std::uint64_t>(sim::kLongestTime.count());
constexpr std::uint64_t kMostId = std::numeric_limits<std::uint32_t>::max();

/// An estimate that one thread uses at a time.
class Estimate {
 public:
  Estimate(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed, const Timeline* replayed)
      : of_(graph, machine, design, seed, replayed), long_(graph.size() + graph.edge_count() > kLongWork) {}

  /// What `use` makes of it. Throws RunError while another thread, or a call that was interrupted, is at it.
  template <class Use>
  auto with(Use use) {
    const Turn turn(busy_);
    return use(of_);
  }
  bool is_long() const { return long_; }

 private:
  class Turn {
   public:
    explicit Turn(std::atomic_flag& busy) : busy_(busy) {
      if (busy_.test_and_set()) throw RunError("the estimate is in use by another thread, or by a call that was interrupted");
    }
    ~Turn() { busy_.clear(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    std::atomic_flag& busy_;
  };

  sim::Estimate of_;
  bool long_;
  std::atomic_flag busy_ = {};
};

using Shared = std::shared_ptr<Estimate>;

TaskId task(const py::object& value, const char* name) { return TaskId{static_cast<std::uint32_t>(whole_number(value, 0, kMostId, name))}; }

Shared opened(const py::object& graph, const py::object& machine, const py::object& design, const py::object& seed,
              const py::object& replayed) {
  const auto& of = instance<TaskGraph>(graph, "Graph", "graph");
  const auto& on = instance<Machine>(machine, "Machine", "machine");
  const auto& under = instance<Design>(design, "Design", "design");
  const std::uint64_t with_seed = whole_number(seed, 0, kMostSeed, "seed");
  const Timeline* const follows = replayed.is_none() ? nullptr : &instance<Timeline>(replayed, "Timeline", "replayed");
  return without_lock(of.size() + of.edge_count() > kLongWork, [=, &of, &on, design = under](const Interrupted&) {
    (void)graph, (void)machine, (void)replayed;  // kept
    return std::make_shared<Estimate>(of, on, design, with_seed, follows);
  });
}

std::int64_t run(const Shared& estimate) {
  return without_lock(estimate->is_long(), [estimate](const Interrupted& interrupted) {
    return estimate->with([&](sim::Estimate& of) { return to_ns(of.makespan(interrupted)); });
  });
}

Timeline timeline(const Shared& estimate) {
  return without_lock(estimate->is_long(), [estimate](const Interrupted& interrupted) {
    return estimate->with([&](sim::Estimate& of) { return of.run(interrupted); });
  });
}

std::vector<std::uint32_t> numbers(const std::vector<TaskId>& tasks) {
  std::vector<std::uint32_t> all;
  for (const TaskId id : tasks) all.push_back(static_cast<std::uint32_t>(id));
  return all;
}

std::vector<std::uint32_t> critical(const Shared& estimate) {
  return without_lock(estimate->is_long(), [estimate](const Interrupted& interrupted) {
    return estimate->with([&](sim::Estimate& of) { return numbers(of.critical(interrupted)); });
  });
}

std::vector<std::vector<std::uint32_t>> lists(const Shared& estimate) {
  return estimate->with([](const sim::Estimate& of) {
    std::vector<std::vector<std::uint32_t>> all;
    for (const std::vector<TaskId>& list : of.lists()) all.push_back(numbers(list));
    return all;
  });
}

}  // namespace

void bind_estimates(py::module_& module) {
  py::class_<Estimate, Shared>(module, "Estimate",
                               "A prediction that is asked for again and again, with small edits, of which only what they can have changed "
                               "is simulated again where the design has lists.")
      .def(py::init(&opened), py::arg("graph"), py::arg("machine"), py::arg("design"), py::kw_only(), py::arg("seed") = 1,
           py::arg("replayed") = py::none())
      .def(
          "set_time",
          [](const Shared& estimate, const py::object& id, const py::object& time_ns) {
            const auto time = Duration{static_cast<std::int64_t>(whole_number(time_ns, 0, kMostTime, "time_ns"))};
            estimate->with([&](sim::Estimate& of) { of.set_time(task(id, "task"), time); });
          },
          py::arg("task"), py::arg("time_ns"))
      .def(
          "set_priority",
          [](const Shared& estimate, const py::object& id, std::int32_t priority) {
            estimate->with([&](sim::Estimate& of) { of.set_priority(task(id, "task"), priority); });
          },
          py::arg("task"), py::arg("priority"))
      .def(
          "add_edge",
          [](const Shared& estimate, const py::object& from, const py::object& to) {
            estimate->with([&](sim::Estimate& of) { of.add_edge(task(from, "from_id"), task(to, "to_id")); });
          },
          py::arg("from_id"), py::arg("to_id"))
      .def(
          "remove_edge",
          [](const Shared& estimate, const py::object& from, const py::object& to) {
            estimate->with([&](sim::Estimate& of) { of.remove_edge(task(from, "from_id"), task(to, "to_id")); });
          },
          py::arg("from_id"), py::arg("to_id"))
      .def(
          "move",
          [](const Shared& estimate, const py::object& id, const py::object& core, const py::object& place) {
            const CoreId to{static_cast<std::uint32_t>(whole_number(core, 0, kMostId, "core"))};
            const std::uint64_t at = whole_number(place, 0, kMostId, "place");
            estimate->with([&](sim::Estimate& of) { of.move(task(id, "task"), to, at); });
          },
          py::arg("task"), py::arg("core"), py::arg("place"), "To that place of the core's list as it is without the task.")
      .def("run", &run, "The makespan in ns, as edited.")
      .def("keep", [](const Shared& estimate) { estimate->with([](sim::Estimate& of) { of.keep(); }); })
      .def("undo", [](const Shared& estimate) { estimate->with([](sim::Estimate& of) { of.undo(); }); })
      .def("critical", &critical, "The tasks whose bodies are on the observed critical path, first to last.")
      .def_property_readonly("timeline", &timeline)
      .def_property_readonly("lists", &lists, "By core: the tasks of its list.")
      .def_property_readonly(
          "graph", [](const Shared& estimate) { return estimate->with([](sim::Estimate& of) { return of.graph(); }); }, "As edited.")
      .def_property_readonly("design", [](const Shared& estimate) { return estimate->with([](sim::Estimate& of) { return of.design(); }); })
      .def_property_readonly(
          "simulated", [](const Shared& estimate) { return estimate->with([](sim::Estimate& of) { return of.simulated(); }); },
          "The share of the last run that was simulated for it.")
      .def_property_readonly(
          "whole_because", [](const Shared& estimate) { return estimate->with([](sim::Estimate& of) { return of.whole_because(); }); },
          "Why every edit is simulated whole; empty where some are in part.");
}

}  // namespace tasktwin::python
