#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"
#include "models/runtimes/stream_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {
    {.ready_queue = ReadyQueue::kPerWorker, .placement = Placement::kRoundRobin, .stream_wait = StreamWait::kProgram}};

}  // namespace

constinit const Runtime kHostProgramRuntime{.id = RuntimeId::kHostProgram,
                                            .name = "host-program",
                                            .meaning = "the threads of a captured program make its calls again",
                                            .driver = Driver::kStreams,
                                            .release = Release::kEvents,
                                            .forms = kForms,
                                            .axes = kStreamAxes,
                                            .sections = kStreamSections,
                                            .gpu = kStreamTasks};

}  // namespace tasktwin
