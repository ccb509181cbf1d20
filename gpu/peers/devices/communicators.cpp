#include "gpu/peers/devices/communicators.hpp"

#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#if __has_include(<nccl.h>)
#include <nccl.h>
#define TASKTWIN_NCCL
#endif

#include "gpu/cuda/on_device.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {

#ifdef TASKTWIN_NCCL

namespace {

constexpr const char* kFile = "libnccl.so.2";

/// As the header declares them; found in the library when it is first needed.
struct Nccl {
  void* library = nullptr;
  std::string why;                                                             ///< nothing was loaded; empty where it was
#define TASKTWIN_NCCL_FUNCTION(member, name) decltype(name)* member = nullptr  // NOLINT(bugprone-macro-parentheses): a declaration
  TASKTWIN_NCCL_FUNCTION(version, ncclGetVersion);
  TASKTWIN_NCCL_FUNCTION(error_text, ncclGetErrorString);
  TASKTWIN_NCCL_FUNCTION(init_all, ncclCommInitAll);
  TASKTWIN_NCCL_FUNCTION(destroy, ncclCommDestroy);
  TASKTWIN_NCCL_FUNCTION(begin_group, ncclGroupStart);
  TASKTWIN_NCCL_FUNCTION(end_group, ncclGroupEnd);
  TASKTWIN_NCCL_FUNCTION(all_reduce, ncclAllReduce);
  TASKTWIN_NCCL_FUNCTION(all_gather, ncclAllGather);
  TASKTWIN_NCCL_FUNCTION(reduce_scatter, ncclReduceScatter);
  TASKTWIN_NCCL_FUNCTION(broadcast, ncclBroadcast);
  TASKTWIN_NCCL_FUNCTION(send, ncclSend);
  TASKTWIN_NCCL_FUNCTION(receive, ncclRecv);
#undef TASKTWIN_NCCL_FUNCTION

  Nccl() {
    // A program that uses NVLink's multicast can take the links of a host away from all who share it: it stays off, whatever was set.
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    if (!open()) return;
    find(version, "ncclGetVersion");
    find(error_text, "ncclGetErrorString");
    find(init_all, "ncclCommInitAll");
    find(destroy, "ncclCommDestroy");
    find(begin_group, "ncclGroupStart");
    find(end_group, "ncclGroupEnd");
    find(all_reduce, "ncclAllReduce");
    find(all_gather, "ncclAllGather");
    find(reduce_scatter, "ncclReduceScatter");
    find(broadcast, "ncclBroadcast");
    find(send, "ncclSend");
    find(receive, "ncclRecv");
  }

 private:
  bool open() {
    const char* const chosen = std::getenv("TASKTWIN_NCCL");
    const std::string file = chosen != nullptr && *chosen != 0 ? chosen : kFile;
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return true;
    const std::string said = dlerror();
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
      const char* const folder = std::getenv(variable);
      if (file == kFile && folder != nullptr && open_in(folder)) return true;
    }
    if (file == kFile && open_in("/usr/local/cuda")) return true;
    why = file + " cannot be loaded (" + said +
          "); it is in NVIDIA's package libnccl2 (apt) and in nvidia-nccl-cu13 (pip); with it elsewhere than where the loader looks set "
          "LD_LIBRARY_PATH, or TASKTWIN_NCCL to the file";
    return false;
  }

  bool open_in(const std::filesystem::path& folder) {
    for (const char* part : {"lib64", "lib"}) {
      library = dlopen((folder / part / kFile).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) return true;
    }
    return false;
  }

  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr && why.empty()) why = std::string("NCCL's library lacks the function ") + name + "; NCCL 2.7 or newer has it";
  }
};

const Nccl& nccl() {
  static const Nccl loaded;
  return loaded;
}

void check(ncclResult_t status, const char* what) {
  if (status != ncclSuccess && status != ncclInProgress) throw RunError(std::string(what) + ": NCCL: " + nccl().error_text(status));
}

/// Ends the group whatever happens in it.
class Group {
 public:
  Group() { check(nccl().begin_group(), "beginning a collective"); }
  ~Group() {
    if (!ended_) static_cast<void>(nccl().end_group());
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void end() {
    ended_ = true;
    check(nccl().end_group(), "making a collective");
  }

 private:
  bool ended_ = false;
};

}  // namespace

std::optional<std::string> why_no_nccl() { return nccl().why.empty() ? std::nullopt : std::optional(nccl().why); }

std::string nccl_version() {
  int version = 0;
  check(nccl().version(&version), "asking for NCCL's version");
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." + std::to_string(version % 100);
}

struct Communicators::Held {
  std::vector<ncclComm_t> ranks;
};

Communicators::Communicators(std::span<const int> devices, const std::string& algorithm)
    : devices_(devices.begin(), devices.end()), held_(std::make_unique<Held>()) {
  if (const auto why = why_no_nccl()) throw RunError("collectives are made by NCCL: " + *why);
  held_->ranks.resize(devices_.size());
  // It is read when communicators begin.
  if (algorithm.empty()) {
    unsetenv("NCCL_ALGO");
  } else {
    setenv("NCCL_ALGO", algorithm.c_str(), 1);
  }
  check(nccl().init_all(held_->ranks.data(), ranks(), devices_.data()), "beginning NCCL");
}

Communicators::~Communicators() {
  for (ncclComm_t rank : held_->ranks) static_cast<void>(nccl().destroy(rank));
}

void Communicators::call(const CollectiveCall& call, std::span<const RankBuffers> parts) const {
  Group group;
  for (int rank = 0; rank < ranks(); ++rank) call_rank(call, rank, parts[static_cast<std::size_t>(rank)]);
  group.end();
}

void Communicators::call_rank(const CollectiveCall& call, int rank, const RankBuffers& part) const {
  const std::size_t all = devices_.size();
  const std::size_t words = (call.bytes + sizeof(float) - 1) / sizeof(float);
  const std::size_t share = (words + all - 1) / all;
  const auto& [give, take, stream] = part;  // NOLINT(misc-misplaced-const): a handle
  ncclComm_t comm = held_->ranks[static_cast<std::size_t>(rank)];
  switch (call.kind) {
    case Operation::kAllReduce:
      return check(nccl().all_reduce(give, take, words, ncclFloat, ncclSum, comm, stream), "all_reduce");
    case Operation::kAllGather:
      return check(nccl().all_gather(give, take, share, ncclFloat, comm, stream), "all_gather");
    case Operation::kReduceScatter:
      return check(nccl().reduce_scatter(give, take, share, ncclFloat, ncclSum, comm, stream), "reduce_scatter");
    case Operation::kBroadcast:
      return check(nccl().broadcast(give, take, words, ncclFloat, call.root, comm, stream), "broadcast");
    case Operation::kSendRecv:
      if (rank == call.root) return check(nccl().send(give, words, ncclFloat, 1 - call.root, comm, stream), "send");
      return check(nccl().receive(take, words, ncclFloat, call.root, comm, stream), "receive");
    case Operation::kAllToAll: {
      Group group;  // within another it changes nothing
      for (std::size_t other = 0; other < all; ++other) {
        check(nccl().send(give + other * share, share, ncclFloat, static_cast<int>(other), comm, stream), "all_to_all");
        check(nccl().receive(take + other * share, share, ncclFloat, static_cast<int>(other), comm, stream), "all_to_all");
      }
      return group.end();
    }
    default:
      return;
  }
}

#else

std::optional<std::string> why_no_nccl() {
  return "the executors were built without NCCL's header nccl.h, which is in NVIDIA's package libnccl-dev (apt) and in nvidia-nccl-cu13 "
         "(pip)";
}
std::string nccl_version() { return {}; }

struct Communicators::Held {};

Communicators::Communicators(std::span<const int>, const std::string&) {
  throw RunError("collectives are made by NCCL: " + *why_no_nccl());
}
Communicators::~Communicators() = default;
void Communicators::call(const CollectiveCall&, std::span<const RankBuffers>) const {}
void Communicators::call_rank(const CollectiveCall&, int, const RankBuffers&) const {}

#endif

}  // namespace tasktwin::gpu
