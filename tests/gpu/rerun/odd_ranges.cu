// A range "odd" that something is special about, entered some times over; at the end the program says what its memory holds.
// usage: odd_ranges --what plain|host-function|free|managed|never-ends|changes|spin|pointers|zero-copy|round-trip|in-place|out-of-bounds|
//                          branches|module|context|fork|exit|crash|exec [--rounds N] [--exit N] [--at N]
// spin: a kernel waits for what one on another stream writes, which is issued behind it: in the order of issue it never ends.
// pointers: kernels find their memory by pointers in memory. in-place: each round goes on from what the one before left.
// branches: chains that need nothing of each other, one behind the other in one stream, and their sum. module: a kernel of a module that is
// loaded and unloaded inside. context: work on a second context. fork: a child process that ends at once. exit, crash: the program ends
// inside of round --at. exec: it becomes another at its end.
// out-of-bounds: a kernel follows an index that the kernel before it writes: without that it leaves its memory.
#include <csignal>
#include <cstdint>
#include <cstring>

#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <unistd.h>

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

constexpr const char* kTenMore = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry ten_more(.param .u64 p_to)
{
  .reg .f32 %f<2>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [p_to];
  cvta.to.global.u64 %d1, %d1;
  ld.global.f32 %f1, [%d1];
  add.f32 %f1, %f1, 0f41200000;
  st.global.f32 [%d1], %f1;
  ret;
}
)";

/// A function of the driver, which the program is not linked with.
template <class Function>
Function* driver(const char* name, unsigned int version = 12000) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result), name);
  return reinterpret_cast<Function*>(found);
}

constexpr int kBranches = 8;
constexpr int kBranchCount = 1 << 12;

class Odd {
 public:
  Odd(std::string what, int at) : what_(std::move(what)), at_(at) {
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
    for (float*& branch : branch_) {
      check(cudaMalloc(&branch, kBranchCount * sizeof(float)), "cudaMalloc");
      check(cudaMemset(branch, 0, kBranchCount * sizeof(float)), "cudaMemset");
    }
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
    if (what_ == "branches") {
      for (float* const branch : branch_) {
        for (int i = 0; i < 3; ++i) program::axpy<<<kBranchCount / 256, 256, 0, s>>>(x_, branch, 0.5F, kBranchCount, 2000);
      }
      program::add<<<kBranchCount / 256, 256, 0, s>>>(branch_[0], branch_[kBranches - 1], z_, kBranchCount);
    }
    if (what_ == "module") run_module(s);
    if (what_ == "context") use_second_context();
    if (what_ == "fork") {
      const pid_t child = fork();
      if (child == 0) _exit(0);
      waitpid(child, nullptr, 0);
    }
    if (what_ == "exit" && number == at_) std::exit(5);
    if (what_ == "crash" && number == at_) std::raise(SIGSEGV);
    if (what_ == "out-of-bounds") {
      put_index<<<1, 1, 0, s>>>(index_, 5);
      follow<<<1, 1, 0, s>>>(index_, y_);
    }
  }

  void run_module(cudaStream_t stream) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    void* arguments[] = {&z_};
    const auto right = [](CUresult result, const char* call) { check(result == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown, call); };
    right(driver<decltype(cuModuleLoadData)>("cuModuleLoadData")(&module, kTenMore), "cuModuleLoadData");
    right(driver<decltype(cuModuleGetFunction)>("cuModuleGetFunction")(&function, module, "ten_more"), "cuModuleGetFunction");
    right(driver<decltype(cuLaunchKernel)>("cuLaunchKernel")(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr), "cuLaunchKernel");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    right(driver<decltype(cuModuleUnload)>("cuModuleUnload")(module), "cuModuleUnload");
  }

  void use_second_context() {
    CUcontext own = nullptr;
    CUcontext second = nullptr;
    CUdeviceptr memory = 0;
    const auto right = [](CUresult result, const char* call) { check(result == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown, call); };
    right(driver<decltype(cuCtxGetCurrent)>("cuCtxGetCurrent")(&own), "cuCtxGetCurrent");
    right(driver<CUresult(CUcontext*, unsigned int, CUdevice)>("cuCtxCreate", 3020)(&second, 0, 0), "cuCtxCreate");
    right(driver<decltype(cuMemAlloc)>("cuMemAlloc")(&memory, kBytes), "cuMemAlloc");
    right(driver<CUresult(CUdeviceptr, unsigned char, std::size_t)>("cuMemsetD8")(memory, 1, kBytes), "cuMemsetD8");
    right(driver<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent")(own), "cuCtxSetCurrent");
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
  int at_ = 0;
  float* branch_[kBranches] = {};
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
  Odd odd(what, static_cast<int>(program::option(argc, argv, "at", 0)));
  const int rounds = static_cast<int>(program::option(argc, argv, "rounds", 4));
  for (int i = 0; i < rounds; ++i) {
    nvtxRangePushA("odd");
    odd.round(i);
    if (what != "never-ends") nvtxRangePop();
  }
  std::printf("digest %016llx\n", static_cast<unsigned long long>(odd.digest()));
  if (what == "exec") {
    std::fflush(stdout);
    execl("/proc/self/exe", argv[0], "--what", "plain", "--rounds", "1", nullptr);
  }
  return static_cast<int>(program::option(argc, argv, "exit", 0));
}
