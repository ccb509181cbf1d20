#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "models/machine/fields/field.hpp"

namespace tasktwin {

/// The cost of a kernel's body, without the bytes that it moves through memory.
struct KernelCost {
  Nanoseconds overhead{};  ///< paid by every body of any size
  double traffic = 1;      ///< bandwidth that each of its bytes takes up, in those of long bodies of kernel `stream`; at least 0.1
  double bandwidth = 0;    ///< its bytes/ns that one core draws alone; 0 for Memory::core_bandwidth
  double issue = 0;        ///< share of a core's issue slots that one block takes alone
  double warp_issue = 0;   ///< likewise one warp, where a block's few warps take less; 0 for no limit
  Nanoseconds row{};       ///< added to drawing them alone by each row of its matrices (matrix_rows()): sums over a row are joined
  Nanoseconds step{};      ///< likewise by each of its steps (reading_steps()): what a warp has under way at a time comes together
  double pass = 0;         ///< query heads (attention), or components of a head group (merges), that one pass takes; 0 for all at once
  double paged = 0;        ///< bytes/ns by which it reads full pages; 0 for PageLoads::read_bandwidth
  Nanoseconds spread{};    ///< standard deviation of its bodies' overhead
  double varies = 0;       ///< likewise of all else that they take, as a share of it
  // Under designs whose cores stay resident:
  Nanoseconds publish{};        ///< added to Mailboxes::publish: they meet, and what they wrote reaches memory
  Nanoseconds release{};        ///< likewise to ResidentCores::release, of a task with successors
  Nanoseconds cold{};           ///< its first body started → its code has come; until then no body of it proceeds
  Nanoseconds uncached_cold{};  ///< likewise in a run that finds the cache empty
  /// The time of a body in a worker that fetches and publishes meanwhile, over that in a worker with a list: the further warps
  /// leave the linker to make other code of it.
  double pipelined = 1;
  Nanoseconds again{};  ///< by how much less a body's overhead is right after another of the kernel on the same core
  /// Added to LaunchedKernels::body where the device starts the kernels (graphs, launches by kernels): one that a stream starts has its
  /// code there by then.
  Nanoseconds launched{};
  Nanoseconds grid{};      ///< added to each body in a launched kernel of several blocks, which ask for its code at once
  Nanoseconds grid_end{};  ///< in a run that finds the cache empty: such a kernel's last body ended to what waits for it seeing its end
  Nanoseconds uncached{};  ///< added to its bodies in a run that finds the cache empty, by data that are in it otherwise
  /// Arithmetic time by size: piecewise linear through these points and through (0, 0), the last slope extended.
  struct Point {
    double flops = 0;
    double ns = 0;
    double uncached_ns = 0;  ///< added to `uncached`, likewise piecewise linear
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
