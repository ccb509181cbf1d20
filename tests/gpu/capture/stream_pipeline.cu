// Chunks are copied in, worked on twice and copied out, over some streams; a last kernel waits for all of them by events and adds up.
// usage: stream_pipeline [--streams N] [--chunks N] [--elements N] [--repeats N] [--rounds N] [--measured N] [--missing-wait]
//        [--use-after-free] [--leave]
// --measured: so many rounds more, each in a range of that name; ranges "chunk_N" hold work that does not depend on each other's.
// --missing-wait: the last kernel does not wait for the last stream. --use-after-free: a chunk's memory is freed while a kernel on another
// stream still uses it.
// --leave: the process ends by _exit.
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include "tests/gpu/capture/program.cuh"

namespace {

using program::check;

struct Settings {
  long streams, chunks, elements, repeats;
  bool missing_wait, use_after_free;
};

class Pipeline {
 public:
  explicit Pipeline(const Settings& settings) : s_(settings), streams_(s_.streams), done_(s_.streams), chunks_(s_.chunks) {
    for (auto& stream : streams_) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    for (auto& event : done_) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    for (auto& chunk : chunks_) {
      check(cudaMallocHost(&chunk.in, bytes()), "cudaMallocHost");
      check(cudaMallocHost(&chunk.out, bytes()), "cudaMallocHost");
      std::fill_n(chunk.in, s_.elements, 1.0F);
      check(cudaMalloc(&chunk.x, bytes()), "cudaMalloc");
      check(cudaMalloc(&chunk.y, bytes()), "cudaMalloc");
    }
    std::vector<const float*> parts;
    for (const auto& chunk : chunks_) parts.push_back(chunk.y);
    check(cudaMalloc(&parts_, parts.size() * sizeof(float*)), "cudaMalloc");
    check(cudaMemcpy(parts_, parts.data(), parts.size() * sizeof(float*), cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMalloc(&sum_, bytes()), "cudaMalloc");
  }

  void round() {
    const int count = static_cast<int>(s_.elements);
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const cudaStream_t stream = streams_[i % streams_.size()];
      const Chunk& c = chunks_[i];
      nvtxRangePushA(("chunk_" + std::to_string(i)).c_str());
      check(cudaMemcpyAsync(c.x, c.in, bytes(), cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
      check(cudaMemsetAsync(c.y, 0, bytes(), stream), "cudaMemsetAsync");
      program::axpy<<<program::blocks(count), 256, 0, stream>>>(c.x, c.y, 0.5F, count, static_cast<int>(s_.repeats));
      program::axpy<<<program::blocks(count), 256, 0, stream>>>(c.x, c.y, 0.25F, count, static_cast<int>(s_.repeats));
      check(cudaMemcpyAsync(c.out, c.y, bytes(), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
      nvtxRangePop();
    }
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      check(cudaEventRecord(done_[i], streams_[i]), "cudaEventRecord");
      if (s_.missing_wait && i + 1 == streams_.size()) continue;
      check(cudaStreamWaitEvent(streams_[0], done_[i], 0), "cudaStreamWaitEvent");
    }
    // Its reads of the last chunk are named, so that a missing wait shows among the kernel's own parameters.
    program::add<<<program::blocks(count), 256, 0, streams_[0]>>>(chunks_.back().y, chunks_.front().y, sum_, count);
    program::add_up<<<program::blocks(count), 256, 0, streams_[0]>>>(parts_, static_cast<int>(chunks_.size()), sum_, count);
    check(cudaEventRecord(done_[0], streams_[0]), "cudaEventRecord");
    for (const auto stream : streams_) check(cudaStreamWaitEvent(stream, done_[0], 0), "cudaStreamWaitEvent");
  }

  /// Memory taken and given back in stream order, but used on another stream after that, and without a wait.
  void use_after_free() {
    const int count = static_cast<int>(s_.elements);
    float* scratch = nullptr;
    check(cudaMallocAsync(reinterpret_cast<void**>(&scratch), bytes(), streams_[0]), "cudaMallocAsync");
    check(cudaMemsetAsync(scratch, 0, bytes(), streams_[0]), "cudaMemsetAsync");
    check(cudaEventRecord(done_[0], streams_[0]), "cudaEventRecord");
    check(cudaStreamWaitEvent(streams_.back(), done_[0], 0), "cudaStreamWaitEvent");
    check(cudaFreeAsync(scratch, streams_[0]), "cudaFreeAsync");
    if (s_.use_after_free) program::axpy<<<program::blocks(count), 256, 0, streams_.back()>>>(chunks_[0].x, scratch, 1.0F, count, 1);
  }

  /// Whether the sums are those that the rounds must leave.
  bool is_right() {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    float first = 0;
    check(cudaMemcpy(&first, sum_, sizeof first, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return first == 0.75F * static_cast<float>(s_.repeats) * static_cast<float>(s_.chunks);
  }

 private:
  struct Chunk {
    float *in = nullptr, *out = nullptr, *x = nullptr, *y = nullptr;
  };
  std::size_t bytes() const { return static_cast<std::size_t>(s_.elements) * sizeof(float); }

  Settings s_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> done_;
  std::vector<Chunk> chunks_;
  const float** parts_ = nullptr;
  float* sum_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](const char* name, long otherwise) { return program::option(argc, argv, name, otherwise); };
  Pipeline pipeline({number("streams", 3), number("chunks", 12), number("elements", 1 << 20), number("repeats", 64),
                     program::flag(argc, argv, "missing-wait"), program::flag(argc, argv, "use-after-free")});
  const double us = program::median_us(number("rounds", 20), [&] { pipeline.round(); });
  for (long i = 0; i < number("measured", 0); ++i) {
    nvtxRangePushA("measured");
    pipeline.round();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    nvtxRangePop();
  }
  pipeline.use_after_free();
  std::printf("round_us %.1f right %d\n", us, pipeline.is_right() ? 1 : 0);
  std::fflush(stdout);
  if (program::flag(argc, argv, "leave")) ::_exit(0);
  return 0;
}
