#pragma once

#include <array>
#include <chrono>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/kernel.hpp"
#include "models/task_graph.hpp"
#include "models/units.hpp"

namespace tasktwin {

/// A constant of a machine in nanoseconds, not yet rounded.
using Nanoseconds = std::chrono::duration<double, std::nano>;

/// Half away from zero: the one place where computed costs become whole nanoseconds.
Duration round_ns(Nanoseconds time);

/// Where a constant comes from.
struct Provenance {
  std::string source;  ///< the micro-benchmark or publication
  std::string date;    ///< ISO 8601
};

/// Compute cores of one type.
struct CoreGroup {
  CoreType type = CoreType::kSm;
  int count = 0;
};

/// Control cores (AICPU threads; on a GPU the warps of a dispatcher block).
struct ControlCores {
  int count = 0;
  int lanes = 1;           ///< items (polls, completions, successors, hand-overs) that one control core works on at a time
  int occupied_cores = 0;  ///< compute cores that the control cores take the place of, when a design uses them
};

/// The time of a kernel's body on one core by itself, beside what it moves through memory.
struct KernelCost {
  Nanoseconds overhead{};  ///< paid by every body, whatever its size
  /// Arithmetic time by size: piecewise linear through these points and through (0, 0), the last slope extended.
  struct Point {
    double flops = 0;
    double ns = 0;
    friend bool operator==(const Point&, const Point&) = default;
  };
  std::vector<Point> arithmetic;
};

/// Every latency and rate constant, in nanoseconds and bytes per nanosecond (= GB/s).
/// A task's way under a persistent design: dispatched –mailbox_hop→ received –start→ started –body→ ended –publish→
/// published –completion_hop→ seen by its dispatcher. Where cores release successors themselves, release and push stand for
/// publish, and –counter_hop→ is how a waiting core sees it.
struct Constants {
  // Host launch path (driver `streams`).
  Nanoseconds launch{};          ///< host time of one kernel launch
  Nanoseconds event_record{};    ///< host time of one event record
  Nanoseconds stream_wait{};     ///< host time of making a stream wait for an event
  Nanoseconds launch_latency{};  ///< launch call begun → kernel starts, everything idle
  Nanoseconds stream_gap{};      ///< kernel ends → next kernel of the same stream starts, already queued
  Nanoseconds event_gap{};       ///< kernel ends → kernel of another stream that waits for it starts, already queued
  // Hops through memory.
  Nanoseconds mailbox_hop{};     ///< hand-over written → the core has the task
  Nanoseconds completion_hop{};  ///< completion written → a dispatcher's poll can see it
  Nanoseconds counter_hop{};     ///< dependency counter written → a waiting core has seen it
  Nanoseconds queue_hop{};       ///< task pushed to a shared queue → the core whose ticket it meets has it
  // Compute core.
  Nanoseconds start{};                  ///< the core has the task and is free → its body starts
  Nanoseconds publish{};                ///< body ended → completion written for a dispatcher
  Nanoseconds release{};                ///< body ended → counters of its successors decremented, where the core does that
  Nanoseconds release_per_successor{};  ///< added to it by each successor
  Nanoseconds push{};                   ///< and further, until those it made ready stand in a shared queue
  Nanoseconds push_per_successor{};     ///< added to it by each successor
  Nanoseconds retire{};                 ///< body ended → task done, where the core would release successors and has none
  Nanoseconds read_latency{};           ///< load from the memory all cores share, past private caches, there and back
  Nanoseconds atomic_latency{};         ///< atomic operation on that memory, there and back
  Nanoseconds atomic_service{};         ///< time between two atomic operations on one address
  // Control core.
  Nanoseconds poll{};           ///< one sweep over the owned cores, whatever their number
  Nanoseconds poll_per_core{};  ///< added to a sweep by each owned core
  Nanoseconds complete{};       ///< taking in one completion
  Nanoseconds resolve{};        ///< decrementing one successor's counter
  Nanoseconds enqueue{};        ///< putting one task that has become ready into the queue
  Nanoseconds hand_over{};      ///< preparing to hand over, once for all tasks handed over together
  Nanoseconds dispatch{};       ///< handing over one task
  // Memory shared by all cores.
  double memory_bandwidth = 0;  ///< bytes/ns in all
  double core_bandwidth = 0;    ///< bytes/ns that one core can draw
};

struct Machine {
  std::string name;
  std::string description;
  std::vector<CoreGroup> compute_cores;
  ControlCores control_cores;
  Constants constants;
  std::array<KernelCost, kKernelCount> kernels;
  std::map<std::string, Provenance, std::less<>> provenance;  ///< by constant name, or "kernels.<kernel>"

  const KernelCost& kernel_cost(Kernel kernel) const { return kernels[static_cast<std::size_t>(kernel)]; }
  int core_count() const;
  bool has(CoreType type) const;
};

/// A constant by its name in machine files; the one table that loader, writer and documentation share.
struct ConstantField {
  std::string_view name;  ///< with the unit as suffix, such as "launch_ns"
  std::string_view meaning;
  Nanoseconds Constants::*time = nullptr;
  double Constants::*rate = nullptr;

  double get(const Constants& constants) const { return time ? (constants.*time).count() : constants.*rate; }
  void set(Constants& constants, double value) const {
    if (time) {
      constants.*time = Nanoseconds(value);
    } else {
      constants.*rate = value;
    }
  }
};

std::span<const ConstantField> constant_fields();

}  // namespace tasktwin
