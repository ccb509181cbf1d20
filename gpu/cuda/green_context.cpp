#include "gpu/cuda/green_context.hpp"

#include <array>
#include <string>

#include <cuda.h>

#include "gpu/cuda/cuda_error.hpp"
#include "models/base/error.hpp"
#include "models/design/core_shares.hpp"

namespace tasktwin::gpu {

namespace {

constexpr unsigned kDriverVersion = 13000;  ///< of the functions' parameters, as the headers above have them

/// A function of the driver, which is not linked: it is there only where a GPU is.
template <class Function>
Function* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &function, kDriverVersion, cudaEnableDefault, &found),
        std::string("looking for the driver's ") + name);
  if (found != cudaDriverEntryPointSuccess || function == nullptr)
    throw InputError(std::string("partition needs green contexts, but the driver has no ") + name + "; leave it 0");
  return reinterpret_cast<Function*>(function);
}

void check_driver(CUresult status, const std::string& what) {
  if (status == CUDA_SUCCESS) return;
  const char* words = nullptr;
  if (driver_function<decltype(cuGetErrorString)>("cuGetErrorString")(status, &words) != CUDA_SUCCESS || words == nullptr)
    words = "unknown error";
  throw RunError(what + ": " + words + " (" + std::to_string(static_cast<int>(status)) + ")");
}

using Shares = std::array<CUdevResource, kShares>;

CUdevice first_device() {
  check(cudaFree(nullptr), "initialising the device");
  CUdevice device{};
  check_driver(driver_function<decltype(cuDeviceGet)>("cuDeviceGet")(&device, 0), "asking for the device");
  return device;
}

/// Throws InputError where that cannot be.
Shares divide(CUdevice device, int percent) {
  CUdevResource all{};
  check_driver(driver_function<decltype(cuDeviceGetDevResource)>("cuDeviceGetDevResource")(device, &all, CU_DEV_RESOURCE_TYPE_SM),
               "asking for the SMs");
  const auto wanted = static_cast<unsigned>(cores_asked_for(static_cast<int>(all.sm.smCount), percent));
  Shares shares{};
  unsigned groups = 1;
  const CUresult split = driver_function<decltype(cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount")(&shares[0], &groups, &all,
                                                                                                               &shares[1], 0, wanted);
  if (split == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION || groups == 0 ||
      (split == CUDA_SUCCESS && (shares[1].type != CU_DEV_RESOURCE_TYPE_SM || shares[1].sm.smCount == 0))) {
    throw InputError("partition is " + std::to_string(percent) + ", but the driver cannot divide " + std::to_string(all.sm.smCount) +
                     " SMs so, which it does in groups of at least " + std::to_string(all.sm.minSmPartitionSize));
  }
  check_driver(split, "dividing the SMs");
  return shares;
}

}  // namespace

struct SmPartition::Contexts {
  std::array<CUgreenCtx, kShares> contexts{};
  std::array<unsigned, kShares> multiprocessors{};

  ~Contexts() {
    try {
      const auto destroy = driver_function<decltype(cuGreenCtxDestroy)>("cuGreenCtxDestroy");
      for (const CUgreenCtx context : contexts) {
        if (context != nullptr) static_cast<void>(destroy(context));
      }
    } catch (const std::exception&) {  // the driver has gone; so have they
    }
  }
};

SmPartition::SmPartition(int percent) : contexts_(std::make_unique<Contexts>()) {
  const CUdevice device = first_device();
  Shares shares = divide(device, percent);
  for (std::size_t share = 0; share < shares.size(); ++share) {
    CUdevResourceDesc description{};
    check_driver(driver_function<decltype(cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc")(&description, &shares[share], 1),
                 "describing a share of the SMs");
    check_driver(driver_function<decltype(cuGreenCtxCreate)>("cuGreenCtxCreate")(&contexts_->contexts[share], description, device,
                                                                                 CU_GREEN_CTX_DEFAULT_STREAM),
                 "creating a green context");
    contexts_->multiprocessors[share] = shares[share].sm.smCount;
  }
}

SmPartition::~SmPartition() = default;

int SmPartition::multiprocessors(int share) const { return static_cast<int>(contexts_->multiprocessors[static_cast<std::size_t>(share)]); }

cudaStream_t SmPartition::create_stream(int share) const {
  CUstream stream = nullptr;
  check_driver(driver_function<decltype(cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate")(
                   &stream, contexts_->contexts[static_cast<std::size_t>(share)], CU_STREAM_NON_BLOCKING, 0),
               "creating a stream in a green context");
  return stream;
}

std::optional<std::string> why_no_partition(int percent) {
  try {
    divide(first_device(), percent);
    return std::nullopt;
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace tasktwin::gpu
