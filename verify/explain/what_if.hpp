#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/graph_edits.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

/// Behind the name of a scenario that a what-if has changed.
inline constexpr std::string_view kWhatIfSuffix = "-what-if";

/// Changes to a scenario. Patterns go by the names of tasks (models/base/name_pattern.hpp). Edits of the graph come in the
/// order of these members.
struct WhatIf {
  std::vector<std::string> drop;  ///< patterns of tasks that go
  std::vector<NewTask> insert;
  std::vector<std::pair<std::string, double>> scale;  ///< patterns, and what their work is multiplied by
  std::vector<std::string> fuse;                      ///< patterns whose chains become one task each
  std::vector<std::pair<std::string, int>> move;      ///< patterns, and the stream that they ask for
  std::optional<int> streams = {};                    ///< that many, list-scheduled
  std::string as = {};                                ///< a word of as_words()
  std::optional<Allocator> allocator = {};
  bool dependences = false;               ///< those that the memory of a captured program's tasks shows, in place of its order
  std::vector<std::string> without_wait;  ///< patterns of names of a captured program's waits that go (needed_order.hpp)
  /// Of a captured program a wait's name, and the pattern of tasks for the last of which before it it is to wait instead.
  std::vector<std::pair<std::string, std::string>> wait_at = {};
  /// What an iteration of the captured program, or all of it where it has none, takes without the profiler: its host is as much quicker.
  std::optional<Duration> unprofiled = {};
  std::optional<int> replicas = {};  ///< of the captured program, at once, in processes that share the device
  std::optional<double> host = {};   ///< how many times as long the host's calls and its own time take

  bool wanted() const;
};

/// How the program's work may be launched instead, each with its meaning: graph, streams, events, syncs, ptds.
std::vector<std::pair<std::string_view, std::string_view>> as_words();

/// The changed selection, with a list of the changes in Selection::changes. Throws InputError, naming the option, for a pattern that
/// matches no task, for designs that the change does not apply to, and for tasks that the machine then cannot run.
Selection what_if(const Selection& selection, const WhatIf& wanted);

/// Each selection, followed by the changed one; where WhatIf::unprofiled says what a captured program takes, both with a host as quick as
/// that needs. Throws InputError where no pace of the host gives it.
std::vector<Selection> with_what_if(std::vector<Selection> selections, const WhatIf& wanted);

/// Gives the captured program a host as quick as it takes for an iteration, or all of it where it has none, to take `wanted`. Throws
/// InputError where no pace of the host does.
void make_unprofiled(scenarios::Scenario& scenario, Duration wanted);

/// The makespan of a design.
struct DesignMakespan {
  std::string design;
  Duration makespan{};
};

/// The scenario's design that makes the captured program's calls again; null where it has none.
const Design* captured_design(const scenarios::Scenario& scenario);
/// Contract: `design` is that.
CapturedBase captured_base(const scenarios::Scenario& scenario, const Design& design);
/// Whether a call of that name allocates or frees memory.
bool allocates(std::string_view call);

Json base_to_json(const CapturedBase& base);

/// Compares makespans of a changed selection with those of the unchanged one.
class WhatIfOutcome {
 public:
  /// Contract: both outlive it; `before` is of the selection before, in its order.
  WhatIfOutcome(const Selection& selection, std::vector<DesignMakespan> before) : selection_(selection), before_(std::move(before)) {}
  void add(const Design& design, Duration makespan) { makespans_.push_back({design.name, makespan}); }

  /// The changes, and by how much each design is faster or slower: of a captured program than that, which is the first row; else than the
  /// unchanged design of its name, or without one, than the fastest. Empty for an unchanged selection.
  std::string text() const;
  /// Of an unchanged captured program what a graph among its designs gains by, and what has to hold for it, a line; else empty.
  std::string graph_text() const;
  std::vector<DesignMakespan> makespans() const { return makespans_; }
  /// WhatIfData of the page (report/page/src/data.ts); null for an unchanged selection.
  Json for_page() const;

 private:
  std::string against_captured(const CapturedBase& base) const;
  const Design* design_called(const std::string& name) const;
  /// Where each design's gain comes from, a sentence each.
  std::vector<std::string> gains(const CapturedBase& base) const;

  const Selection& selection_;
  std::vector<DesignMakespan> before_;
  std::vector<DesignMakespan> makespans_;
};

}  // namespace tasktwin::verify
