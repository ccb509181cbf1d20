#include "gpu/supported/supported.hpp"

namespace tasktwin::gpu {

namespace {

constexpr AxisSupport kAxes[] = {
    {"ready_queue"}, {"placement"},
    kWorkersPerCore, {"mailbox_depth", {"1", "2", "4"}, kWorkerSlots},
    {"backoff_ns"},  {"termination", {"counter"}, "a worker stops at the end of its list"},
};

}  // namespace

const Supported kLayerBarrierSupported{
    [](const Design& design) { return design.driver == Driver::kPersistent && design.release == Release::kBarrier; },
    kAxes,
    {.own = OwnBodies::kResident}};

}  // namespace tasktwin::gpu
