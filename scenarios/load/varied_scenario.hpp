#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "scenarios/document/document.hpp"
#include "scenarios/load/load_parts.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/operators/cut_operators.hpp"

namespace tasktwin::scenarios {

/// A scenario file that is read once for many variants of it: of each, only what its overrides change is read, checked and made again.
class VariedScenario {
 public:
  /// Named designs of `designs` that the file lacks join its designs. Throws InputError for a file that cannot be read.
  VariedScenario(const std::string& path_or_name, std::span<const std::string> designs);

  /// The names of the file's designs and of those that joined them.
  std::vector<std::string> design_names() const;

  /// The scenario as load_scenario(path, overrides, {design}) has it, with `design` alone, and without the machine's hash and where its
  /// numbers come from. Valid until the next call. Throws InputError for overrides or a scenario that load_scenario refuses; faults of
  /// other designs are not looked for.
  const Scenario& with(std::span<const std::string> overrides, const std::string& design);

 private:
  /// What was made of the same overrides before. `weight` of all that is kept is at most kMostWeight.
  template <class T>
  class Kept {
   public:
    /// Puts what belongs to `key` in `place`: as it was made before, else made by `make`.
    template <class Make>
    void put(T& place, const std::string& key, std::size_t weight, Make make);
    /// The value at `place` is something else.
    void forget() { current_.reset(); }

   private:
    std::map<std::string, T> others_;
    std::size_t weight_ = 0;
    std::optional<std::string> current_;  ///< key of the contents of `place`
  };

  void apply_section(const std::string& section, const std::string& design);
  void keep_only(const std::string& design);
  void check_stale();
  void read_stale();
  void read_graph_of(std::uint64_t seed);

  Document document_;                                           ///< as the overrides have it
  Node file_;                                                   ///< as the file has it, with the designs that joined
  std::map<std::string, std::string> applied_;                  ///< by key of the root: the overrides that are applied below it, one a line
  std::set<std::string> stale_{"machine", "graph", "designs"};  ///< keys whose sections are not checked and read as they are
  bool whole_checked_ = false;                                  ///< all designs of the file have passed the schema
  Scenario scenario_;
  MachineFiles machine_files_;
  Kept<Machine> machines_;
  Kept<TaskGraph> graphs_;
  CutTasks cut_;
  std::optional<SwimlaneCapture> capture_;
};

}  // namespace tasktwin::scenarios
