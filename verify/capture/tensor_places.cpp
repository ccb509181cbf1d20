#include "verify/capture/tensor_places.hpp"

#include <map>

#include "verify/capture/spool/call_state.hpp"
#include "verify/capture/twin_calls.hpp"

namespace tasktwin::verify {

namespace {

using spool::Op;

bool is_work(const spool::CallRecord& call) {
  return call.op == Op::kKernel || call.op == Op::kMemcpy || call.op == Op::kMemset || call.op == Op::kGraphLaunch;
}

/// The addresses that a call's work is given.
std::vector<std::uint64_t> addresses_of(const spool::CallRecord& call, const ResolvedCall& resolved) {
  std::vector<std::uint64_t> addresses;
  if (call.has_kernel != 0) {
    for (const spool::PointerArgument& pointer : resolved.pointers) addresses.push_back(pointer.address);
  } else if (call.op == Op::kMemcpy) {
    addresses = {arguments_of(call).source, arguments_of(call).address};
  } else if (call.op == Op::kMemset) {
    addresses = {arguments_of(call).address};
  }
  return addresses;
}

/// Allocations of a run as they go.
class Lives {
 public:
  void take(const spool::CallRecord& call) {
    const spool::OtherArguments& a = arguments_of(call);
    switch (call.op) {
      case Op::kMalloc:
      case Op::kMallocAsync:
      case Op::kMallocHost:
      case Op::kMallocManaged:
      case Op::kMemMap:
        lives_[a.address] = {++count_, a.bytes};
        break;
      case Op::kFree:
      case Op::kFreeAsync:
      case Op::kFreeHost:
      case Op::kMemUnmap:
        lives_.erase(a.address);
        break;
      default:
        break;
    }
  }
  TensorPlace at(std::uint64_t address) const {
    auto found = lives_.upper_bound(address);
    if (found == lives_.begin()) return {};
    --found;
    const std::uint64_t offset = address - found->first;
    return offset < found->second.bytes ? TensorPlace{found->second.number, offset, found->second.bytes} : TensorPlace{};
  }

 private:
  struct Life {
    std::uint32_t number = 0;
    std::uint64_t bytes = 0;
  };
  std::map<std::uint64_t, Life> lives_;  ///< by their begin
  std::uint32_t count_ = 0;
};

}  // namespace

std::vector<std::vector<TensorPlace>> tensor_places(const CaptureIndex& run, const CaptureIndex& tensors) {
  std::vector<std::vector<TensorPlace>> there;  // by call of `tensors`
  CallState state;
  Lives lives;
  for (const CapturedCall& call : tensors.calls) {
    const ResolvedCall resolved = state.resolve(*call.record);
    std::vector<TensorPlace>& places = there.emplace_back();
    for (const std::uint64_t address : addresses_of(*call.record, resolved)) places.push_back(lives.at(address));
    if (call.record->result == 0) lives.take(*call.record);
  }
  std::vector<std::vector<TensorPlace>> found(run.calls.size());
  const auto twins = twin_calls(run, tensors, is_work);
  CallState own;
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    const ResolvedCall resolved = own.resolve(*run.calls[i].record);
    // What one run takes for a pointer and the other does not cannot be paired.
    if (twins[i] && there[*twins[i]].size() == addresses_of(*run.calls[i].record, resolved).size()) found[i] = std::move(there[*twins[i]]);
  }
  return found;
}

}  // namespace tasktwin::verify
