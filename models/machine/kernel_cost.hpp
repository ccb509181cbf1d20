#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "models/machine/field.hpp"

namespace tasktwin {

/// What a kernel's body costs, beside the bytes that it moves through memory.
struct KernelCost {
  Nanoseconds overhead{};  ///< paid by every body, whatever its size; below 0 where a design spares it some of its arithmetic
  double traffic = 1;      ///< bandwidth that each of its bytes takes up, in those of long bodies of kernel `stream`; at least 0.1
  double bandwidth = 0;    ///< its bytes/ns that one core draws alone; 0 for Memory::core_bandwidth
  double issue = 0;        ///< share of a core's issue slots that one block takes alone
  double warp_issue = 0;   ///< likewise one warp, where a block has so few that they take less; 0 for no limit
  Nanoseconds row{};       ///< added to drawing them alone by each row of its matrices (matrix_rows()): sums over a row are joined
  // Under designs whose cores stay resident:
  Nanoseconds start{};          ///< added to ResidentCores::start: the threads of the core are called together
  Nanoseconds publish{};        ///< added to Mailboxes::publish: they meet, and what they wrote reaches memory
  Nanoseconds release{};        ///< likewise to ResidentCores::release, of a task with successors
  Nanoseconds cold{};           ///< its first body on a GPC started → its code has come there; until then no body of it gets on
  Nanoseconds uncached_cold{};  ///< its first body of a run that finds the cache empty started → its code has come from memory
  Nanoseconds again{};          ///< by how much less a body's overhead is right behind another of the kernel on the same core
  /// Added to LaunchedKernels::body where the device starts the kernels (graphs, launches by kernels): one that a stream starts has its
  /// code there by then.
  Nanoseconds launched{};
  Nanoseconds nested{};    ///< in place of `launched` where kernels launch it
  Nanoseconds uncached{};  ///< added to its bodies in a run that finds the cache empty, by data that are in it otherwise
  // Added to its bodies where their core fetches the next task and publishes the last one beside them, beyond what hops have in them:
  Nanoseconds beside_central_dispatcher{};  ///< under designs with dispatchers
  Nanoseconds beside_shared_queue{};        ///< under those with shared ready queues
  Nanoseconds beside_work_stealing{};       ///< where cores have queues of their own
  Nanoseconds beside_hybrid{};              ///< where they have frozen lists and queues
  Nanoseconds quiet_core_saving{};          ///< by how much less a body takes where its core does nothing beside it (Release::kBarrier,
                                            ///< Driver::kHostDispatcher)
  /// Arithmetic time by size: piecewise linear through these points and through (0, 0), the last slope extended.
  struct Point {
    double flops = 0;
    double ns = 0;
    double release_ns = 0;   ///< added to `release`, likewise piecewise linear: larger results take longer to reach memory
    double uncached_ns = 0;  ///< added to `uncached`, likewise
    friend bool operator==(const Point&, const Point&) = default;
  };
  std::vector<Point> arithmetic = {};
};

/// A scalar of a KernelCost by its name in machine files.
struct KernelField {
  std::string_view name;
  std::string_view meaning;
  Nanoseconds KernelCost::*time = nullptr;
  double KernelCost::*ratio = nullptr;
  double absent = 0;  ///< its value where a file does not name it
  double min = 0;     ///< of its range in files
  double max = kMaxConstant;

  double get(const KernelCost& cost) const { return time ? (cost.*time).count() : cost.*ratio; }
  void set(KernelCost& cost, double value) const {
    if (time) {
      cost.*time = Nanoseconds(value);
    } else {
      cost.*ratio = value;
    }
  }
};

std::span<const KernelField> kernel_fields();

}  // namespace tasktwin
