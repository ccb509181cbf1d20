#include "verify/capture/spool/call_state.hpp"

#include <algorithm>
#include <iterator>

namespace tasktwin::verify {

using spool::Op;

std::uint32_t CallState::event_of(std::uint64_t handle) {
  Event& event = events_[handle];
  if (event.number == 0) event.number = next_event_++;
  return event.number;
}

bool CallState::is_capturing(const spool::CallRecord& call) {
  if (call.node != 0 && call.op != Op::kGraphAddNode) return true;
  if (!has(call, spool::kHasStream)) return false;
  const auto own = capturing_.find(call.stream);
  if (call.op == Op::kEventRecord) return own != capturing_.end();
  if (call.op != Op::kStreamWaitEvent) return false;
  if (own != capturing_.end()) return true;
  // A wait for what was recorded within a capture takes its stream in.
  const auto event = events_.find(arguments_of(call).object);
  if (event == events_.end() || !event->second.capture) return false;
  const std::uint32_t capture = *event->second.capture;
  if (std::ranges::none_of(capturing_, [capture](const auto& one) { return one.second == capture; })) return false;
  capturing_[call.stream] = capture;
  return true;
}

void CallState::note_record(std::uint64_t handle, const spool::CallRecord& call) {
  event_of(handle);
  Event& event = events_[handle];
  const auto capture = capturing_.find(call.stream);
  const bool inside = has(call, spool::kHasStream) && capture != capturing_.end();
  if (inside) {
    event.capture = capture->second;
    return;
  }
  event.capture.reset();
  if (call.result == 0) event.record = call.correlation;
}

void CallState::resolve_event(const spool::CallRecord& call, ResolvedCall& resolved) {
  const std::uint64_t handle = call.has_kernel != 0 ? kernel_of(call).event : arguments_of(call).object;
  if (handle == 0) return;
  switch (call.op) {
    case Op::kEventCreate:
      events_[handle] = Event{next_event_++, -1, std::nullopt};
      resolved.event = event_of(handle);
      break;
    case Op::kEventDestroy:
      resolved.event = event_of(handle);
      events_.erase(handle);
      break;
    case Op::kKernel:
    case Op::kEventRecord:
      resolved.event = event_of(handle);
      note_record(handle, call);
      break;
    case Op::kStreamWaitEvent:
    case Op::kEventSync:
    case Op::kEventQuery:
      resolved.event = event_of(handle);
      if (!resolved.capturing) resolved.record = events_[handle].record;
      break;
    default:
      break;
  }
}

void CallState::note_memory(const spool::CallRecord& call) {
  switch (call.op) {
    case Op::kMalloc:
    case Op::kMallocAsync:
    case Op::kMallocHost:
    case Op::kMallocManaged:
    case Op::kHostRegister:
    case Op::kMemMap:
      break;
    default:
      return;
  }
  std::uint64_t begin = arguments_of(call).address;
  std::uint64_t end = begin + arguments_of(call).bytes;
  if (call.result != 0 || begin == end) return;
  auto next = memory_.upper_bound(begin);
  if (next != memory_.begin() && std::prev(next)->second >= begin) --next;
  while (next != memory_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = memory_.erase(next);
  }
  memory_[begin] = end;
}

bool CallState::was_allocated(std::uint64_t address) const {
  const auto next = memory_.upper_bound(address);
  return next != memory_.begin() && address < std::prev(next)->second;
}

ResolvedCall CallState::resolve(const spool::CallRecord& call) {
  ResolvedCall resolved;
  if (call.op == Op::kCaptureBegin && has(call, spool::kHasStream)) capturing_[call.stream] = next_capture_++;
  if (call.op == Op::kCaptureEnd) {
    const auto ended = capturing_.find(call.stream);
    if (ended != capturing_.end()) std::erase_if(capturing_, [capture = ended->second](const auto& one) { return one.second == capture; });
  }
  resolved.capturing = is_capturing(call);
  resolve_event(call, resolved);
  note_memory(call);
  if (call.has_kernel == 0) return resolved;
  const spool::PointerArgument* const pointers = pointers_of(call);
  std::copy_if(pointers, pointers + kernel_of(call).pointer_count, std::back_inserter(resolved.pointers),
               [this](const spool::PointerArgument& one) { return was_allocated(one.address); });
  return resolved;
}

}  // namespace tasktwin::verify
