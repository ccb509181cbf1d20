#pragma once

#include <cstdint>
#include <memory>

#include "models/design/design.hpp"
#include "sim/control/intake/iteration.hpp"
#include "sim/control/state/core_shares.hpp"
#include "sim/control/state/lanes.hpp"

namespace tasktwin::sim {

/// The sweep over its cores with which a control core begins an iteration: how far it polls, and which completions it sees.
class Polling {
 public:
  virtual ~Polling() = default;
  /// Sets the iteration's sweep and adds the cores whose completions it sees. `share` is that of control core `id`.
  virtual void sweep(std::uint32_t id, CoreShare& share, Iteration& iteration) = 0;
};

/// Under the design's loop and sweep. Contract: `times` outlives it.
std::unique_ptr<Polling> make_polling(const Design& design, const mechanism::ControlLoop& times, Lanes lanes, std::size_t control_cores,
                                      std::size_t cores);

}  // namespace tasktwin::sim
