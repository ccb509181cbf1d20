#include "gpu/rerun/tape/tape.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "gpu/rerun/tape/driver_functions.hpp"

namespace tasktwin::gpu::rerun {

namespace {

std::string shape(const std::array<unsigned int, 3>& of) {
  return std::to_string(of[0]) + " × " + std::to_string(of[1]) + " × " + std::to_string(of[2]);
}

std::vector<int> streams_of(const Tape& tape) {
  std::vector<int> streams(tape.operations.size(), -1);
  for (const Step& step : tape.steps) {
    if (step.kind == StepKind::kOperation) streams[static_cast<std::size_t>(step.operation)] = step.stream;
  }
  return streams;
}

bool same(const Operation& left, const Operation& right) {
  return left.kind == right.kind && left.name == right.name && left.grid == right.grid && left.block == right.block &&
         left.shared_bytes == right.shared_bytes && left.host_side == right.host_side && left.bytes() == right.bytes();
}

}  // namespace

std::vector<ArgumentWord> argument_words(const Operation& kernel) {
  std::vector<ArgumentWord> words;
  const std::vector<std::size_t> whole{0};
  const std::vector<std::size_t>& offsets = kernel.packed ? whole : kernel.offsets;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::size_t end = i + 1 < offsets.size() ? offsets[i + 1] : kernel.arguments.size();
    for (std::size_t at = offsets[i]; at + 8 <= end; at += 8) {
      ArgumentWord one{.parameter = static_cast<int>(i), .offset = static_cast<int>(at - offsets[i])};
      std::memcpy(&one.word, kernel.arguments.data() + at, sizeof one.word);
      words.push_back(one);
    }
  }
  return words;
}

std::string_view word_of(Operation::Kind kind) {
  switch (kind) {
    case Operation::Kind::kKernel:
      return "kernel";
    case Operation::Kind::kCopy:
      return "copy";
    case Operation::Kind::kSet:
      return "memset";
    case Operation::Kind::kGraph:
      break;
  }
  return "graph";
}

HostBuffer::HostBuffer(const void* contents, std::size_t bytes, bool pinned) : bytes_(bytes), pinned_(pinned) {
  if (!contents) return;
  plain_ = std::make_unique_for_overwrite<std::byte[]>(bytes);  // NOLINT(modernize-avoid-c-arrays)
  std::memcpy(plain_.get(), contents, bytes);
}

HostBuffer::~HostBuffer() {
  if (locked_) cuMemFreeHost(locked_);
}

std::byte* HostBuffer::data() {
  if (locked_) return locked_;
  void* memory = nullptr;
  if (pinned_ && cuMemAllocHost(&memory, std::max<std::size_t>(bytes_, 1)) == CUDA_SUCCESS) {
    locked_ = static_cast<std::byte*>(memory);
    if (plain_) std::memcpy(locked_, plain_.get(), bytes_);
    plain_.reset();
    return locked_;
  }
  pinned_ = false;
  if (!plain_) plain_ = std::make_unique<std::byte[]>(bytes_);  // NOLINT(modernize-avoid-c-arrays)
  return plain_.get();
}

std::size_t Operation::bytes() const {
  switch (kind) {
    case Kind::kCopy:
      return copy.WidthInBytes * copy.Height * copy.Depth;
    case Kind::kSet:
      return std::size_t{set.elementSize} * set.width * set.height;
    case Kind::kKernel:
    case Kind::kGraph:
      break;
  }
  return 0;
}

void Tape::refuse(const std::string& why) {
  if (std::ranges::find(refusals, why) == refusals.end()) refusals.push_back(why);
}

std::vector<StreamKind> Tape::stream_kinds() const {
  std::vector<StreamKind> kinds;
  kinds.reserve(streams.size());
  for (const TapeStream& stream : streams) kinds.push_back(stream.kind);
  return kinds;
}

namespace {

/// The operations of each stream of the program's, in their order.
std::map<std::pair<CUstream, std::uint64_t>, std::vector<const Operation*>> by_stream(const Tape& tape) {
  std::map<std::pair<CUstream, std::uint64_t>, std::vector<const Operation*>> found;
  const std::vector<int> streams = streams_of(tape);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (streams[i] < 0) continue;
    const TapeStream& stream = tape.streams[static_cast<std::size_t>(streams[i])];
    found[{stream.handle, stream.thread}].push_back(&tape.operations[i]);
  }
  return found;
}

}  // namespace

int first_difference(const Tape& left, const Tape& right) {
  const std::vector<int> left_streams = streams_of(left);
  const std::vector<int> right_streams = streams_of(right);
  const std::size_t both = std::min(left.operations.size(), right.operations.size());
  std::size_t at = 0;
  while (at < both && same(left.operations[at], right.operations[at]) && left_streams[at] == right_streams[at]) ++at;
  if (left.operations.size() == right.operations.size()) {
    if (at == both) return -1;
    const auto same_streams = [](const auto& one, const auto& other) {
      return one.first == other.first &&
             std::ranges::equal(one.second, other.second, [](const Operation* a, const Operation* b) { return same(*a, *b); });
    };
    if (std::ranges::equal(by_stream(left), by_stream(right), same_streams)) return -1;
  }
  return static_cast<int>(at);
}

std::string describe(const Tape& tape, int operation) {
  const auto index = static_cast<std::size_t>(operation);
  if (operation < 0 || index >= tape.operations.size()) return "nothing";
  const Operation& one = tape.operations[index];
  std::string text;
  switch (one.kind) {
    case Operation::Kind::kKernel:
      text = "kernel " + one.name + ", grid " + shape(one.grid) + ", block " + shape(one.block);
      break;
    case Operation::Kind::kCopy:
      text = "copy of " + std::to_string(one.bytes()) + " bytes";
      break;
    case Operation::Kind::kSet:
      text = "memset of " + std::to_string(one.bytes()) + " bytes";
      break;
    case Operation::Kind::kGraph:
      text = "launch of a graph";
      break;
  }
  return text + ", on stream " + std::to_string(streams_of(tape)[index]);
}

}  // namespace tasktwin::gpu::rerun
