// A range "odd" that something is special about, entered some times over; at the end the program says what its memory holds.
// usage: odd_ranges --what plain|host-function|free|managed|never-ends|changes|spin|pointers|zero-copy|round-trip|in-place|out-of-bounds
//        [--rounds N] [--exit N]
// spin: a kernel waits for what one on another stream writes, which is issued behind it: in the order of issue it never ends.
// pointers: kernels find their memory by pointers in memory. in-place: each round goes on from what the one before left.
// out-of-bounds: a kernel follows an index that the kernel before it writes: without that it leaves its memory.
#include <cstdint>
#include <cstring>

#include <nvtx3/nvToolsExt.h>

#include "tests/gpu/capture/program.cuh"

namespace {

using program::check;

constexpr int kCount = 1 << 18;
constexpr std::size_t kBytes = kCount * sizeof(float);

__global__ void fill(float* y, float value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = value + static_cast<float>(i);
}
__global__ void twice(const float* const* from, float* const* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) (*to)[i] = 2 * (*from)[i];
}
__global__ void wait_for(volatile int* flag, int* out) {
  while (*flag == 0) {
  }
  *out += 1;
}
__global__ void tell(volatile int* flag, int value) { *flag = value; }
__global__ void put_index(std::int64_t* index, std::int64_t value) { *index = value; }
__global__ void follow(std::int64_t* index, float* y) {
  y[*index] += 1;
  *index = std::int64_t{1} << 45;  // what the next round must not follow
}

class Odd {
 public:
  explicit Odd(std::string what) : what_(std::move(what)) {
    for (auto& stream : streams_) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    for (float** buffer : {&x_, &y_, &z_}) {
      check(cudaMalloc(buffer, kBytes), "cudaMalloc");
      check(cudaMemset(*buffer, 0, kBytes), "cudaMemset");
    }
    check(cudaMalloc(&flags_, 2 * sizeof(int)), "cudaMalloc");
    check(cudaMemset(flags_, 0, 2 * sizeof(int)), "cudaMemset");
    check(cudaMalloc(&index_, sizeof(std::int64_t)), "cudaMalloc");
    check(cudaMalloc(&pointers_, 2 * sizeof(float*)), "cudaMalloc");
    float* const both[2] = {x_, y_};
    check(cudaMemcpy(pointers_, both, sizeof both, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMallocManaged(&managed_, kBytes), "cudaMallocManaged");
    check(cudaMallocHost(&pinned_, kBytes), "cudaMallocHost");
    std::memset(pinned_, 0, kBytes);
  }

  void round(int number) {
    const unsigned int blocks = program::blocks(kCount);
    const cudaStream_t s = streams_[0];
    fill<<<blocks, 256, 0, s>>>(x_, 1, kCount);
    program::axpy<<<blocks, 256, 0, s>>>(x_, y_, 0.5F, kCount, 8);
    if (what_ == "host-function")
      check(cudaLaunchHostFunc(
                s, [](void*) {}, nullptr),
            "cudaLaunchHostFunc");
    if (what_ == "free") {
      float* scratch = nullptr;
      check(cudaMalloc(&scratch, kBytes), "cudaMalloc");
      fill<<<blocks, 256, 0, s>>>(scratch, 2, kCount);
      check(cudaFree(scratch), "cudaFree");
    }
    if (what_ == "managed") fill<<<blocks, 256, 0, s>>>(managed_, 3, kCount);
    if (what_ == "changes") {
      for (int i = 0; i < number; ++i) fill<<<blocks, 256, 0, s>>>(z_, 4, kCount);
    }
    if (what_ == "spin") {
      tell<<<1, 1, 0, s>>>(flags_, 0);
      check(cudaEventRecord(event_, s), "cudaEventRecord");
      check(cudaStreamWaitEvent(streams_[1], event_, 0), "cudaStreamWaitEvent");
      wait_for<<<1, 1, 0, s>>>(flags_, flags_ + 1);
      tell<<<1, 1, 0, streams_[1]>>>(flags_, 1);
    }
    if (what_ == "pointers") {
      twice<<<blocks, 256, 0, s>>>(pointers_, pointers_ + 1, kCount);
      program::add<<<blocks, 256, 0, s>>>(y_, y_, z_, kCount);
    }
    if (what_ == "zero-copy") program::axpy<<<blocks, 256, 0, s>>>(x_, pinned_, 0.25F, kCount, 1);
    if (what_ == "round-trip") {
      std::vector<float> here(kCount);  // gone when the range is over
      check(cudaMemcpyAsync(here.data(), x_, kBytes, cudaMemcpyDeviceToHost, s), "cudaMemcpyAsync");
      check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
      for (float& one : here) one += 1;
      check(cudaMemcpyAsync(z_, here.data(), kBytes, cudaMemcpyHostToDevice, s), "cudaMemcpyAsync");
      check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
      program::axpy<<<blocks, 256, 0, s>>>(z_, y_, 0.125F, kCount, 1);
    }
    if (what_ == "out-of-bounds") {
      put_index<<<1, 1, 0, s>>>(index_, 5);
      follow<<<1, 1, 0, s>>>(index_, y_);
    }
  }

  /// A sum of what memory holds, bit by bit.
  std::uint64_t digest() {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::uint64_t sum = 0;
    std::vector<float> here(kCount);
    for (const float* from : {x_, y_, z_, static_cast<float*>(pinned_)}) {
      check(cudaMemcpy(here.data(), from, kBytes, cudaMemcpyDefault), "cudaMemcpy");
      for (const float one : here) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &one, sizeof bits);
        sum = sum * 31 + bits;
      }
    }
    int flags[2] = {};
    check(cudaMemcpy(flags, flags_, sizeof flags, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return sum * 31 + static_cast<std::uint64_t>(flags[1]);
  }

 private:
  std::string what_;
  cudaStream_t streams_[2] = {};
  cudaEvent_t event_ = nullptr;
  float *x_ = nullptr, *y_ = nullptr, *z_ = nullptr, *managed_ = nullptr, *pinned_ = nullptr;
  int* flags_ = nullptr;
  std::int64_t* index_ = nullptr;
  float** pointers_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  std::string what = "plain";
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == std::string("--what")) what = argv[i + 1];
  }
  Odd odd(what);
  const int rounds = static_cast<int>(program::option(argc, argv, "rounds", 4));
  for (int i = 0; i < rounds; ++i) {
    nvtxRangePushA("odd");
    odd.round(i);
    if (what != "never-ends") nvtxRangePop();
  }
  std::printf("digest %016llx\n", static_cast<unsigned long long>(odd.digest()));
  return static_cast<int>(program::option(argc, argv, "exit", 0));
}
