#include "gpu/own/source_check.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/own/interface_text.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHeaderName = "tasktwin/kernel.hpp";
constexpr const char* kStandard = "-std=c++20";

std::string architecture(const char* kind, int capability) { return std::string("-arch=") + kind + "_" + std::to_string(capability); }

void include_folders(std::vector<std::string>& options, const KernelSource& source) {
  for (const std::string& folder : source.folders) options.push_back("-I" + folder);
  for (const fs::path& folder : cuda_folders()) options.push_back("-I" + (folder / "include").string());
}

std::vector<const char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  pointers.reserve(words.size());
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return pointers;
}

/// NVRTC's functions, as nvrtc.h declares them: this is compiled where there is no such header too. A result of 0 is success.
class Nvrtc {
 public:
  /// nullopt where it cannot be opened.
  static std::optional<Nvrtc> open() {
    Nvrtc nvrtc;
    nvrtc.library_ = open_library();
    if (nvrtc.library_ == nullptr) return std::nullopt;
    const bool all = nvrtc.find(nvrtc.version_, "nvrtcVersion") && nvrtc.find(nvrtc.create_, "nvrtcCreateProgram") &&
                     nvrtc.find(nvrtc.compile_, "nvrtcCompileProgram") && nvrtc.find(nvrtc.log_size_, "nvrtcGetProgramLogSize") &&
                     nvrtc.find(nvrtc.log_, "nvrtcGetProgramLog") && nvrtc.find(nvrtc.destroy_, "nvrtcDestroyProgram");
    return all ? std::optional(nvrtc) : std::nullopt;
  }

  std::string name() const {
    int major = 0;
    int minor = 0;
    version_(&major, &minor);
    return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
  }

  /// What it says of a source that does not compile; nullopt of one that does.
  std::optional<std::string> refused(const KernelSource& source, int capability) const {
    void* program = nullptr;
    if (create_(&program, source.text.c_str(), source.name.c_str(), 1, &kInterfaceText, &kHeaderName) != 0)
      throw RunError(name() + " cannot begin to compile " + source.name);
    const std::vector<std::string> options = nvrtc_options(source, capability);
    const std::vector<const char*> words = pointers_to(options);
    const bool compiled = compile_(program, static_cast<int>(words.size()), words.data()) == 0;
    std::size_t size = 0;
    std::string log;
    if (!compiled && log_size_(program, &size) == 0 && size > 1) {
      log.resize(size);
      log_(program, log.data());
      log.resize(size - 1);
    }
    destroy_(&program);
    return compiled ? std::nullopt : std::optional(log);
  }

 private:
  static void* open_library() {
    if (const char* const chosen = std::getenv("TASKTWIN_NVRTC")) return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    for (const char* const version : {".13", ".12", ""}) {
      const std::string file = std::string("libnvrtc.so") + version;
      if (void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
      for (const fs::path& folder : cuda_folders()) {
        if (void* const opened = dlopen((folder / "lib64" / file).c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
      }
    }
    return nullptr;
  }

  template <class Function>
  bool find(Function*& function, const char* called) {
    function = reinterpret_cast<Function*>(dlsym(library_, called));
    return function != nullptr;
  }

  void* library_ = nullptr;  // for as long as the process
  int (*version_)(int*, int*) = nullptr;
  int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  int (*log_size_)(void*, std::size_t*) = nullptr;
  int (*log_)(void*, char*) = nullptr;
  int (*destroy_)(void**) = nullptr;
};

bool is_in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream list(path ? path : "");
  for (std::string folder; std::getline(list, folder, ':');) {
    std::error_code ignored;
    const fs::path file = fs::path(folder) / program;
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// A folder that goes with its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "tasktwin-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw RunError("cannot make a folder in " + fs::temp_directory_path().string());
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs `words` with what it says in `log`; whether it ended well.
bool ran_well(std::vector<std::string> words, const fs::path& log) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t outputs;
  posix_spawn_file_actions_init(&outputs);
  posix_spawn_file_actions_addopen(&outputs, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&outputs, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments.front(), &outputs, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&outputs);
  if (error != 0) throw RunError("cannot start " + words.front() + ": " + std::generic_category().message(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw RunError("cannot write " + path.string());
}

/// The same of nvcc.
std::optional<std::string> refused_by_nvcc(const KernelSource& source, int capability) {
  const TemporaryFolder folder;
  const fs::path header = folder.path() / kHeaderName;
  const fs::path file = folder.path() / "source.cu";
  const fs::path log = folder.path() / "log";
  fs::create_directories(header.parent_path());
  write_file(header, kInterfaceText);
  write_file(file, source.text);
  std::vector<std::string> words{"nvcc",
                                 architecture("sm", capability),
                                 "-rdc=true",
                                 kStandard,
                                 "-c",
                                 "-o",
                                 (folder.path() / "object").string(),
                                 "-I" + folder.path().string()};
  include_folders(words, source);
  words.push_back(file.string());
  if (ran_well(words, log)) return std::nullopt;
  std::ifstream said(log, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(said), {}};
}

/// "FILE(LINE): error: TEXT", also "catastrophic error", or "error #20: TEXT" with a number.
std::optional<CompilerMessage> error_in(const std::string& line) {
  const std::size_t close = line.find("): ");
  const std::size_t open = close == std::string::npos ? close : line.rfind('(', close);
  if (open == std::string::npos || open == 0) return std::nullopt;
  CompilerMessage message{.file = line.substr(0, open)};
  const char* const end = line.data() + close;
  if (std::from_chars(line.data() + open + 1, end, message.line).ptr != end) return std::nullopt;
  std::string rest = line.substr(close + 3);
  constexpr std::string_view kCatastrophic = "catastrophic ";
  if (rest.starts_with(kCatastrophic)) rest = rest.substr(kCatastrophic.size());
  const std::size_t colon = rest.find(": ");
  if (!rest.starts_with("error") || colon == std::string::npos) return std::nullopt;
  message.text = rest.substr(colon + 2);
  return message;
}

}  // namespace

std::vector<fs::path> cuda_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* folder = std::getenv(variable)) folders.emplace_back(folder);
  }
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

std::vector<std::string> nvrtc_options(const KernelSource& source, int capability) {
  std::vector<std::string> options{architecture("compute", capability), "-dlto", "-rdc=true", kStandard, "-default-device", "-lineinfo"};
  include_folders(options, source);
  return options;
}

std::vector<CompilerMessage> errors_in(const std::string& log) {
  std::vector<CompilerMessage> errors;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (auto error = error_in(line)) errors.push_back(std::move(*error));
  }
  if (errors.empty()) errors.push_back({.text = log});
  return errors;
}

SourceCheck check_sources(const OwnKernels& own, int capability) {
  const std::optional<Nvrtc> nvrtc = Nvrtc::open();
  if (!nvrtc && !is_in_path("nvcc"))
    throw RunError(
        "sources of kernels are compiled by NVRTC or nvcc, and neither is here: libnvrtc.so cannot be opened (it is in NVIDIA's packages "
        "cuda-nvrtc-13-0 (apt) and nvidia-cuda-nvrtc (pip); with CUDA elsewhere than in /usr/local/cuda set CUDA_HOME or LD_LIBRARY_PATH, "
        "or TASKTWIN_NVRTC to the library itself), and no nvcc is in PATH");
  SourceCheck check{.compiler = nvrtc ? nvrtc->name() : "nvcc"};
  for (const KernelSource& source : body_sources(own)) {
    const auto log = nvrtc ? nvrtc->refused(source, capability) : refused_by_nvcc(source, capability);
    if (!log) continue;
    for (CompilerMessage& error : errors_in(*log)) {
      if (error.file.empty()) error.text = source.name + " does not compile\n" + error.text;
      check.errors.push_back(std::move(error));
    }
  }
  return check;
}

}  // namespace tasktwin::gpu
