#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/graph/small_edits.hpp"
#include "models/run/as_run.hpp"
#include "sim/estimate/checkpoints.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::sim {

/// Of a body, as in files.
inline constexpr Duration kLongestTime{100'000'000'000};

/// A prediction that is asked for again and again, with small edits: what does not depend on them is worked out once. A run under lists is
/// kept at some of its events, and an edit is simulated from the last of those on before which it cannot matter; under other designs the
/// whole run is. Both give what simulate() gives, to the byte. Where nothing but lists says who runs what, these are those that the
/// design's scheduler makes of the graph as it was given, and edits change them by move() alone. For one thread at a time.
class Estimate {
 public:
  /// `replayed`: SimulationOptions has it. Throws as simulate() does.
  Estimate(TaskGraph graph, Machine machine, Design design, std::uint64_t seed = 1, const Timeline* replayed = nullptr);
  ~Estimate();
  Estimate(const Estimate&) = delete;
  Estimate& operator=(const Estimate&) = delete;

  // Edits of what the next run() is of. Each throws InputError, and then changes nothing, for a task that is not there and for what the
  // design does not ask for.
  void set_time(TaskId task, Duration time);
  void set_priority(TaskId task, std::int32_t priority);  ///< under order `priority`
  void add_edge(TaskId from, TaskId to);                  ///< which carries no bytes; CycleError for one that closes a cycle
  void remove_edge(TaskId from, TaskId to);
  /// To that place, from 0, of the core's list as it is without the task.
  void move(TaskId task, CoreId core, std::size_t place);

  /// Of the graph and lists as edited. Throws RunError for a run that would come to a standstill, and where `interrupted`
  /// (SimulationOptions has it) says so; edits stay.
  const Timeline& run(const std::function<bool()>& interrupted = {});
  /// Of the same run, in less time where nobody asks for its timeline.
  Duration makespan(const std::function<bool()>& interrupted = {});
  /// The tasks whose bodies are on the observed critical path of that run, first to last. Throws as run().
  std::vector<TaskId> critical(const std::function<bool()>& interrupted = {});
  /// Makes the edits part of what undo() goes back to.
  void keep();
  void undo();

  const TaskGraph& graph();                                                                                  ///< as edited
  const FrozenSchedule& lists() const { return edited_ && edited_->lists ? *edited_->lists : base_.lists; }  ///< empty where none is kept
  const Machine& machine() const { return machine_; }
  const Design& design() const { return design_; }
  /// Of the last run's events, the share that was simulated for it; 1 for a whole run.
  double simulated() const { return simulated_; }
  /// Why no edit is simulated in part, in a clause; empty where some are.
  const std::string& whole_because() const { return whole_because_; }

 private:
  struct Inputs {
    TaskGraph graph;
    FrozenSchedule lists;
    std::optional<BodyCosts> costs;
    std::vector<Duration> planned;  ///< empty where lists alone decide who runs what
  };
  /// In what a run differs from that of the Inputs; empty where it is as there.
  struct Edited {
    SmallEdits of_graph;
    std::optional<TaskGraph> graph;  ///< with those; empty until it is asked for
    std::optional<FrozenSchedule> lists;
    std::optional<BodyCosts> costs;
  };

  Edited& edited();
  void check_task(TaskId task) const;
  void keep_checkpoints();
  Change change() const;
  void run_edited();
  Timeline whole_run();
  Timeline run_of(const TaskGraph& graph, const BodyCosts& costs, const FrozenSchedule& lists, std::span<const Duration> planned,
                  Stops* stops);

  Machine machine_;
  Design design_;
  std::uint64_t seed_;
  std::vector<CoreType> cores_;
  Inputs base_;
  AsRun met_;
  bool direct_;               ///< the graph runs as it is, none in its place
  bool keeps_lists_ = false;  ///< base_ has them; else each run makes its own
  std::string whole_because_;
  std::optional<Edited> edited_;         ///< empty where nothing is
  std::optional<Timeline> timeline_;     ///< of base_ as edited; empty where that has not run
  bool has_samples_ = false;             ///< timeline_ has those of the ready queue
  std::uint64_t events_ = 0;             ///< of the last whole run
  std::vector<Checkpoint> checkpoints_;  ///< of base_; empty where none were kept yet
  double simulated_ = 1;
  std::function<bool()> interrupted_ = {};  ///< of the run in progress
};

}  // namespace tasktwin::sim
