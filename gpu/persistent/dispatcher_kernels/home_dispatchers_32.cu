#include "gpu/persistent/dispatcher_kernels/home_dispatchers.cuh"

namespace tasktwin::gpu {

template void launch_dispatchers<HomeDispatchers, Notes::kNone, 1>(const PersistentRun&, const CentralDispatcher&, cudaStream_t);
template void launch_dispatchers<HomeDispatchers, Notes::kAll, 1>(const PersistentRun&, const CentralDispatcher&, cudaStream_t);

}  // namespace tasktwin::gpu
