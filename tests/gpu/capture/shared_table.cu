// Two streams share a table: one works on a step, whose first layers read it, while the other writes the table and prepares the batch of
// the next step. The table must not be written before the step has read it.
// usage: shared_table --wait barrier|whole|last-read|moved [--steps N] [--layers N] [--readers N] [--repeats N] [--rounds N] [--measured N]
// barrier: the host waits for the step. whole: the other stream waits for an event behind the step. last-read: for one behind the last
// layer that reads the table. moved: the first layer copies the table, the others read the copy, and the event is behind the first.
// --measured: so many rounds more, each in a range of that name.
#include <nvtx3/nvToolsExt.h>

#include "tests/gpu/capture/program.cuh"

namespace {

using program::check;

constexpr int kCount = 1 << 15;
constexpr std::size_t kBytes = kCount * sizeof(float);

/// Two steps in flight use batches by turns.
struct Table {
  float *table, *copy, *hidden, *scratch, *batch[2];
  cudaStream_t step, next;
  cudaEvent_t read, ready;
};

float* buffer() {
  float* data = nullptr;
  check(cudaMalloc(&data, kBytes), "cudaMalloc");
  check(cudaMemset(data, 0, kBytes), "cudaMemset");
  return data;
}

void layer(const float* x, float* y, int repeats, cudaStream_t stream) {
  program::axpy<<<program::blocks(kCount), 256, 0, stream>>>(x, y, 0.5F, kCount, repeats);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](const char* name, long otherwise) { return program::option(argc, argv, name, otherwise); };
  std::string wait = "barrier";
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--wait") wait = argv[i + 1];
  }
  const long steps = number("steps", 4);
  const long layers = number("layers", 12);
  const long readers = number("readers", 4);
  const int repeats = static_cast<int>(number("repeats", 4096));
  Table t{buffer(), buffer(), buffer(), buffer(), {buffer(), buffer()}, nullptr, nullptr, nullptr, nullptr};
  check(cudaStreamCreateWithFlags(&t.step, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  check(cudaStreamCreateWithFlags(&t.next, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  check(cudaEventCreateWithFlags(&t.read, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  check(cudaEventCreateWithFlags(&t.ready, cudaEventDisableTiming), "cudaEventCreateWithFlags");

  const auto round = [&] {
    for (long i = 0; i < steps; ++i) {
      const long last = wait == "whole" ? layers - 1 : wait == "moved" ? 0 : readers - 1;
      for (long l = 0; l < layers; ++l) {
        if (wait == "moved" && l == 0) {
          program::add<<<program::blocks(kCount), 256, 0, t.step>>>(t.table, t.batch[i % 2], t.copy, kCount);
          layer(t.copy, t.hidden, repeats, t.step);
        } else {
          layer(l < readers ? (wait == "moved" ? t.copy : t.table) : t.batch[i % 2], t.hidden, repeats, t.step);
        }
        if (wait != "barrier" && l == last) check(cudaEventRecord(t.read, t.step), "cudaEventRecord");
      }
      if (wait == "barrier") {
        check(cudaStreamSynchronize(t.step), "cudaStreamSynchronize");
      } else {
        check(cudaStreamWaitEvent(t.next, t.read, 0), "cudaStreamWaitEvent");
      }
      layer(t.scratch, t.table, 1, t.next);
      for (long l = 0; l < layers / 2; ++l) layer(t.scratch, t.batch[(i + 1) % 2], repeats, t.next);
      check(cudaEventRecord(t.ready, t.next), "cudaEventRecord");
      check(cudaStreamWaitEvent(t.step, t.ready, 0), "cudaStreamWaitEvent");
    }
  };
  const double us = program::median_us(number("rounds", 20), round);
  for (long i = 0; i < number("measured", 0); ++i) {
    nvtxRangePushA("measured");
    round();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    nvtxRangePop();
  }
  std::printf("round_us %.1f right 1\n", us);
  return 0;
}
