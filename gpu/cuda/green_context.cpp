#include "gpu/cuda/green_context.hpp"

#include <algorithm>
#include <string>
#include <vector>

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
    throw InputError(std::string("partition and sets need green contexts, but the driver has no ") + name + "; leave them out");
  return reinterpret_cast<Function*>(function);
}

void check_driver(CUresult status, const std::string& what) {
  if (status == CUDA_SUCCESS) return;
  const char* words = nullptr;
  if (driver_function<decltype(cuGetErrorString)>("cuGetErrorString")(status, &words) != CUDA_SUCCESS || words == nullptr)
    words = "unknown error";
  throw RunError(what + ": " + words + " (" + std::to_string(static_cast<int>(status)) + ")");
}

/// By share; each may have several groups of SMs.
using Shares = std::vector<std::vector<CUdevResource>>;

CUdevice first_device() {
  check(cudaFree(nullptr), "initialising the device");
  CUdevice device{};
  check_driver(driver_function<decltype(cuDeviceGet)>("cuDeviceGet")(&device, 0), "asking for the device");
  return device;
}

CUdevResource multiprocessors_of(CUdevice device) {
  CUdevResource all{};
  check_driver(driver_function<decltype(cuDeviceGetDevResource)>("cuDeviceGetDevResource")(device, &all, CU_DEV_RESOURCE_TYPE_SM),
               "asking for the SMs");
  return all;
}

/// Groups of SMs, and what they leave.
struct Split {
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
  bool leaves() const { return rest.type == CU_DEV_RESOURCE_TYPE_SM && rest.sm.smCount > 0; }
};

/// Up to `count` groups of `size` SMs at least; none where the driver cannot.
Split split(const CUdevResource& all, unsigned count, unsigned size) {
  Split made{.groups = std::vector<CUdevResource>(count)};
  const CUresult status = driver_function<decltype(cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount")(made.groups.data(), &count,
                                                                                                                &all, &made.rest, 0, size);
  if (status == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION) return {};
  check_driver(status, "dividing the SMs");
  made.groups.resize(count);
  return made;
}

/// Throws InputError where that cannot be.
Shares divide(CUdevice device, int percent) {
  const CUdevResource all = multiprocessors_of(device);
  const Split made = split(all, 1, static_cast<unsigned>(cores_asked_for(static_cast<int>(all.sm.smCount), percent)));
  if (made.groups.empty() || !made.leaves()) {
    throw InputError("partition is " + std::to_string(percent) + ", but the driver cannot divide " + std::to_string(all.sm.smCount) +
                     " SMs so, which it does in groups of at least " + std::to_string(all.sm.minSmPartitionSize));
  }
  return {{made.groups.front()}, {made.rest}};
}

/// Of groups of the smallest size, as a descriptor may have several of one split. Throws InputError where that cannot be.
Shares divide(CUdevice device, std::span<const NamedCores> sets) {
  const CUdevResource all = multiprocessors_of(device);
  const unsigned unit = all.sm.minSmPartitionSize;
  Split made = split(all, all.sm.smCount / unit, unit);
  Shares shares;
  auto free = made.groups.begin();
  bool rest_is_free = made.leaves();
  for (const NamedCores& set : sets) {
    std::vector<CUdevResource>& share = shares.emplace_back();
    auto wanted = static_cast<unsigned>(set.count());
    for (; free != made.groups.end() && free->sm.smCount <= wanted; ++free) {
      share.push_back(*free);
      wanted -= free->sm.smCount;
    }
    if (rest_is_free && wanted == made.rest.sm.smCount) {
      share.push_back(made.rest);
      rest_is_free = false;
      wanted = 0;
    }
    if (wanted == 0) continue;
    throw InputError("sets: '" + set.name + "' has " + std::to_string(set.count()) + " cores, but the driver divides " +
                     std::to_string(all.sm.smCount) + " SMs into " + std::to_string(made.groups.size()) + " groups of " +
                     std::to_string(unit) + (made.leaves() ? " and " + std::to_string(made.rest.sm.smCount) + " that are left" : "") +
                     ", and of these the sets before leave it none that make so many; use multiples of " + std::to_string(unit));
  }
  std::vector<CUdevResource> left(free, made.groups.end());
  if (rest_is_free) left.push_back(made.rest);
  if (!left.empty()) shares.push_back(std::move(left));
  return shares;
}

}  // namespace

struct SmPartition::Contexts {
  std::vector<CUgreenCtx> contexts;
  std::vector<unsigned> multiprocessors;

  void create(CUdevice device, Shares shares) {
    for (std::vector<CUdevResource>& share : shares) {
      CUdevResourceDesc description{};
      check_driver(driver_function<decltype(cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc")(&description, share.data(),
                                                                                                     static_cast<unsigned>(share.size())),
                   "describing a share of the SMs");
      CUgreenCtx context = nullptr;
      check_driver(
          driver_function<decltype(cuGreenCtxCreate)>("cuGreenCtxCreate")(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
          "creating a green context");
      contexts.push_back(context);
      unsigned count = 0;
      for (const CUdevResource& group : share) count += group.sm.smCount;
      multiprocessors.push_back(count);
    }
  }

  Contexts() = default;
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;
  ~Contexts() {
    try {
      const auto destroy = driver_function<decltype(cuGreenCtxDestroy)>("cuGreenCtxDestroy");
      for (CUgreenCtx_st* const context : contexts) static_cast<void>(destroy(context));
    } catch (const std::exception&) {  // the driver has gone; so have they
    }
  }
};

SmPartition::SmPartition(int percent) : contexts_(std::make_unique<Contexts>()) {
  const CUdevice device = first_device();
  contexts_->create(device, divide(device, percent));
}

SmPartition::SmPartition(std::span<const NamedCores> sets) : contexts_(std::make_unique<Contexts>()) {
  const CUdevice device = first_device();
  contexts_->create(device, divide(device, sets));
}

SmPartition::~SmPartition() = default;

int SmPartition::shares() const { return static_cast<int>(contexts_->contexts.size()); }

int SmPartition::multiprocessors(int share) const { return static_cast<int>(contexts_->multiprocessors[static_cast<std::size_t>(share)]); }

cudaStream_t SmPartition::create_stream(int share) const {
  CUstream stream = nullptr;
  check_driver(driver_function<decltype(cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate")(
                   &stream, contexts_->contexts[static_cast<std::size_t>(share)], CU_STREAM_NON_BLOCKING, 0),
               "creating a stream in a green context");
  return stream;
}

namespace {

template <class Division>
std::optional<std::string> why_no_division(const Division& division) {
  try {
    divide(first_device(), division);
    return std::nullopt;
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

std::optional<std::string> why_no_partition(int percent) { return why_no_division(percent); }
std::optional<std::string> why_no_partition(std::span<const NamedCores> sets) { return why_no_division(sets); }

}  // namespace tasktwin::gpu
