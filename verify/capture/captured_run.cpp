#include "verify/capture/captured_run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/base/error.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPackage = "package cuda-cupti-dev-13-0 of NVIDIA's repository, or the CUDA Toolkit 13";

using Variables = std::vector<std::pair<std::string, std::string>>;

/// This process's environment, with these variables in place of its own.
std::vector<std::string> environment_with(const Variables& added) {
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const auto ours = [text](const auto& one) { return text.starts_with(fmt::format("{}=", one.first)); };
    if (std::ranges::none_of(added, ours)) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

volatile std::sig_atomic_t running_child = 0;

void hand_on(int signal) {
  if (running_child > 0) ::kill(running_child, signal);
}

/// While a captured program runs, signals are for it: those of the terminal reach it by themselves, the others are handed on. It is to end
/// by them, and what it did is written then.
class SignalsForChild {
 public:
  SignalsForChild() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = i < kOfTerminal ? SIG_IGN : hand_on;
      ::sigaction(kSignals[i], &action, &before_[i]);
    }
  }
  ~SignalsForChild() {
    running_child = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  SignalsForChild(const SignalsForChild&) = delete;
  SignalsForChild& operator=(const SignalsForChild&) = delete;

  /// Those that the captured program does not get ignored.
  sigset_t not_ignored() const {
    sigset_t set;
    sigemptyset(&set);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      if (before_[i].sa_handler != SIG_IGN) sigaddset(&set, kSignals[i]);
    }
    return set;
  }

 private:
  static constexpr std::array kSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  static constexpr std::size_t kOfTerminal = 2;
  std::array<struct sigaction, kSignals.size()> before_{};
};

CommandEnd wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "cannot wait for a process");
  }
  if (WIFSIGNALED(status)) return {.exit_code = 128 + WTERMSIG(status), .signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace

std::optional<std::string> why_no_cuda() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return "CUDA's driver, libcuda.so.1, is not installed";
  const auto initialize = reinterpret_cast<int (*)(unsigned int)>(::dlsym(driver, "cuInit"));
  const int error = initialize ? initialize(0) : 0;
  if (error != 0) return fmt::format("CUDA's driver finds none that can be used (error {} of cuInit)", error);
  return std::nullopt;
}

#ifdef TASKTWIN_INSTALLED_LIBRARIES
namespace {

/// The library of this name, beside tasktwin, where it was built or where it was installed.
fs::path loadable(const std::string& name, const char* built) {
  std::error_code failure;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (const fs::path& candidate :
       {folder / name, folder.parent_path() / "lib" / name, fs::path(built), fs::path(TASKTWIN_INSTALLED_LIBRARIES) / name}) {
    if (!fs::exists(candidate, failure)) continue;
    // CUDA says nothing where it cannot load the library: it is tried here.
    void* const loaded = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!loaded) throw RunError(fmt::format("the library {} cannot be loaded: {}; CUPTI is in {}", name, ::dlerror(), kPackage));
    ::dlclose(loaded);
    return fs::canonical(candidate);
  }
  throw RunError(fmt::format("{} is neither beside tasktwin nor where it was installed; install or build tasktwin anew", name));
}

}  // namespace
#endif

fs::path capture_library() {
#ifndef TASKTWIN_CAPTURE_LIBRARY
  throw RunError(fmt::format("this tasktwin was built without CUPTI, which captures; install it ({}) and build again", kPackage));
#else
  return loadable("libtasktwin-capture.so", TASKTWIN_CAPTURE_LIBRARY);
#endif
}

fs::path rerun_library() {
#ifndef TASKTWIN_RERUN_LIBRARY
  throw RunError(
      fmt::format("this tasktwin was built without CUPTI, by which programs are run again; install it ({}) and build again", kPackage));
#else
  return loadable("libtasktwin-rerun.so", TASKTWIN_RERUN_LIBRARY);
#endif
}

fs::path kept_frees_library() {
#ifndef TASKTWIN_RERUN_LIBRARY
  return rerun_library();
#else
  constexpr const char* kName = "libtasktwin-frees.so";
  return loadable(kName, fs::path(TASKTWIN_RERUN_LIBRARY).replace_filename(kName).c_str());
#endif
}

CommandEnd run_captured(const std::vector<std::string>& command, const CapturedRunOptions& options) {
  Variables variables{{spool::kFolderVariable, options.folder.string()},
                      {spool::kPassVariable, options.device_records ? "kernels" : "host"},
                      {spool::kRangeVariable, options.range},
                      {spool::kLimitVariable, std::to_string(options.limit_bytes)}};
  variables.insert(variables.end(), options.environment.begin(), options.environment.end());
  return run_with_library(command, options.library, std::move(variables));
}

CommandEnd run_with_library(const std::vector<std::string>& command, const fs::path& library, Variables variables) {
  variables.insert(variables.end(), {{"CUDA_INJECTION64_PATH", library.string()}, {"NVTX_INJECTION64_PATH", library.string()}});
  std::vector<std::string> words = command;
  std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(environment);
  const SignalsForChild signals;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const sigset_t not_ignored = signals.not_ignored();
  posix_spawnattr_setsigdefault(&attributes, &not_ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], nullptr, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  if (error == ENOENT || error == EACCES || error == ENOEXEC) {
    throw InputError(fmt::format("COMMAND '{}' cannot be started: {}; give a program in PATH, or its path", command.front(),
                                 std::error_code(error, std::generic_category()).message()));
  }
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + command.front());
  running_child = child;
  return wait_for(child);
}

std::vector<fs::path> spool_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".spool") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace tasktwin::verify
