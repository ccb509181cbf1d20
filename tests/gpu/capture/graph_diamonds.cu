// Diamonds, one behind the other: two branches of kernels from one kernel into one, as stream calls or as graphs.
// usage: graph_diamonds --as one-stream|events|syncs|captured|nodes [--diamonds N] [--elements N] [--repeats N] [--rounds N] [--threads N]
//        [--measured N] [--missing-wait] [--use-after-free]
//        graph_diamonds --launches N: N empty kernels, and what one took
// The ranges "left" and "right" hold work that does not depend on each other's. `captured`: the graph of what `events` does. `nodes`: a
// graph that is built by hand, with a memset, a copy, a host function and a child graph. --threads: so many threads do the same, each on
// streams of its own. --measured: so many rounds more, each in a range of that name; 1 by default. Of `events`: with --missing-wait what
// joins does not wait for the other stream, with --use-after-free memory is freed in stream order while a kernel on the other stream is yet
// to use it.
#include <thread>

#include <nvtx3/nvToolsExt.h>

#include "tests/gpu/capture/program.cuh"

namespace {

using program::check;

struct Settings {
  std::string as;
  long diamonds, elements, repeats;
  bool missing_wait, use_after_free;
};

class Diamonds {
 public:
  explicit Diamonds(Settings settings) : s_(std::move(settings)) {
    for (auto& stream : streams_) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    check(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    check(cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    for (float** buffer : {&top_, &left_, &right_, &bottom_}) {
      check(cudaMalloc(reinterpret_cast<void**>(buffer), bytes()), "cudaMalloc");
      check(cudaMemset(*buffer, 0, bytes()), "cudaMemset");
    }
    if (s_.as == "captured") capture();
    if (s_.as == "nodes") build();
  }

  void round() {
    if (s_.use_after_free) use_after_free();
    if (exec_) {
      check(cudaGraphLaunch(exec_, streams_[0]), "cudaGraphLaunch");
    } else {
      call();
    }
    check(cudaStreamSynchronize(streams_[0]), "cudaStreamSynchronize");
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(s_.elements) * sizeof(float); }
  int count() const { return static_cast<int>(s_.elements); }

  void work(const float* x, float* y, cudaStream_t stream) const {
    program::axpy<<<program::blocks(count()), 256, 0, stream>>>(x, y, 0.5F, count(), static_cast<int>(s_.repeats));
  }

  void call() const {
    const bool apart = s_.as != "one-stream";
    const cudaStream_t main = streams_[0];
    const cudaStream_t other = apart ? streams_[1] : main;
    for (long i = 0; i < s_.diamonds; ++i) {
      work(bottom_, top_, main);
      if (s_.as == "syncs") check(cudaStreamSynchronize(main), "cudaStreamSynchronize");
      if (s_.as == "events" || s_.as == "captured") {
        check(cudaEventRecord(forked_, main), "cudaEventRecord");
        check(cudaStreamWaitEvent(other, forked_, 0), "cudaStreamWaitEvent");
      }
      nvtxRangePushA("left");
      work(top_, left_, main);
      nvtxRangePop();
      nvtxRangePushA("right");
      work(top_, right_, other);
      nvtxRangePop();
      if (s_.as == "syncs") check(cudaStreamSynchronize(other), "cudaStreamSynchronize");
      if (s_.as == "events" || s_.as == "captured") {
        check(cudaEventRecord(joined_, other), "cudaEventRecord");
        if (!s_.missing_wait) check(cudaStreamWaitEvent(main, joined_, 0), "cudaStreamWaitEvent");
      }
      program::add<<<program::blocks(count()), 256, 0, main>>>(left_, right_, bottom_, count());
    }
  }

  /// The other stream waits for what fills the memory, but its kernel comes behind the free.
  void use_after_free() const {
    float* scratch = nullptr;
    check(cudaMallocAsync(reinterpret_cast<void**>(&scratch), bytes(), streams_[0]), "cudaMallocAsync");
    check(cudaMemsetAsync(scratch, 0, bytes(), streams_[0]), "cudaMemsetAsync");
    check(cudaEventRecord(forked_, streams_[0]), "cudaEventRecord");
    check(cudaStreamWaitEvent(streams_[1], forked_, 0), "cudaStreamWaitEvent");
    check(cudaFreeAsync(scratch, streams_[0]), "cudaFreeAsync");
    work(top_, scratch, streams_[1]);
    check(cudaEventRecord(joined_, streams_[1]), "cudaEventRecord");
    check(cudaStreamWaitEvent(streams_[0], joined_, 0), "cudaStreamWaitEvent");
  }

  void capture() {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    call();
    check(cudaStreamEndCapture(streams_[0], &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&exec_, graph, 0), "cudaGraphInstantiate");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  }

  cudaGraphNode_t add_kernel(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after, const float* x, float* y) const {
    float a = 0.5F;
    int n = count();
    int repeats = static_cast<int>(s_.repeats);
    void* arguments[] = {&x, &y, &a, &n, &repeats};
    cudaKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(program::axpy);
    parameters.gridDim = dim3(program::blocks(count()));
    parameters.blockDim = dim3(256);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters), "cudaGraphAddKernelNode");
    return node;
  }

  void build() {
    cudaGraph_t graph = nullptr;
    cudaGraph_t child = nullptr;
    check(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
    check(cudaGraphCreate(&child, 0), "cudaGraphCreate");
    const cudaGraphNode_t inner = add_kernel(child, {}, left_, bottom_);
    add_kernel(child, {inner}, right_, bottom_);
    cudaGraphNode_t clear = nullptr;
    cudaMemsetParams memset{};
    memset.dst = right_;
    memset.elementSize = 4;
    memset.width = static_cast<std::size_t>(s_.elements);
    memset.height = 1;
    check(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &memset), "cudaGraphAddMemsetNode");
    std::vector<cudaGraphNode_t> last{clear};
    for (long i = 0; i < s_.diamonds; ++i) {
      const cudaGraphNode_t top = add_kernel(graph, last, bottom_, top_);
      const cudaGraphNode_t left = add_kernel(graph, {top}, top_, left_);
      const cudaGraphNode_t right = add_kernel(graph, {top}, top_, right_);
      const std::vector<cudaGraphNode_t> both{left, right};
      cudaGraphNode_t join = nullptr;
      check(cudaGraphAddChildGraphNode(&join, graph, both.data(), both.size(), child), "cudaGraphAddChildGraphNode");
      last = {join};
    }
    cudaGraphNode_t copied = nullptr;
    check(cudaGraphAddMemcpyNode1D(&copied, graph, last.data(), last.size(), left_, bottom_, bytes(), cudaMemcpyDeviceToDevice),
          "cudaGraphAddMemcpyNode1D");
    cudaHostNodeParams host{};
    host.fn = [](void*) {};
    cudaGraphNode_t called = nullptr;
    check(cudaGraphAddHostNode(&called, graph, &copied, 1, &host), "cudaGraphAddHostNode");
    check(cudaGraphInstantiate(&exec_, graph, 0), "cudaGraphInstantiate");
  }

  Settings s_;
  cudaStream_t streams_[2]{};
  cudaEvent_t forked_ = nullptr, joined_ = nullptr;
  float *top_ = nullptr, *left_ = nullptr, *right_ = nullptr, *bottom_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

/// Launches so many empty kernels, in batches that the stream can hold, and prints what the host took for one.
void launches(long count) {
  constexpr long kBatch = 500;
  std::vector<double> batches;
  for (long done = -kBatch; done < count; done += kBatch) {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const auto begin = std::chrono::steady_clock::now();
    for (long i = 0; i < kBatch; ++i) program::nothing<<<1, 32>>>();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    if (done >= 0) batches.push_back(took.count() / kBatch);
  }
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::sort(batches.begin(), batches.end());
  std::printf("launch_us %.3f\n", batches[batches.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](const char* name, long otherwise) { return program::option(argc, argv, name, otherwise); };
  if (const long count = number("launches", 0); count > 0) {
    launches(count);
    return 0;
  }
  Settings settings{"one-stream",
                    number("diamonds", 8),
                    number("elements", 1 << 18),
                    number("repeats", 64),
                    program::flag(argc, argv, "missing-wait"),
                    program::flag(argc, argv, "use-after-free")};
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--as") settings.as = argv[i + 1];
  }
  const long rounds = number("rounds", 20);
  const long measured = number("measured", 1);
  const auto work = [&settings, rounds, measured] {
    Diamonds diamonds(settings);
    const double us = program::median_us(rounds, [&] { diamonds.round(); });
    for (long i = 0; i < measured; ++i) {
      nvtxRangePushA("measured");
      diamonds.round();
      nvtxRangePop();
    }
    std::printf("round_us %.1f\n", us);
  };
  std::vector<std::thread> threads;
  for (long i = 1; i < number("threads", 1); ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  return 0;
}
