#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"
#include "models/runtimes/stream_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{.ready_queue = ReadyQueue::kPerWorker,
                                   .placement = Placement::kRoundRobin,
                                   .stream_wait = {StreamWait::kEvents, StreamWait::kEventSync, StreamWait::kEventQuery,
                                                   StreamWait::kStreamSync, StreamWait::kDeviceSync, StreamWait::kCallback}}};

constexpr NamedDesign kNamed[] = {
    {"cuda-streams", "the host launches a kernel a task, in turn into 32 streams, with an event for each dependency", [](Design& d) {
       d.ready_queue = ReadyQueue::kPerWorker;
       d.placement = Placement::kRoundRobin;
     }}};

}  // namespace

constinit const Runtime kCudaStreamsRuntime{
    .id = RuntimeId::kCudaStreams,
    .name = "cuda-streams",
    .meaning = "the host launches a kernel a task into streams",
    .driver = Driver::kStreams,
    .release = Release::kEvents,
    .forms = kForms,
    .axes = kStreamAxes,
    .sections = kStreamSections,
    .named = kNamed,
    .gpu = kStreamTasks,
    .on_peers = true,
    .peers =
        {.blocks = true, .spawned = true, .numbered_blocks = true, .operations = true, .peer_bytes = true, .footprints = Footprints::kAll},
    .tune = [](Design& design, int workers, bool) { design.streams = workers; }};

}  // namespace tasktwin
