#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/document/document.hpp"
#include "scenarios/document/faults.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/swimlane/swimlane_capture.hpp"

namespace tasktwin::scenarios {

/// The steps of reading a scenario, from a document that has passed the schema. Each throws InputError at its place, or collects it.

/// The document of a file that is no other program's and none of the project's other kinds; no schema has seen it yet.
Document scenario_file(const std::string& path_or_name);

/// Machine files that have been read, by their paths. To be copied many times over: of where their numbers come from they know no more than
/// which kernels have costs.
using MachineFiles = std::map<std::string, Machine>;

/// `scenario.machine` and the file that it starts from, which is read once where `known` keeps it; the hash is left out.
void read_machine(Scenario& scenario, const Document& document, MachineFiles* known = nullptr);

/// Of a generator, or of tasks written out, which may name the scenario's own kernels: what these cost on `scenario.machine` is kept in
/// `scenario`, with the remarks on it.
TaskGraph read_graph(Scenario& scenario, const Document& document, std::uint64_t seed);

/// The run that `graph.records` and `graph.deps` name; nullopt where they do not.
std::optional<SwimlaneCapture> read_capture(Scenario& scenario, const Document& document);

/// The scenario's graph with kernels in place of its collectives, where `collectives` says so.
void make_collectives(Scenario& scenario, const Document& document);

/// What `graph.import` names, where it names anything: the graph, and next to it the program and the captured run.
bool read_import(Scenario& scenario, const Document& document);

/// Collects what `run` refuses of each design that has no fault yet, at the design's place.
class DesignChecks {
 public:
  DesignChecks(const Document& document, const Scenario& scenario, Faults& faults);
  void run(const std::function<void(const Design& design)>& check);

 private:
  const Document& document_;
  const Scenario& scenario_;
  Faults& faults_;
  std::vector<bool> sound_;
};

/// Collects why the machine or a design cannot run the graph.
void check_graph(const Document& document, const Scenario& scenario, DesignChecks& checks, Faults& faults);

/// The timelines that placement `replay` follows, at paths relative to the scenario's file; that of a capture is its `records`.
void read_replays(Scenario& scenario, const Document& document, const SwimlaneCapture* capture, Faults& faults);

}  // namespace tasktwin::scenarios
