#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

/// What `scenario`'s file states without effect under `design` (models/checks/remarks.hpp), a sentence each.
std::vector<std::string> remarks(const scenarios::Scenario& scenario, const Design& design);

/// Constants that the designs read and whose value is another machine's (Machine::inherited) or assumed (Machine::assumed).
struct InheritedConstants {
  std::size_t all = 0;                                              ///< that the designs read
  std::map<std::string, std::vector<std::string>> by_machine = {};  ///< their keys
  std::size_t assumed = 0;                                          ///< of its own

  /// "34 of the 46 constants that count are ascend-a2a3's, 2 are assumed"; empty where the machine has all of its own and none is assumed.
  std::string sentence() const;
};

InheritedConstants inherited_constants(const Machine& machine, std::span<const Design* const> designs, const TaskGraph& graph);

/// Why runs of the design may go wrong in ways that a run need not show: a race of outputs, orders in which it hangs. Contract:
/// check_design has passed.
std::vector<std::string> hazards(const scenarios::Scenario& scenario, const Design& design);

/// The remarks of a command, each made once for all the designs that it concerns.
class RemarkList {
 public:
  void add(const scenarios::Scenario& scenario, const Design& design);
  void add(const std::string& scenario, const std::string& design, const std::vector<std::string>& sentences);
  /// On standard error, as remark() does.
  void tell() const;

 private:
  struct Entry {
    std::string scenario;
    std::string sentence;
    std::vector<std::string> designs;
  };
  std::vector<Entry> entries_;
};

/// Tells all of the selected designs at once.
void tell_remarks(std::span<const Selection> selections);

}  // namespace tasktwin::verify
