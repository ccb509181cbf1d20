#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cuda.h>

#include "gpu/rerun/order/steps.hpp"

namespace tasktwin::gpu::rerun {

/// Memory of the host in place of the program's own, which may be gone or changed by the time of a rerun. `pinned`: as the
/// program's was.
class HostBuffer {
 public:
  HostBuffer(const void* contents, std::size_t bytes, bool pinned);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  std::size_t bytes() const { return bytes_; }
  bool is_pinned() const { return pinned_; }
  /// Pinned from the first call on, where it is to be: nothing of it costs the program anything before.
  std::byte* data();

 private:
  std::unique_ptr<std::byte[]> plain_;  // NOLINT(modernize-avoid-c-arrays): not filled with zeros, as a vector would be
  std::byte* locked_ = nullptr;
  std::size_t bytes_;
  bool pinned_;
};

/// What an operation writes to the host, or reads from there, in place of the program's memory.
enum class HostSide : std::uint8_t { kNone, kSource, kTarget };

struct Operation {
  enum class Kind : std::uint8_t { kKernel, kCopy, kSet, kGraph };
  Kind kind = Kind::kKernel;

  // Kernels.
  CUfunction function = nullptr;
  std::string name{};  ///< mangled
  std::array<unsigned int, 3> grid{}, block{};
  unsigned int shared_bytes = 0;
  std::vector<CUlaunchAttribute> attributes{};
  std::vector<std::byte> arguments{};  ///< all of them, as in a parameter buffer
  std::vector<std::size_t> offsets{};  ///< of each in `arguments`
  bool packed = false;                 ///< launched by the buffer: offsets are not known

  // Copies: `flat` ones are bytes in a row, between addresses.
  CUDA_MEMCPY3D copy{};
  bool flat = true;
  HostSide host_side = HostSide::kNone;
  std::shared_ptr<HostBuffer> host{};

  // Memsets.
  CUDA_MEMSET_NODE_PARAMS set{};

  // Launches of graphs: `graph` is what was instantiated, as far as it could be kept.
  CUgraphExec exec = nullptr;
  CUgraph graph = nullptr;

  std::size_t bytes() const;
};

/// Eight bytes among a kernel's arguments, where a pointer may be.
struct ArgumentWord {
  int parameter = 0;  ///< from 0; 0 of all where the kernel was launched by the buffer
  int offset = 0;     ///< in it, a multiple of 8
  std::uint64_t word = 0;
};
std::vector<ArgumentWord> argument_words(const Operation& kernel);

/// "kernel", "copy", "memset", "graph".
std::string_view word_of(Operation::Kind kind);

struct TapeStream {
  CUstream handle = nullptr;
  StreamKind kind = StreamKind::kLegacy;
  int priority = 0;
  std::uint64_t thread = 0;  ///< whose default stream it is; 0: a stream of its own
  bool gone = false;         ///< destroyed inside of the range
};

/// One iteration of the program: what it gave the device, in the order of its calls.
struct Tape {
  CUcontext context = nullptr;
  std::vector<TapeStream> streams{};
  std::vector<Operation> operations{};
  std::vector<Step> steps{};
  std::vector<std::string> refusals{};  ///< why it cannot be run again, each once
  struct Span {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Span> freed_host{};  ///< memory of the host that was freed inside
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;

  void refuse(const std::string& why);
  std::vector<StreamKind> stream_kinds() const;
};

/// The number of the first operation in which they differ, −1 where none does: kernels by name, shape and stream, the others by bytes. They
/// do not differ where each stream has the same in its order either: several threads launch in another order each time.
int first_difference(const Tape& left, const Tape& right);

/// "kernel axpy, grid 4 × 1 × 1, block 256 × 1 × 1, on stream 0", for people.
std::string describe(const Tape& tape, int operation);

}  // namespace tasktwin::gpu::rerun
