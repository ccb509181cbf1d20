#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/program/captured_ops.hpp"

/// The file through which a captured process hands its records on while it runs: written by the library that CUDA loads into it, read by
/// `tasktwin capture` once it has ended. The file is mapped and shared, so that what is written stays however the process ends.
/// A head, then chunks of kChunkBytes; a chunk holds records one after the other, each a multiple of 8 bytes, the first a kThread.
namespace tasktwin::gpu::capture {

inline constexpr std::uint64_t kSpoolMagic = 0x314c4f4f50535454;  // "TTSPOOL1"
inline constexpr std::size_t kHeadBytes = 4096;
inline constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

/// What a call does; kOpWords in the same order.
enum class Op : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kHostFunction,
  kEventCreate,
  kEventDestroy,
  kEventRecord,
  kStreamWaitEvent,
  kEventSync,
  kEventQuery,
  kStreamCreate,
  kStreamDestroy,
  kStreamSync,
  kStreamQuery,
  kDeviceSync,
  kStreamWaitValue,
  kStreamWriteValue,
  kMalloc,
  kFree,
  kMallocAsync,
  kFreeAsync,
  kMallocHost,
  kFreeHost,
  kMallocManaged,
  kHostRegister,
  kHostUnregister,
  kMemMap,
  kMemUnmap,
  kGraphLaunch,
  kGraphUpload,
  kGraphCreate,
  kGraphAddNode,
  kGraphInstantiate,
  kGraphUpdate,
  kGraphDestroy,
  kGraphExecDestroy,
  kCaptureBegin,
  kCaptureEnd,
  kOther
};
inline constexpr auto kOpWords = kCapturedOps;
static_assert(kOpWords.size() == static_cast<std::size_t>(Op::kOther) + 1);

/// What is known when the process has ended, however it did. All counters are of this process.
struct SpoolHead {
  std::uint64_t magic = kSpoolMagic;
  std::uint64_t limit_bytes = 0;                   ///< of the whole file
  std::int64_t epoch_ns = 0;                       ///< CLOCK_REALTIME less CLOCK_MONOTONIC; records are on the latter
  std::atomic<std::uint64_t> used_bytes = 0;       ///< head and chunks that were given out
  std::atomic<std::uint64_t> records_dropped = 0;  ///< by CUPTI
  std::atomic<std::uint64_t> buffers_refused = 0;  ///< none was free
  std::atomic<std::uint64_t> calls_dropped = 0;    ///< the file was full
  std::atomic<std::uint64_t> runs_dropped = 0;     ///< likewise, of device records
  std::atomic<std::uint32_t> pid = 0;
  std::atomic<std::uint32_t> driver_version = 0;
  std::atomic<std::uint32_t> cupti_version = 0;
  std::atomic<std::uint32_t> cuda_loaded = 0;  ///< CUDA has called the library
  std::atomic<std::uint32_t> range_entered = 0;
  std::atomic<std::uint32_t> ended_normally = 0;
  std::atomic<std::uint32_t> cupti_errors = 0;
  std::array<char, 120> first_error{};  ///< which call of CUPTI's failed first, and its error
};
static_assert(sizeof(SpoolHead) <= kHeadBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

struct ChunkHead {
  std::atomic<std::uint64_t> used_bytes;  ///< this head included; the part after it is not whole
};

enum class RecordKind : std::uint16_t {
  kThread = 1,
  kCall,
  kKernelRun,
  kCopyRun,
  kMemsetRun,
  kFunction,
  kStream,
  kDevice,
  kGraphNode,
  kNodeClone,
  kEdge,
  kGraphExec,
  kRangeBegin,
  kRangeEnd,
  kApiName
};

struct RecordHead {
  RecordKind kind;
  std::uint16_t words;  ///< of 8 bytes, this head included
  std::uint32_t padding = 0;
};

/// What follows in this chunk is of this thread; `name` as the system has it.
struct ThreadRecord {
  static constexpr RecordKind kKind = RecordKind::kThread;
  RecordHead head;
  std::uint32_t thread;
  std::uint32_t padding = 0;
  std::array<char, 16> name;
};

enum CallFlag : std::uint16_t {
  kBlocking = 1,
  kCooperative = 2,
  kProgrammatic = 4,
  kExternal = 8,
  kOutsideRange = 16,
  kInside = 32,  ///< a second thing that one call did
  kParametersUnknown = 64,
  kHasStream = 128,
  kDriverCall = 256,
  kHasArguments = 512,
  kRowsApart = 1024  ///< a copy or memset of rows that lie apart: it touches more than its bytes from there on
};

/// A call of the runtime or the driver; if it launches a kernel or adds one to a graph, a KernelArguments follows and its pointers,
/// else if it has arguments an OtherArguments.
struct CallRecord {
  static constexpr RecordKind kKind = RecordKind::kCall;
  RecordHead head;
  std::uint16_t cbid;
  Op op;
  std::uint8_t padding = 0;
  std::uint16_t flags;
  std::uint16_t has_kernel;
  std::uint32_t correlation;
  std::int32_t result;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint32_t stream;
  std::uint32_t context;
  std::uint32_t device;
  std::uint32_t graph;
  std::uint64_t node;  ///< of a graph, added by this call; 0: none
};

struct KernelArguments {
  std::uint32_t function;
  std::array<std::uint32_t, 3> grid;
  std::array<std::uint32_t, 3> block;
  std::uint32_t dynamic_shared_bytes;
  std::array<std::uint32_t, 3> cluster;
  std::int32_t priority;
  std::uint32_t pointer_count;
  std::uint32_t pointers_left_out;
  std::uint64_t event;  ///< recorded by a programmatic or completion event of the launch
};

struct PointerArgument {
  std::uint32_t parameter;
  std::uint32_t offset;  ///< bytes from the parameter's begin
  std::uint64_t address;
};

struct OtherArguments {
  std::uint64_t object = 0;  ///< an event's handle, an executable graph's id
  std::uint64_t address = 0;
  std::uint64_t source = 0;
  std::uint64_t bytes = 0;
  std::uint64_t value = 0;
  std::uint64_t copy_kind = 0;
};

/// A kernel on a device; times on the records' clock.
struct KernelRun {
  static constexpr RecordKind kKind = RecordKind::kKernelRun;
  RecordHead head;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint32_t correlation;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t function;
  std::uint32_t graph;
  std::uint64_t node;
  std::array<std::uint32_t, 3> grid;
  std::array<std::uint32_t, 3> block;
  std::array<std::uint32_t, 3> cluster;
  std::uint32_t registers;
  std::uint32_t static_shared_bytes;
  std::uint32_t dynamic_shared_bytes;
  std::uint32_t executed_shared_bytes;
  std::uint32_t local_bytes;
  std::uint32_t channel;
  std::int16_t carveout_percent;  ///< −1: not asked for
  std::uint16_t device_launched;
};

/// A copy on a device.
struct CopyRun {
  static constexpr RecordKind kKind = RecordKind::kCopyRun;
  RecordHead head;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint32_t correlation;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint64_t node;
  std::uint64_t bytes;
  std::uint32_t graph;
  std::uint8_t copy_kind;  ///< CUpti_ActivityMemcpyKind
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t peer;
  std::uint32_t source_device;
  std::uint32_t target_device;
};

struct MemsetRun {
  static constexpr RecordKind kKind = RecordKind::kMemsetRun;
  RecordHead head;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint32_t correlation;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint64_t node;
  std::uint64_t bytes;
  std::uint32_t graph;
  std::uint32_t value;
  std::uint32_t memory_kind;
  std::uint32_t padding = 0;
};

/// A kernel's name, mangled, which follows without an end mark.
struct FunctionRecord {
  static constexpr RecordKind kKind = RecordKind::kFunction;
  RecordHead head;
  std::uint32_t function;
  std::uint32_t name_bytes;
};

enum class StreamKind : std::uint32_t { kLegacy, kPerThread, kBlocking, kNonBlocking };
inline constexpr std::array<std::string_view, 4> kStreamKindWords{"legacy", "per_thread", "blocking", "non_blocking"};

struct StreamRecord {
  static constexpr RecordKind kKind = RecordKind::kStream;
  RecordHead head;
  std::uint32_t stream;
  std::uint32_t context;
  std::uint32_t device;
  std::int32_t priority;
  StreamKind kind;
  std::uint32_t padding = 0;
};

/// In the order of Kineto's deviceProperties.
struct DeviceRecord {
  static constexpr RecordKind kKind = RecordKind::kDevice;
  RecordHead head;
  std::uint64_t memory_bytes;
  std::uint32_t device;
  std::uint32_t major;
  std::uint32_t minor;
  std::uint32_t max_threads_per_block;
  std::uint32_t max_threads_per_multiprocessor;
  std::uint32_t registers_per_block;
  std::uint32_t registers_per_multiprocessor;
  std::uint32_t warp_size;
  std::uint32_t shared_bytes_per_block;
  std::uint32_t shared_bytes_per_block_opt_in;
  std::uint32_t shared_bytes_per_multiprocessor;
  std::uint32_t multiprocessors;
  std::array<char, 64> name;
};

/// A node was added to a graph.
struct GraphNodeRecord {
  static constexpr RecordKind kKind = RecordKind::kGraphNode;
  RecordHead head;
  std::uint64_t time_ns;
  std::uint64_t node;
  std::uint32_t graph;
  std::uint32_t type;  ///< CUgraphNodeType
};

/// `node` of `graph` is a copy of `original`.
struct NodeCloneRecord {
  static constexpr RecordKind kKind = RecordKind::kNodeClone;
  RecordHead head;
  std::uint64_t time_ns;
  std::uint64_t node;
  std::uint64_t original;
  std::uint32_t graph;
  std::uint32_t original_graph;
  std::uint32_t type;
  std::uint32_t padding = 0;
};

/// `to` waits for `from`, or no longer does.
struct EdgeRecord {
  static constexpr RecordKind kKind = RecordKind::kEdge;
  RecordHead head;
  std::uint64_t time_ns;
  std::uint64_t from;
  std::uint64_t to;
  std::uint32_t graph;
  std::uint32_t removed;
};

/// An executable graph came to be of `graph`: a copy of it, whose own id as a graph is `exec`. Child graphs are in it with their nodes.
struct GraphExecRecord {
  static constexpr RecordKind kKind = RecordKind::kGraphExec;
  RecordHead head;
  std::uint64_t time_ns;
  std::uint32_t exec;
  std::uint32_t graph;
};

/// An NVTX range begins on this thread: pushed, or started under `id`. Its message follows without an end mark.
struct RangeBeginRecord {
  static constexpr RecordKind kKind = RecordKind::kRangeBegin;
  RecordHead head;
  std::uint64_t time_ns;
  std::uint64_t id;      ///< 0: pushed
  std::uint64_t domain;  ///< 0: the default
  std::uint32_t name_bytes;
  std::uint32_t padding = 0;
};

struct RangeEndRecord {
  static constexpr RecordKind kKind = RecordKind::kRangeEnd;
  RecordHead head;
  std::uint64_t time_ns;
  std::uint64_t id;  ///< 0: popped
  std::uint64_t domain;
};

/// The name of a call of the runtime or the driver, without suffixes of versions and of per-thread streams; it follows without an end mark.
struct ApiNameRecord {
  static constexpr RecordKind kKind = RecordKind::kApiName;
  RecordHead head;
  std::uint32_t driver;
  std::uint32_t cbid;
  std::uint32_t name_bytes;
  std::uint32_t padding = 0;
};

/// Environment variables from `tasktwin capture` to the library.
inline constexpr const char* kFolderVariable = "TASKTWIN_CAPTURE_FOLDER";
inline constexpr const char* kRangeVariable = "TASKTWIN_CAPTURE_RANGE";
inline constexpr const char* kPassVariable = "TASKTWIN_CAPTURE_PASS";    ///< "host": no device records
inline constexpr const char* kLimitVariable = "TASKTWIN_CAPTURE_LIMIT";  ///< bytes of a process's file

}  // namespace tasktwin::gpu::capture
