#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include <cuda.h>

#include "gpu/rerun/tape/program_memory.hpp"
#include "gpu/rerun/tape/tape.hpp"

namespace tasktwin::gpu::rerun {

std::uint64_t now_ns();

/// A call of the driver that has returned, as CUPTI hands it on.
struct Call {
  const void* parameters = nullptr;
  const char* symbol = nullptr;  ///< of the kernel that it launches
  CUcontext context = nullptr;
  bool per_thread = false;  ///< stream 0 is the thread's own
  std::uint64_t thread = 0;
  bool failed = false;
};

/// Follows the program's memory and graphs all the time, and keeps its operations while a range is open. Contract: calls are handed on
/// one at a time, and while the driver's callbacks are not the program's.
class Recording {
 public:
  bool is_open() const { return open_; }
  void begin();
  Tape end();

  ProgramMemory& memory() { return memory_; }

  void kernel(const Call& call, CUfunction function, CUstream stream, Operation shape, void** parameters, void** extra);
  void copy(const Call& call, CUDA_MEMCPY3D what, CUstream stream, bool blocking);
  /// Between addresses, whatever lies there.
  void copy(const Call& call, std::uint64_t to, std::uint64_t from, std::size_t bytes, CUstream stream, bool blocking);
  void set(const Call& call, const CUDA_MEMSET_NODE_PARAMS& what, CUstream stream);
  void graph_launch(const Call& call, CUgraphExec exec, CUstream stream);
  void record(const Call& call, CUevent event, CUstream stream);
  void wait(const Call& call, CUevent event, CUstream stream);
  void sync_stream(const Call& call, CUstream stream);
  void sync_event(CUevent event);
  void sync_all();
  void stream_destroyed(CUstream stream);
  void event_destroyed(CUevent event);
  void refuse(const std::string& why);
  /// Between them what is launched becomes a graph, on whatever thread: nothing is kept, and the driver is asked nothing.
  void capture_begins();
  void capture_ends();
  bool is_capturing() const { return capturing_ > 0; }

  void allocated(const ProgramMemory::Block& block) { memory_.add(block); }
  void freed(std::uint64_t base, const char* call);

  void instantiated(CUgraphExec exec, CUgraph graph);
  /// In another way than from a graph.
  void changed(CUgraphExec exec) { graphs_[exec].changed = true; }
  void exec_destroyed(CUgraphExec exec);

 private:
  struct Kept {
    CUgraph clone = nullptr;
    bool changed = false;
  };
  struct Parameters {
    bool known = false;
    CUfunction function = nullptr;                            ///< the handle that graphs take too
    std::vector<std::pair<std::size_t, std::size_t>> places;  ///< offset and bytes
  };

  int stream_of(const Call& call, CUstream stream);
  int event_of(CUevent event);
  const Parameters& parameters_of(CUfunction function, const char* name);
  bool keep_arguments(Operation& operation, const Parameters& known, void** parameters, void** extra);
  void add(const Call& call, Operation operation, CUstream stream);
  CUmemorytype type_of(std::uint64_t address, bool& pinned) const;

  bool keeps() const { return open_ && capturing_ == 0; }

  bool open_ = false;
  int capturing_ = 0;  ///< captures that have begun and not ended
  Tape tape_;
  std::map<CUevent, int> events_;
  int next_event_ = 0;
  ProgramMemory memory_;
  std::unordered_map<CUgraphExec, Kept> graphs_;
  std::map<std::pair<CUfunction, std::string>, Parameters> functions_;
};

}  // namespace tasktwin::gpu::rerun
