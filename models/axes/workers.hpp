#pragma once

#include <array>
#include <cstdint>

#include "models/base/names.hpp"

namespace tasktwin {

// Axes of a Design: the tasks' coming and going at compute cores on which a worker stays.

/// Who makes the tasks known, and when.
enum class GraphBuild : std::uint8_t { kHost, kDevice };
template <>
struct Words<GraphBuild> {
  static constexpr std::array values{
      AxisValue{GraphBuild::kHost, "host", "the host, all of them before the run"},
      AxisValue{GraphBuild::kDevice, "device", "orchestrators on the device, one task after the other, into a window"},
  };
  static constexpr auto entries = words_of(values);
};

/// Whether a run begins with the host building the graph, or once that is done.
enum class HostBuild : std::uint8_t { kUntimed, kTimed };
template <>
struct Words<HostBuild> {
  static constexpr std::array values{
      AxisValue{HostBuild::kUntimed, "untimed", "the run begins once the graph is on the device"},
      AxisValue{HostBuild::kTimed, "timed", "the run begins with the host building the graph and bringing it to the device"},
  };
  static constexpr auto entries = words_of(values);
};

/// When a core that holds a task is given a further one ahead of time; of tasks of several blocks each block counts
/// (models/rules/fill.hpp).
enum class Fill : std::uint8_t { kAlways, kWhenNoCoreIdle, kNotInTail };
template <>
struct Words<Fill> {
  static constexpr std::array values{
      AxisValue{Fill::kAlways, "always", "whenever its mailbox has room"},
      AxisValue{Fill::kWhenNoCoreIdle, "when_no_core_idle", "only while no core is idle"},
      AxisValue{Fill::kNotInTail, "not_in_tail", "only while more tasks are left to hand over than there are cores"},
  };
  static constexpr auto entries = words_of(values);
};

/// Whether a task may be handed over before its predecessors are done, and when a dispatcher does so.
enum class EarlyDispatch : std::uint8_t { kOff, kOn, kIdlePass, kAnySlot };
template <>
struct Words<EarlyDispatch> {
  static constexpr std::array values{
      AxisValue{EarlyDispatch::kOff, "off", "only once the dispatcher has seen all of them done"},
      AxisValue{EarlyDispatch::kOn, "on",
                "once all of them run, to a core without a task: it waits there for a doorbell, rung as soon as the last is seen done"},
      AxisValue{EarlyDispatch::kIdlePass, "idle_pass",
                "the same, but only in a pass in which it hands over nothing else and no task is ready"},
      AxisValue{EarlyDispatch::kAnySlot, "any_slot", "as 'on', and behind the task that a core runs, where its mailbox has room"},
  };
  static constexpr auto entries = words_of(values);
};

/// Which cores Design::early_limit counts.
enum class EarlyBound : std::uint8_t { kSum, kPerEdge, kPerDispatcher };
template <>
struct Words<EarlyBound> {
  static constexpr std::array values{
      AxisValue{EarlyBound::kSum, "sum", "all that hold a task which cannot start yet"},
      AxisValue{EarlyBound::kPerEdge, "per_edge", "those held for an edge, and so for one task, however many are held for others"},
      AxisValue{EarlyBound::kPerDispatcher, "per_dispatcher", "those among the cores of the dispatcher that hands over"},
  };
  static constexpr auto entries = words_of(values);
};

/// Which task that may be handed over early goes first.
enum class EarlyOrder : std::uint8_t { kMixFirst, kFifo };
template <>
struct Words<EarlyOrder> {
  static constexpr std::array values{
      AxisValue{EarlyOrder::kMixFirst, "mix_first", "those for a cluster before those for cores of one type, as with ready tasks"},
      AxisValue{EarlyOrder::kFifo, "fifo", "the one that could first be handed over"},
  };
  static constexpr auto entries = words_of(values);
};

/// How a task that needs several cores starts.
enum class Gang : std::uint8_t { kTogether, kPartsApart, kApart };
template <>
struct Words<Gang> {
  static constexpr std::array values{
      AxisValue{Gang::kTogether, "together", "on all of them at once, or not at all"},
      AxisValue{Gang::kPartsApart, "parts_apart",
                "the same of several blocks; of a `mix` task each part as soon as its core of the cluster is free"},
      AxisValue{Gang::kApart, "apart", "each block, or part, as soon as a core is free"},
  };
  static constexpr auto entries = words_of(values);
};

/// What becomes of a task that needs several cores at once where workers take tasks for themselves.
enum class Fallback : std::uint8_t { kNone, kRun, kTask };
template <>
struct Words<Fallback> {
  static constexpr std::array values{
      AxisValue{Fallback::kNone, "none", "it is refused"},
      AxisValue{Fallback::kRun, "run", "control cores hand out all tasks of the run in place of the workers, a queue a core type"},
      AxisValue{Fallback::kTask, "task", "a control core hands it to the workers, the next cluster or cores in turn; they take all others"},
  };
  static constexpr auto entries = words_of(values);
};

/// Who waits for a task's output to land in memory: its core, before it signals the completion, and whoever reads it, after the signal.
enum class OutputFlush : std::uint8_t { kBoth, kWriter, kReader, kNone };
template <>
struct Words<OutputFlush> {
  static constexpr std::array values{
      AxisValue{OutputFlush::kBoth, "both", "the core signals when the output has landed, and readers read after the signal"},
      AxisValue{OutputFlush::kWriter, "writer", "the core alone: a reader may have read before it sees the signal"},
      AxisValue{OutputFlush::kReader, "reader", "readers alone: the signal may come before the output"},
      AxisValue{OutputFlush::kNone, "none", "nobody"},
  };
  static constexpr auto entries = words_of(values);
};
constexpr bool writer_waits(OutputFlush flush) { return flush == OutputFlush::kBoth || flush == OutputFlush::kWriter; }
constexpr bool reader_waits(OutputFlush flush) { return flush == OutputFlush::kBoth || flush == OutputFlush::kReader; }

/// How a waiting worker learns that a task's predecessors are done.
enum class Notification : std::uint8_t { kCounter, kFlag, kSemaphore, kMessage };
template <>
struct Words<Notification> {
  static constexpr std::array values{
      AxisValue{Notification::kCounter, "counter", "a counter of those outstanding, decremented by each"},
      AxisValue{Notification::kFlag, "flag", "a flag in memory for each, read one after the other"},
      AxisValue{Notification::kSemaphore, "semaphore", "a hardware semaphore"},
      AxisValue{Notification::kMessage, "message",
                "the result itself, in pieces that carry a flag each; a flag where the result stays in memory"},
  };
  static constexpr auto entries = words_of(values);
};

/// How a worker learns that tasks before in its own list are done.
enum class OwnList : std::uint8_t { kSignal, kOrder };
template <>
struct Words<OwnList> {
  static constexpr std::array values{
      AxisValue{OwnList::kSignal, "signal", "as of all others: each edge is signalled and waited for"},
      AxisValue{OwnList::kOrder, "order", "it has run them itself: edges between tasks of one list are neither signalled nor waited for"},
  };
  static constexpr auto entries = words_of(values);
};

/// When a worker does the part of a task that needs none of its predecessors (TaskTraits::prologue).
enum class Prologues : std::uint8_t { kWithBody, kAhead };
template <>
struct Words<Prologues> {
  static constexpr std::array values{
      AxisValue{Prologues::kWithBody, "with_body", "as the body's first part, once what the task waits for is done"},
      AxisValue{Prologues::kAhead, "ahead", "as the worker comes to the task, before it waits"},
  };
  static constexpr auto entries = words_of(values);
};

/// How workers learn that nothing is left.
enum class Termination : std::uint8_t { kCounter, kVote, kSentinels };
template <>
struct Words<Termination> {
  static constexpr std::array values{
      AxisValue{Termination::kCounter, "counter", "a central counter of tasks outstanding"},
      AxisValue{Termination::kVote, "vote", "a tree of votes among the workers, up and down"},
      AxisValue{Termination::kSentinels, "sentinels", "a last task for each worker"},
  };
  static constexpr auto entries = words_of(values);
};

}  // namespace tasktwin
