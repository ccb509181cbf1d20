#include "gpu/own/toolchain.hpp"

#include <filesystem>
#include <future>
#include <memory>
#include <thread>

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvJitLink.h>
#include <nvrtc.h>

#include "gpu/own/interface_text.hpp"
#include "gpu/own/source_check.hpp"
#include "gpu/run/unended_run.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {

namespace {

constexpr int kMajor = CUDART_VERSION / 1000;
constexpr int kMinor = CUDART_VERSION % 1000 / 10;

/// `library` as the loader finds it, or in a folder of CUDA's.
void* open_library(const std::string& library, const std::string& packages) {
  const std::string file = library + ".so." + std::to_string(kMajor);
  if (void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
  const std::string why = dlerror();
  for (const std::filesystem::path& folder : cuda_folders()) {
    if (void* const opened = dlopen((folder / "lib64" / file).c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
  }
  throw RunError("a scenario's own kernels are compiled by NVRTC and linked by nvJitLink, but " + file + " cannot be loaded (" + why +
                 "); it is in NVIDIA's package " + packages +
                 "; with CUDA elsewhere than in /usr/local/cuda set CUDA_HOME or LD_LIBRARY_PATH");
}

template <class Function>
Function* find_function(void* library, const char* name) {
  if (void* const found = dlsym(library, name)) return reinterpret_cast<Function*>(found);
  throw RunError(std::string("a library of CUDA lacks the function ") + name);
}

std::string package(const std::string& name, const std::string& wheel) {
  return name + "-" + std::to_string(kMajor) + "-" + std::to_string(kMinor) + " (apt), and " + wheel + " (pip)";
}

}  // namespace

/// As the headers declare them.
struct Toolchain::Functions {
  void* nvrtc = open_library("libnvrtc", package("cuda-nvrtc", "nvidia-cuda-nvrtc"));
  void* linker = open_library("libnvJitLink", package("libnvjitlink", "nvidia-nvjitlink"));
#define TASKTWIN_FUNCTION(library, member, name) decltype(name)* member = find_function<decltype(name)>(library, #name)
  TASKTWIN_FUNCTION(nvrtc, version, nvrtcVersion);
  TASKTWIN_FUNCTION(nvrtc, create, nvrtcCreateProgram);
  TASKTWIN_FUNCTION(nvrtc, compile, nvrtcCompileProgram);
  TASKTWIN_FUNCTION(nvrtc, log_size, nvrtcGetProgramLogSize);
  TASKTWIN_FUNCTION(nvrtc, log, nvrtcGetProgramLog);
  TASKTWIN_FUNCTION(nvrtc, code_size, nvrtcGetLTOIRSize);
  TASKTWIN_FUNCTION(nvrtc, code, nvrtcGetLTOIR);
  TASKTWIN_FUNCTION(nvrtc, destroy, nvrtcDestroyProgram);
  TASKTWIN_FUNCTION(nvrtc, error_text, nvrtcGetErrorString);
#undef TASKTWIN_FUNCTION
  // nvJitLink.h renames its functions by version; the plain names are exported too.
  using Create = nvJitLinkResult(nvJitLinkHandle*, std::uint32_t, const char**);
  using Add = nvJitLinkResult(nvJitLinkHandle, nvJitLinkInputType, const void*, std::size_t, const char*);
  using OfHandle = nvJitLinkResult(nvJitLinkHandle);
  using Size = nvJitLinkResult(nvJitLinkHandle, std::size_t*);
  using Get = nvJitLinkResult(nvJitLinkHandle, void*);
  using GetText = nvJitLinkResult(nvJitLinkHandle, char*);
  using Destroy = nvJitLinkResult(nvJitLinkHandle*);
  using Version = nvJitLinkResult(unsigned*, unsigned*);
  Create* link_create = find_function<Create>(linker, "nvJitLinkCreate");
  Add* link_add = find_function<Add>(linker, "nvJitLinkAddData");
  OfHandle* link_complete = find_function<OfHandle>(linker, "nvJitLinkComplete");
  Size* cubin_size = find_function<Size>(linker, "nvJitLinkGetLinkedCubinSize");
  Get* cubin = find_function<Get>(linker, "nvJitLinkGetLinkedCubin");
  Size* link_log_size = find_function<Size>(linker, "nvJitLinkGetErrorLogSize");
  GetText* link_log = find_function<GetText>(linker, "nvJitLinkGetErrorLog");
  Destroy* link_destroy = find_function<Destroy>(linker, "nvJitLinkDestroy");
  Version* link_version = find_function<Version>(linker, "nvJitLinkVersion");
};

namespace {

/// Calls `destroy` with what it holds.
template <class Handle, class Destroy>
auto guarded(Handle& handle, Destroy destroy) {
  const auto end = [destroy](Handle* held) { static_cast<void>(destroy(held)); };
  return std::unique_ptr<Handle, decltype(end)>(&handle, end);
}

}  // namespace

Toolchain::Toolchain() : functions_(new Functions) {  // for as long as the process: a link that does not end still uses them
  int major = 0;
  int minor = 0;
  functions_->version(&major, &minor);
  unsigned link_major = 0;
  unsigned link_minor = 0;
  functions_->link_version(&link_major, &link_minor);
  versions_ = std::to_string(major) + "." + std::to_string(minor) + "," + std::to_string(link_major) + "." + std::to_string(link_minor);
}

const Toolchain& Toolchain::get() {
  static const Toolchain loaded;
  return loaded;
}

Code Toolchain::compile(const KernelSource& source, int capability) const {
  const Functions& call = *functions_;
  const char* const header = kInterfaceText;
  const char* const header_name = "tasktwin/kernel.hpp";
  nvrtcProgram program = nullptr;
  const auto check = [&](nvrtcResult status) {
    if (status == NVRTC_SUCCESS) return;
    std::size_t size = 0;
    std::string log;
    if (program && call.log_size(program, &size) == NVRTC_SUCCESS && size > 1) {
      log.resize(size);
      call.log(program, log.data());
      log.resize(size - 1);
    }
    throw InputError(source.name + " does not compile (" + call.error_text(status) + ")" + (log.empty() ? "" : "\n" + log));
  };
  check(call.create(&program, source.text.c_str(), source.name.c_str(), 1, &header, &header_name));
  const auto guard = guarded(program, call.destroy);
  const std::vector<std::string> options = nvrtc_options(source, capability);
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  check(call.compile(program, static_cast<int>(words.size()), words.data()));
  std::size_t size = 0;
  check(call.code_size(program, &size));
  Code code(size);
  check(call.code(program, code.data()));
  return code;
}

namespace {

/// What a link works on, owned by it: it may be left to itself.
struct LinkJob {
  std::vector<Code> objects;
  std::vector<std::string> options;
};

}  // namespace

Code Toolchain::link(const std::vector<std::span<const char>>& objects, int capability, int most_registers) const {
  auto job = std::make_shared<LinkJob>();
  for (const auto& object : objects) job->objects.emplace_back(object.begin(), object.end());
  job->options = {"-arch=sm_" + std::to_string(capability),         "-lto", "-O3", "-lineinfo", "-split-compile=0",
                  "-maxrregcount=" + std::to_string(most_registers)};
  const auto work = [&call = *functions_, job] {
    std::vector<const char*> words;
    for (const std::string& option : job->options) words.push_back(option.c_str());
    nvJitLinkHandle handle = nullptr;
    const auto check = [&](nvJitLinkResult status, const char* what) {
      if (status == NVJITLINK_SUCCESS) return;
      std::size_t size = 0;
      std::string log;
      if (handle && call.link_log_size(handle, &size) == NVJITLINK_SUCCESS && size > 1) {
        log.resize(size);
        call.link_log(handle, log.data());
        log.resize(size - 1);
      }
      throw InputError(std::string("the scenario's kernels do not link: ") + what + " failed (nvJitLink " + std::to_string(status) + ")" +
                       (log.empty() ? "" : "\n" + log));
    };
    check(call.link_create(&handle, static_cast<std::uint32_t>(words.size()), words.data()), "beginning");
    const auto guard = guarded(handle, call.link_destroy);
    for (std::size_t i = 0; i < job->objects.size(); ++i) {
      const Code& object = job->objects[i];
      check(call.link_add(handle, i == 0 ? NVJITLINK_INPUT_FATBIN : NVJITLINK_INPUT_LTOIR, object.data(), object.size(), "bodies"),
            "reading code");
    }
    check(call.link_complete(handle), "linking");
    std::size_t size = 0;
    check(call.cubin_size(handle, &size), "asking for the result");
    Code cubin(size);
    check(call.cubin(handle, cubin.data()), "fetching the result");
    return cubin;
  };
  std::packaged_task<Code()> task(work);
  std::future<Code> linked = task.get_future();
  std::thread thread(std::move(task));
  if (linked.wait_for(kLinkLimit) != std::future_status::ready) {
    thread.detach();
    throw UnendedRun("linking the scenario's kernels did not end within " + std::to_string(kLinkLimit.count()) +
                     " s: the code of a body is too much for the linker");
  }
  thread.join();
  return linked.get();
}

}  // namespace tasktwin::gpu
