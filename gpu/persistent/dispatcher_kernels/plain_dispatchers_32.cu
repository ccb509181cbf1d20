#include "gpu/persistent/dispatcher_kernels/plain_dispatchers.cuh"

namespace tasktwin::gpu {

template void launch_dispatchers<PlainDispatchers, Notes::kNone, 1>(const PersistentRun&, const CentralDispatcher&, cudaStream_t);
template void launch_dispatchers<FifoDispatchers, Notes::kRounds, 1>(const PersistentRun&, const CentralDispatcher&, cudaStream_t);
template void launch_dispatchers<PlainDispatchers, Notes::kAll, 1>(const PersistentRun&, const CentralDispatcher&, cudaStream_t);

}  // namespace tasktwin::gpu
