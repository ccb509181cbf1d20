#include "gpu/persistent/dispatcher_kernels/home_dispatchers.cuh"

namespace tasktwin::gpu {

template void launch_dispatchers<HomeDispatchers, Notes::kNone, kMostWorkers / 32>(const PersistentRun&, const CentralDispatcher&,
                                                                                   cudaStream_t);

}  // namespace tasktwin::gpu
