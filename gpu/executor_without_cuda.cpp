#include "gpu/device/device_machine.hpp"
#include "gpu/device/device_state.hpp"
#include "gpu/executor.hpp"
#include "gpu/probes/launch_probes.hpp"
#include "gpu/probes/memory_probes.hpp"
#include "gpu/probes/operation_probes.hpp"
#include "gpu/probes/peer_probes.hpp"
#include "gpu/program_run.hpp"
#include "gpu/run_again.hpp"
#include "gpu/task_kernels/own_registers.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {

namespace {
const char* const kWhy = "this build has no GPU executors, because there was no CUDA compiler (nvcc)";
}

std::optional<std::string> why_no_gpu() { return kWhy; }

DeviceInfo device_info() { throw RunError(kWhy); }

DeviceState device_state() { throw RunError(kWhy); }

Machine device_machine() { throw RunError(kWhy); }

std::optional<std::string> why_not_here(const TaskGraph&, const Machine&, const Design&) { throw RunError(kWhy); }
std::optional<std::string> why_no_collectives(const TaskGraph&) { throw RunError(kWhy); }

MemoryWordTimes probe_memory_words() { throw RunError(kWhy); }

MemoryPortProbe probe_memory_ports() { throw RunError(kWhy); }
MemoryQueueProbe probe_memory_queues() { throw RunError(kWhy); }

std::vector<FlagHop> probe_flag_hops() { throw RunError(kWhy); }
std::vector<FlagHop> probe_flag_rings() { throw RunError(kWhy); }

std::vector<GridBarrierTime> probe_grid_barriers() { throw RunError(kWhy); }

GraphCallTimes probe_graph_calls(const TaskGraph&) { throw RunError(kWhy); }

HostCallTimes probe_host_calls() { throw RunError(kWhy); }
PlainChainTimes probe_plain_chains() { throw RunError(kWhy); }
HostContentionTimes probe_host_contention(int) { throw RunError(kWhy); }

TransferTimes probe_transfers() { throw RunError(kWhy); }

AllocationTimes probe_allocations(std::int64_t) { throw RunError(kWhy); }

PeerTimes probe_peers(int) { throw RunError(kWhy); }

Measurement run(const TaskGraph&, const Machine&, const Design&, const RunOptions&) { throw RunError(kWhy); }
Measurement run_program(const TaskGraph&, const Machine&, const Design&, const RunOptions&, const HostProgram&) { throw RunError(kWhy); }

std::vector<int> own_kernel_registers(const OwnKernels&) { throw RunError(kWhy); }
Measurement run_again(const TaskGraph&, const Machine&, const Design&, const RunOptions&, Again) { throw RunError(kWhy); }

}  // namespace tasktwin::gpu
