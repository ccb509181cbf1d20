#include "gpu/streams/host_replay.hpp"

#include <exception>
#include <thread>

namespace tasktwin::gpu {

void be_busy_until(std::chrono::steady_clock::time_point from, Duration time) {
  const auto end = from + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

void be_busy(Duration time) {
  if (time > Duration{0}) be_busy_until(std::chrono::steady_clock::now(), time);
}

HostReplay::HostReplay(const HostProgram& program, const StreamSet& streams)
    : program_(program), streams_(streams), records_(program.records), places_(program.threads.size()) {
  for (std::uint32_t place = 0; place < program.order.size(); ++place) places_[program.order[place].first].push_back(place);
}

void HostReplay::run(const Launch& launch) {
  next_ = 0;
  failed_ = false;
  std::vector<std::exception_ptr> failures(program_.threads.size());
  const auto guarded = [&](std::uint32_t thread) {
    try {
      run_thread(thread, launch);
    } catch (...) {
      failures[thread] = std::current_exception();
      failed_ = true;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::uint32_t thread = 1; thread < program_.threads.size(); ++thread) others.emplace_back(guarded, thread);
    if (!program_.threads.empty()) guarded(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

bool HostReplay::await_turn(std::uint32_t place) const {
  while (next_.load(std::memory_order_acquire) != place) {
    if (failed_) return false;
  }
  return true;
}

void HostReplay::run_thread(std::uint32_t thread, const Launch& launch) {
  const std::vector<HostCall>& calls = program_.threads[thread].calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const HostCall& call = calls[i];
    const std::uint32_t place = places_[thread][i];
    be_busy(call.own);
    if (!await_turn(place)) return;
    const auto begin = Clock::now();
    if (is_sync(call.kind)) {
      end_turn(place);
      if (!wait(call)) be_busy_until(begin, call.call);
      continue;
    }
    call.kind == HostCallKind::kLaunch ? launch(call) : order(call);
    end_turn(place);
    if (call.blocks) {
      check(cudaStreamSynchronize(streams_[call.stream]), "waiting for a stream");
    } else {
      be_busy_until(begin, call.call);
    }
  }
}

void HostReplay::order(const HostCall& call) {
  if (call.record == kNoRecord) return;  // what is recorded there, or waited for, is unknown
  if (call.kind == HostCallKind::kRecord) return check(cudaEventRecord(records_[call.record], streams_[call.stream]), "recording an event");
  check(cudaStreamWaitEvent(streams_[call.stream], records_[call.record], 0), "waiting for an event");
}

bool HostReplay::wait(const HostCall& call) const {
  const auto wait_for = [](cudaError_t status, auto block) {
    if (status == cudaSuccess) return false;
    if (status != cudaErrorNotReady) check(status, "asking for an end");
    block();
    return true;
  };
  if (call.kind == HostCallKind::kEventSync) {
    if (call.record == kNoRecord) return false;
    return wait_for(cudaEventQuery(records_[call.record]),
                    [&] { check(cudaEventSynchronize(records_[call.record]), "waiting for an event"); });
  }
  if (call.kind == HostCallKind::kStreamSync) {
    return wait_for(cudaStreamQuery(streams_[call.stream]),
                    [&] { check(cudaStreamSynchronize(streams_[call.stream]), "waiting for a stream"); });
  }
  bool waited = false;
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) waited |= cudaStreamQuery(streams_[stream]) == cudaErrorNotReady;
  check(cudaDeviceSynchronize(), "waiting for the GPU");
  return waited;
}

}  // namespace tasktwin::gpu
