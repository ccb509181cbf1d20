#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include "models/base/error.hpp"
#include "models/bounds/checked_bounds.hpp"
#include "models/explain/metrics.hpp"
#include "python/bindings/apart.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/values.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/load/assemble.hpp"
#include "sim/simulator.hpp"
#include "verify/output/text/bounds_output.hpp"
#include "verify/predict/run_bounds.hpp"

namespace tasktwin::python {

namespace py = pybind11;

namespace {

constexpr std::uint64_t kMostSeed = std::numeric_limits<std::uint64_t>::max();

py::dict to_python(const Metrics& metrics) {
  using namespace py::literals;
  return py::dict("makespan_ns"_a = to_ns(metrics.makespan), "core_busy_share"_a = metrics.core_busy_share,
                  "core_busy_shares"_a = metrics.core_busy_shares, "dispatcher_busy_share"_a = metrics.dispatcher_busy_share,
                  "dispatcher_busy_shares"_a = metrics.dispatcher_busy_shares, "load_imbalance"_a = metrics.load_imbalance,
                  "overhead_share"_a = metrics.overhead_share, "mean_queue_length"_a = metrics.mean_queue_length,
                  "max_queue_length"_a = metrics.max_queue_length);
}

/// Bounds take a good part of the time of a run: those of one run in this many are held against its makespan, of the first among them.
constexpr std::size_t kOneIn = 16;

sim::Simulation simulated(const TaskGraph& graph, const Machine& machine, const Design& design, const sim::SimulationOptions& options) {
  static std::atomic<std::size_t> simulated{0};
  sim::Simulation run = sim::simulate(graph, machine, design, options);
  if (simulated++ % kOneIn == 0)
    checked_bounds(graph, machine, design, {.seed = options.seed, .bodies = options.bodies, .program = options.program},
                   run.timeline.makespan());
  return run;
}

/// A run with what it was of.
struct Simulation {
  py::object graph;
  py::object machine;
  Design design;
  std::uint64_t seed;
  std::vector<Duration> bodies;
  sim::Simulation run;
  py::object scenario = py::none();  ///< whose program it is
  const HostProgram* program = nullptr;

  Bounds bounds(const TaskGraph& of, const Machine& on) const {
    return checked_bounds(of, on, design, {.seed = seed, .bodies = bodies, .program = program}, run.timeline.makespan());
  }
};

sim::SimulationOptions options_from(const py::object& seed, const py::object& run, double host_pace, const std::string& solver) {
  sim::SimulationOptions options;
  options.seed = whole_number(seed, 0, kMostSeed, "seed");
  options.run = whole_number(run, 0, kMostSeed, "run");
  if (!(host_pace >= sim::kLeastHostPace && host_pace <= sim::kMostHostPace))  // NaN is neither
    throw InputError("host_pace: is " + std::string(py::str(py::float_(host_pace))) + "; must be 0.001 to 1000");
  options.host_pace = host_pace;
  const auto known = from_word<sim::BandwidthSolver>(solver);
  if (!known) throw InputError("bandwidth_solver: unknown value '" + solver + "'" + suggest(solver, all_words<sim::BandwidthSolver>()));
  options.bandwidth_solver = *known;
  return options;
}

std::vector<Duration> bodies_from(const py::object& given, std::size_t tasks) {
  if (given.is_none()) return {};
  const py::array array = array_from(given, "bodies_ns");
  if (array.dtype().kind() != 'i' || array.ndim() != 1 || static_cast<std::size_t>(array.size()) != tasks)
    throw InputError("bodies_ns: must be an array of " + std::to_string(tasks) + " whole numbers, one for each task");
  const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast> exact(array);
  std::vector<Duration> bodies;
  for (py::ssize_t i = 0; i < exact.size(); ++i) {
    if (*exact.data(i) < 0 || *exact.data(i) > scenarios::kMaxTimeNs)
      throw InputError("bodies_ns: is " + std::to_string(*exact.data(i)) + " for task " + std::to_string(i) + "; must be 0 to " +
                       std::to_string(scenarios::kMaxTimeNs));
    bodies.emplace_back(*exact.data(i));
  }
  return bodies;
}

const Timeline* replayed_from(const py::object& given, const TaskGraph& graph) {
  if (given.is_none()) return nullptr;
  const auto& timeline = instance<Timeline>(given, "Timeline", "replayed");
  if (timeline.tasks.size() != graph.size())
    throw InputError("replayed: is of " + std::to_string(timeline.tasks.size()) + " tasks; the graph has " + std::to_string(graph.size()));
  return &timeline;
}

bool is_long(const TaskGraph& graph) { return graph.size() + graph.edge_count() > kLongWork; }

Simulation simulate(const py::object& graph_object, const py::object& machine_object, const Design& design, const py::object& seed,
                    const py::object& run, double host_pace, bool record_steps, const std::string& bandwidth_solver,
                    const py::object& replayed, const py::object& bodies_ns) {
  const auto& graph = instance<TaskGraph>(graph_object, "Graph", "graph");
  const auto& machine = instance<Machine>(machine_object, "Machine", "machine");
  sim::SimulationOptions options = options_from(seed, run, host_pace, bandwidth_solver);
  options.record_steps = record_steps;
  options.replayed = replayed_from(replayed, graph);
  Simulation result{graph_object, machine_object, design, options.seed, bodies_from(bodies_ns, graph.size()), {}};
  result.run = without_lock(is_long(graph), [&graph, &machine, design, options, bodies = result.bodies, graph_object, machine_object,
                                             replayed](const Interrupted& interrupted) {
    sim::SimulationOptions with = options;
    with.bodies = bodies;
    with.interrupted = interrupted;
    scenarios::check_runnable(graph, machine, design);
    return simulated(graph, machine, design, with);
  });
  return result;
}

/// A scenario's run, with all that its file says of it: a captured program, placements to follow.
Simulation simulate_scenario(const py::object& scenario_object, const py::object& design, const py::object& seed, bool record_steps) {
  const auto& scenario = instance<scenarios::Scenario>(scenario_object, "Scenario", "scenario");
  const Design under = chosen(scenario_object, design, "design");
  const std::uint64_t of_run = seed.is_none() ? scenario.seed : whole_number(seed, 0, kMostSeed, "seed");
  Simulation result{scenario_object.attr("graph"), scenario_object.attr("machine"), under, of_run, verify::captured_bodies(scenario), {}};
  sim::SimulationOptions options;
  options.seed = of_run;
  options.host_pace = scenario.host_pace;
  options.record_steps = record_steps;
  options.replayed = scenario.replayed(under);
  options.program = scenario.program ? &*scenario.program : nullptr;
  result.scenario = scenario_object;
  result.program = options.program;
  result.run = without_lock(is_long(scenario.graph),
                            [&scenario, under, options, bodies = result.bodies, scenario_object](const Interrupted& interrupted) {
                              sim::SimulationOptions with = options;
                              with.bodies = bodies;
                              with.interrupted = interrupted;
                              return simulated(scenario.graph, scenario.machine, under, with);
                            });
  return result;
}

/// What several runs gave, each in the order of graphs, designs and seeds.
struct Series {
  explicit Series(bool with_metrics, std::size_t runs) : metrics(with_metrics) {
    makespans.reserve(runs);
    for (auto* values : shares()) values->reserve(with_metrics ? runs : 0);
  }

  void add(const TaskGraph& graph, const Timeline& timeline) {
    makespans.push_back(to_ns(timeline.makespan()));
    if (!metrics) return;
    const Metrics measured = measure(graph, timeline);
    core_busy.push_back(measured.core_busy_share);
    dispatcher_busy.push_back(measured.dispatcher_busy_share);
    imbalance.push_back(measured.load_imbalance);
    overhead.push_back(measured.overhead_share);
    queue_length.push_back(measured.mean_queue_length);
  }

  py::dict arrays(const std::vector<py::ssize_t>& shape) {
    py::dict all;
    all["makespan_ns"] = owned(std::move(makespans), shape);
    if (!metrics) return all;
    constexpr std::array names{"core_busy_share", "dispatcher_busy_share", "load_imbalance", "overhead_share", "mean_queue_length"};
    for (std::size_t i = 0; i < names.size(); ++i) all[names[i]] = owned(std::move(*shares()[i]), shape);
    return all;
  }

  std::array<std::vector<double>*, 5> shares() { return {&core_busy, &dispatcher_busy, &imbalance, &overhead, &queue_length}; }

  bool metrics;
  std::vector<std::int64_t> makespans;
  std::vector<double> core_busy;
  std::vector<double> dispatcher_busy;
  std::vector<double> imbalance;
  std::vector<double> overhead;
  std::vector<double> queue_length;
};

/// The elements of a sequence, or the one object that is none, kept alive whatever happens to the sequence meanwhile.
template <class Value>
struct Several {
  Several(const py::object& given, const char* type, const char* name) {
    if (py::isinstance<Value>(given))
      objects.push_back(given);
    else
      for (const py::handle one : py::iter(given)) objects.push_back(py::reinterpret_borrow<py::object>(one));
    if (objects.empty()) throw InputError(std::string(name) + ": is empty; at least one is needed");
    for (const py::object& object : objects) values.push_back(&instance<Value>(object, type, name));
  }
  py::ssize_t size() const { return static_cast<py::ssize_t>(values.size()); }

  std::vector<py::object> objects;
  std::vector<const Value*> values;
};

std::vector<std::uint64_t> seeds_from(const py::object& given) {
  std::vector<std::uint64_t> seeds;
  if (py::isinstance<py::int_>(given)) return {whole_number(given, 0, kMostSeed, "seeds")};
  refuse_masks(given, "seeds");
  SignalCheck check;
  for (const py::handle one : py::iter(given)) {
    check();
    seeds.push_back(whole_number(one, 0, kMostSeed, "seeds[" + std::to_string(seeds.size()) + "]"));
  }
  if (seeds.empty()) throw InputError("seeds: is empty; at least one is needed");
  return seeds;
}

/// What simulate_many runs.
struct Runs {
  Several<TaskGraph> graphs;
  Several<Design> designs;
  std::vector<std::uint64_t> seeds;
  py::object machine_object;
  const Machine& machine;
  sim::SimulationOptions options;
  bool metrics;

  Series series(const Interrupted& interrupted) const {
    Series made(metrics, graphs.values.size() * designs.values.size() * seeds.size());
    sim::SimulationOptions with = options;
    with.interrupted = interrupted;
    for (const TaskGraph* graph : graphs.values) {
      for (const Design* design : designs.values) {
        scenarios::check_runnable(*graph, machine, *design);
        for (const std::uint64_t seed : seeds) {
          if (interrupted()) throw RunError("interrupted");
          with.seed = seed;
          made.add(*graph, simulated(*graph, machine, *design, with).timeline);
        }
      }
    }
    return made;
  }
};

py::dict simulate_many(const py::object& graphs, const py::object& machine_object, const py::object& designs, const py::object& seeds,
                       double host_pace, const std::string& bandwidth_solver, bool metrics) {
  const auto& machine = instance<Machine>(machine_object, "Machine", "machine");
  Several<TaskGraph> all_graphs(graphs, "Graph", "graphs");
  Several<Design> all_designs(designs, "Design", "designs");
  std::vector<std::uint64_t> all_seeds = seeds_from(seeds);
  const std::vector<py::ssize_t> shape{all_graphs.size(), all_designs.size(), static_cast<py::ssize_t>(all_seeds.size())};
  const bool one_is_long = std::ranges::any_of(all_graphs.values, [](const TaskGraph* graph) { return is_long(*graph); });
  Runs runs{std::move(all_graphs),
            std::move(all_designs),
            std::move(all_seeds),
            machine_object,
            machine,
            options_from(py::int_(1), py::int_(0), host_pace, bandwidth_solver),
            metrics};
  Series series = without_lock(one_is_long, [runs = std::move(runs)](const Interrupted& interrupted) { return runs.series(interrupted); });
  return series.arrays(shape);
}

}  // namespace

}  // namespace tasktwin::python

template <>
class pybind11::detail::type_caster<tasktwin::python::Simulation> : public InitialisedCaster<tasktwin::python::Simulation> {};

namespace tasktwin::python {

void bind_simulation(py::module_& module) {
  py::class_<Simulation>(module, "Simulation", "A simulated run.")
      .def_readonly("graph", &Simulation::graph)
      .def_readonly("machine", &Simulation::machine)
      .def_readonly("design", &Simulation::design)
      .def_readonly("seed", &Simulation::seed)
      .def_property_readonly(
          "timeline", [](const Simulation& simulation) -> const Timeline& { return simulation.run.timeline; },
          py::return_value_policy::reference_internal)
      .def_property_readonly("makespan_ns", [](const Simulation& simulation) { return to_ns(simulation.run.timeline.makespan()); })
      .def_property_readonly(
          "wall_seconds", [](const Simulation& simulation) { return simulation.run.wall_seconds; }, "Of the run loop alone.")
      .def(
          "metrics",
          [](const py::object& self) {
            const auto& simulation = py::cast<const Simulation&>(self);
            const auto& graph = py::cast<const TaskGraph&>(simulation.graph);
            return to_python(without_lock(
                is_long(graph), [self, &simulation, &graph](const Interrupted&) { return measure(graph, simulation.run.timeline); }));
          },
          "Shares of the makespan, and queue lengths.")
      .def(
          "bounds",
          [](const py::object& self) {
            const auto& simulation = py::cast<const Simulation&>(self);
            const auto& graph = py::cast<const TaskGraph&>(simulation.graph);
            const auto& machine = py::cast<const Machine&>(simulation.machine);
            return to_python(verify::bounds_to_json(without_lock(
                is_long(graph), [self, &simulation, &graph, &machine](const Interrupted&) { return simulation.bounds(graph, machine); })));
          },
          "Times that no run can beat.")
      .def("__repr__", [](const Simulation& simulation) {
        return "<Simulation under '" + simulation.design.name + "': " + std::to_string(to_ns(simulation.run.timeline.makespan())) + " ns>";
      });
  module.def("simulate", &simulate, py::arg("graph"), py::arg("machine"), py::arg("design"), py::kw_only(), py::arg("seed") = 1,
             py::arg("run") = 0, py::arg("host_pace") = 1.0, py::arg("record_steps") = false, py::arg("bandwidth_solver") = "virtual_time",
             py::arg("replayed") = py::none(), py::arg("bodies_ns") = py::none(),
             "Predicts how `graph` runs on `machine` under `design`. The same arguments give the same run.");
  py::reinterpret_borrow<py::class_<scenarios::Scenario>>(module.attr("Scenario"))
      .def("simulate", &simulate_scenario, py::arg("design"), py::kw_only(), py::arg("seed") = py::none(), py::arg("record_steps") = false,
           "Predicts how it runs under `design`, or the one of that name; a captured program's calls too.");
  module.def("simulate_many", &simulate_many, py::arg("graphs"), py::arg("machine"), py::arg("designs"), py::arg("seeds") = 1,
             py::kw_only(), py::arg("host_pace") = 1.0, py::arg("bandwidth_solver") = "virtual_time", py::arg("metrics") = false,
             "Every graph under every design with every seed: arrays of that shape, by name.");
}

}  // namespace tasktwin::python
