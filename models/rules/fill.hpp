#pragma once

#include <cstdint>

#include "models/axes/workers.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::rules {

/// What the fill rule looks at. It counts blocks, each of which occupies a core, because that is what mailboxes hold: a task of many
/// blocks keeps as many cores busy as many tasks of one do.
struct FillView {
  std::uint32_t idle_elsewhere;  ///< idle cores except those that the asking dispatcher serves first
  std::uint32_t left;            ///< blocks of the run not yet handed over, whether ready, waiting or still to be spawned
  std::uint32_t cores;           ///< of the whole run
};

/// Whether a core that holds a block may be given a further one, as models/axes/workers.hpp says. Idle cores are served before.
TASKTWIN_HOST_DEVICE constexpr bool may_fill(Fill fill, const FillView& view) {
  switch (fill) {
    case Fill::kAlways:
      return true;
    case Fill::kWhenNoCoreIdle:
      return view.idle_elsewhere == 0;
    case Fill::kNotInTail:
      return view.left > view.cores;
  }
  return false;
}

/// How many of `left` may be given to cores that hold a block, for a dispatcher that takes several at once: as many as may_fill would let
/// pass one after the other.
TASKTWIN_HOST_DEVICE constexpr std::uint32_t most_ahead(Fill fill, const FillView& view) {
  if (!may_fill(fill, view)) return 0;
  return fill == Fill::kNotInTail ? view.left - view.cores : view.left;
}

}  // namespace tasktwin::rules
