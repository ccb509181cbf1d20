// Preloaded into a program that is run again. While an iteration is kept, memory that the program frees in it stays, since its operations
// use it when they are run again; it is freed when that is over. Only what is called through the dynamic linker passes here: a runtime that
// a program is linked with statically does not.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <link.h>

namespace {

/// CUDA's function that ours replaces: of what comes next, or of the library itself, which an extension of Python's keeps to itself.
void* find(const char* name, const char* library) {
  if (void* const next = ::dlsym(RTLD_NEXT, name)) return next;
  struct Search {
    const char* library;
    std::string path{};
  } search{library};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* user) {
        auto& wanted = *static_cast<Search*>(user);
        const char* const slash = std::strrchr(info->dlpi_name, '/');
        const char* const file = slash ? slash + 1 : info->dlpi_name;
        if (std::strncmp(file, wanted.library, std::strlen(wanted.library)) != 0) return 0;
        wanted.path = info->dlpi_name;
        return 1;
      },
      &search);
  void* const handle = search.path.empty() ? nullptr : ::dlopen(search.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (void* const found = handle ? ::dlsym(handle, name) : nullptr) return found;
  std::fprintf(stderr, "tasktwin: %s of %s cannot be found\n", name, library);
  std::abort();
}

/// `Function` as CUDA has it under this name, looked up once.
template <class Function>
Function* behind(const char* name, const char* library) {
  return reinterpret_cast<Function*>(find(name, library));
}

int free_runtime(void* pointer) {
  static auto* const call = behind<int(void*)>("cudaFree", "libcudart.so");
  return call(pointer);
}
int free_driver(std::uint64_t pointer) {
  static auto* const call = behind<int(std::uint64_t)>("cuMemFree_v2", "libcuda.so");
  return call(pointer);
}

struct Kept {
  std::uint64_t pointer;
  bool by_driver;
};

std::mutex mutex;
bool keeping = false;
std::vector<Kept> kept;

bool keep(std::uint64_t pointer, bool by_driver) {
  const std::lock_guard lock(mutex);
  if (!keeping || pointer == 0) return false;
  kept.push_back({pointer, by_driver});
  return true;
}

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace

#define TASKTWIN_SHOWN extern "C" __attribute__((visibility("default")))

/// From now on what is freed stays, or no longer: then what was kept is freed. Returns how much that was.
TASKTWIN_SHOWN std::size_t tasktwin_keep_freed(int on) {
  std::vector<Kept> now;
  {
    const std::lock_guard lock(mutex);
    keeping = on != 0;
    if (!keeping) now.swap(kept);
  }
  for (const Kept& one : now) {
    if (one.by_driver) {
      free_driver(one.pointer);
    } else {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): it was one
      free_runtime(reinterpret_cast<void*>(one.pointer));
    }
  }
  return now.size();
}

// NOLINTBEGIN(readability-identifier-naming): CUDA's own names
/// Where memory runs out, what was kept is freed after all: the iteration can then not be run again, but the program goes on.
TASKTWIN_SHOWN int cudaMalloc(void** pointer, std::size_t bytes) {
  static auto* const call = behind<int(void**, std::size_t)>("cudaMalloc", "libcudart.so");
  constexpr int kOutOfMemory = 2;
  const int result = call(pointer, bytes);
  return result == kOutOfMemory && tasktwin_keep_freed(0) > 0 ? call(pointer, bytes) : result;
}

TASKTWIN_SHOWN int cudaFree(void* pointer) { return keep(address(pointer), false) ? 0 : free_runtime(pointer); }

TASKTWIN_SHOWN int cudaFreeAsync(void* pointer, void* stream) {
  if (keep(address(pointer), false)) return 0;
  static auto* const call = behind<int(void*, void*)>("cudaFreeAsync", "libcudart.so");
  return call(pointer, stream);
}

TASKTWIN_SHOWN int cuMemFree_v2(std::uint64_t pointer) { return keep(pointer, true) ? 0 : free_driver(pointer); }

TASKTWIN_SHOWN int cuMemFreeAsync(std::uint64_t pointer, void* stream) {
  if (keep(pointer, true)) return 0;
  static auto* const call = behind<int(std::uint64_t, void*)>("cuMemFreeAsync", "libcuda.so");
  return call(pointer, stream);
}
// NOLINTEND(readability-identifier-naming)
