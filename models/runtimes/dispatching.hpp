#pragma once

#include <array>

#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

// What dispatchers on control cores and threads of the host that dispatch have alike.

inline constexpr std::array kDispatchedForms{
    RuntimeForm{.ready_queue = {ReadyQueue::kShared, ReadyQueue::kPerCoreType}, .placement = kNotFrozen, .stealing = Stealing::kOff},
    RuntimeForm{.ready_queue = {ReadyQueue::kPerDispatcher, ReadyQueue::kSharded}, .placement = kNotFrozen},
    RuntimeForm{.ready_queue = ReadyQueue::kPerWorker, .placement = kChosen},
    RuntimeForm{.ready_queue = {ReadyQueue::kPerWorker, ReadyQueue::kPerWorkerAndShared}, .placement = kFrozen},
};

/// Those that no executor on the GPU reads.
inline constexpr std::array kSimulatedDispatcherAxes{
    AxisUse{.axis = "static_percent", .gpu = kNotRead, .when = &condition::kListsAndQueue},
    AxisUse{.axis = "head_of_line", .gpu = kNotRead, .when = &condition::kMixedQueue},
};

/// Of threads of the host; the GPU's dispatcher reads them.
inline constexpr std::array kSimulatedEarlyAxes{
    AxisUse{.axis = "early_dispatch", .gpu = kNotRead, .when = &condition::kEarly},
    AxisUse{.axis = "early_bound", .gpu = kNotRead, .when = &condition::kBoundsStaging},
    AxisUse{.axis = "early_limit", .gpu = kNotRead, .when = &condition::kStages},
    AxisUse{.axis = "early_order", .gpu = kNotRead, .when = &condition::kStages},
};

}  // namespace tasktwin
