#include "gpu/peers/programs/peer_program.hpp"

#include <algorithm>
#include <optional>

#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

PeerProgram::PeerProgram(const ExecutorInputs& inputs, const PeerKernels& kernels, PeerOperations* operations)
    : inputs_(inputs),
      kernels_(kernels),
      operations_(operations),
      plan_(plan_streams(inputs.graph, inputs.design)),
      count_(tasktwin::stream_count(inputs.graph, inputs.design)),
      in_use_{0},
      events_(inputs.graph.size()),
      launched_(inputs.graph.size()),
      recorded_(inputs.graph.size()) {
  for (int device = 0; device < kernels.devices(); ++device) {
    const OnDevice on(device);
    sets_.push_back(std::make_unique<StreamSet>(count_, DefaultStream::kNone));
  }
  for (StreamLaunch& launch : plan_) {
    std::erase_if(launch.awaited, [&](TaskId before) { return inputs.options.ignores(before, launch.task); });
    if (std::ranges::find(in_use_, launch.stream) == in_use_.end()) in_use_.push_back(launch.stream);
    if (!launch.records_event) continue;
    const OnDevice on(device_of(launch.stream));
    events_[index(launch.task)] = std::make_unique<Event>();
  }
  for (const std::uint32_t number : in_use_) {
    const OnDevice on(device_of(number));
    meeting_.push_back(std::make_unique<Event>());
  }
  if (inputs.design.launching == Launching::kThreadPerDevice)
    threads_ = std::make_unique<LaunchThreads>(
        kernels.devices(),
        [this](int device) {
          try {
            submit_of(device, mode_);
          } catch (...) {
            failed_ = true;
            throw;
          }
        },
        [this](int device) { warm_up(device); });
}

std::vector<cudaStream_t> PeerProgram::front() const {
  std::vector<cudaStream_t> streams;
  streams.reserve(sets_.size());
  for (const auto& set : sets_) streams.push_back(set->front());
  return streams;
}

void PeerProgram::get_ready() {
  if (threads_) threads_->get_ready();
}

/// A thread's launches into its first stream, until the driver's data are in its processor's caches.
void PeerProgram::warm_up(int device) const {
  constexpr int kLaunches = 16;
  const OnDevice on(device);
  const cudaStream_t stream = sets_[static_cast<std::size_t>(device)]->front();
  for (int launch = 0; launch < kLaunches; ++launch) launch_wide_stamp(aside_.device_address(), stream);
  check(cudaStreamSynchronize(stream), "warming up a thread of the host");
}

void PeerProgram::submit(RunMode mode) {
  if (!threads_) return submit_all(mode);
  mode_ = mode;
  ++pass_;
  threads_->run();
}

void PeerProgram::submit_of(int device, RunMode mode) {
  const OnDevice on(device);
  const StreamRun run = kernels_.describe(device, mode);
  for (const StreamLaunch& next : plan_) {
    if (device_of(next.stream) != device) continue;
    for (const TaskId before : next.awaited) {
      while (recorded_[index(before)].load(std::memory_order_acquire) < pass_) {
        if (failed_) return;
      }
    }
    prepare(next);
    const Operation operation = inputs_.graph[next.task].operation;
    if (operation == Operation::kKernel) {
      launch_kernel(next, run);
    } else if (is_collective(operation)) {
      operations_->collect_one(next.task, mode, stream(next.stream));
    } else {
      operations_->copy(next.task, mode, stream(next.stream), capturing_);
    }
    behind(next, mode);
    recorded_[index(next.task)].store(pass_, std::memory_order_release);
  }
  check(cudaGetLastError(), "launching the tasks");
}

void PeerProgram::submit_all(RunMode mode) {
  std::vector<StreamRun> runs;
  runs.reserve(static_cast<std::size_t>(kernels_.devices()));
  for (int device = 0; device < kernels_.devices(); ++device) runs.push_back(kernels_.describe(device, mode));
  int before = 0;
  check(cudaGetDevice(&before), "asking for the device");
  int current = before;
  for (std::size_t i = 0; i < plan_.size();) {
    const StreamLaunch& next = plan_[i];
    if (const int device = device_of(next.stream); device != current) {
      check(cudaSetDevice(device), "choosing a device");
      current = device;
    }
    const Operation operation = inputs_.graph[next.task].operation;
    if (is_collective(operation)) {
      i = launch_collective(i, mode);
      check(cudaGetDevice(&current), "asking for the device");
      continue;
    }
    prepare(next);
    if (operation == Operation::kKernel) {
      launch_kernel(next, runs[static_cast<std::size_t>(current)]);
    } else {
      operations_->copy(next.task, mode, stream(next.stream), capturing_);
    }
    behind(next, mode);
    ++i;
  }
  check(cudaGetLastError(), "launching the tasks");
  check(cudaSetDevice(before), "choosing a device");
}

void PeerProgram::prepare(const StreamLaunch& launch) {
  for (const TaskId before : launch.awaited) check(cudaStreamWaitEvent(stream(launch.stream), event(before), 0), "waiting for an event");
}

void PeerProgram::launch_kernel(const StreamLaunch& launch, const StreamRun& run) {
  kernels_.launch(run, launch.task, stream(launch.stream));
}

std::size_t PeerProgram::launch_collective(std::size_t first, RunMode mode) {
  const Task& one = inputs_.graph[plan_[first].task];
  std::vector<TaskId> ranks;
  std::vector<cudaStream_t> streams;
  std::size_t end = first;
  for (; end < plan_.size(); ++end) {
    const Task& task = inputs_.graph[plan_[end].task];
    if (task.operation != one.operation || task.args[1] != one.args[1]) break;
    prepare(plan_[end]);
    ranks.push_back(plan_[end].task);
    streams.push_back(stream(plan_[end].stream));
  }
  operations_->collect(ranks, mode, streams);
  for (std::size_t i = first; i < end; ++i) {
    check(cudaSetDevice(device_of(plan_[i].stream)), "choosing a device");
    behind(plan_[i], mode);
  }
  return end;
}

void PeerProgram::behind(const StreamLaunch& launch, RunMode mode) {
  if (mode == RunMode::kStamped) {
    launched_[index(launch.task)] = Clock::now();
    if (operations_ != nullptr && operations_->takes(launch.task)) operations_->called(launch.task, stream(launch.stream), capturing_);
  }
  if (launch.records_event) check(cudaEventRecord(event(launch.task), stream(launch.stream)), "recording an event");
}

void PeerProgram::gather() {
  for (std::size_t i = 1; i < in_use_.size(); ++i) {
    const OnDevice on(device_of(in_use_[i]));
    check(cudaEventRecord(*meeting_[i], stream(in_use_[i])), "recording an event");
    check(cudaStreamWaitEvent(stream(in_use_.front()), *meeting_[i], 0), "waiting for an event");
  }
}

void PeerProgram::scatter() {
  const OnDevice on(device_of(in_use_.front()));
  check(cudaEventRecord(*meeting_.front(), stream(in_use_.front())), "recording an event");
  for (std::size_t i = 1; i < in_use_.size(); ++i)
    check(cudaStreamWaitEvent(stream(in_use_[i]), *meeting_.front(), 0), "waiting for an event");
}

void PeerProgram::meet() {
  gather();
  scatter();
}

void PeerProgram::finish(RunMode mode) {
  if (operations_ == nullptr) return;
  std::vector<std::optional<TaskId>> last(stream_count());
  for (const StreamLaunch& launch : plan_) last[launch.stream] = launch.task;
  for (const std::uint32_t number : in_use_) {
    const std::optional<TaskId>& task = last[number];
    if (!task || !operations_->takes(*task)) continue;
    capturing_ ? operations_->capture_end(device_of(number), mode, stream(number))
               : operations_->record_end(device_of(number), number, stream(number));
  }
}

cudaGraph_t PeerProgram::capture(RunMode mode) {
  const OnDevice on(0);
  cudaStream_t first = stream(in_use_.front());
  check(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal), "beginning the capture");
  cudaGraph_t graph = nullptr;
  capturing_ = true;
  try {
    scatter();
    submit(mode);
    finish(mode);
    gather();
    capturing_ = false;
  } catch (...) {
    capturing_ = false;
    static_cast<void>(cudaStreamEndCapture(first, &graph));
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    throw;
  }
  check(cudaStreamEndCapture(first, &graph), "ending the capture");
  return graph;
}

}  // namespace tasktwin::gpu
