#include "verify/cli/sanitizer.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

#include "gpu/own/own_sources.hpp"
#include "models/base/error.hpp"
#include "verify/output/text/terminal.hpp"

namespace tasktwin::verify {

namespace {

namespace fs = std::filesystem;

/// Of compute-sanitizer where it has found something; the program itself ends with none like it.
constexpr int kFound = 86;

fs::path find_sanitizer() {
  std::vector<fs::path> folders;
  if (const char* path = std::getenv("PATH")) {
    std::istringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');) folders.emplace_back(folder);
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* folder = std::getenv(variable)) folders.push_back(fs::path(folder) / "bin");
  }
  folders.emplace_back("/usr/local/cuda/bin");
  folders.emplace_back("/usr/local/cuda/compute-sanitizer");
  for (const fs::path& folder : folders) {
    const fs::path file = folder / "compute-sanitizer";
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return file;
  }
  throw RunError(
      "--sanitize needs compute-sanitizer, which is neither on the path nor in /usr/local/cuda; it is in NVIDIA's package "
      "cuda-sanitizer-13-0 and in the CUDA Toolkit");
}

[[noreturn]] void become(const std::vector<std::string>& words) {
  ::setenv(gpu::kBodiesApart, "1", 1);
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  _exit(127);
}

}  // namespace

int run_sanitized(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{find_sanitizer().string(),
                                 "--tool",
                                 "memcheck",
                                 "--padding",  // or what lies after a buffer is another one, and nothing is outside
                                 "1024",
                                 "--error-exitcode",
                                 std::to_string(kFound),
                                 fs::read_symlink("/proc/self/exe").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t child = fork();
  if (child < 0) throw RunError("starting compute-sanitizer: " + std::error_code(errno, std::generic_category()).message());
  if (child == 0) become(words);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw RunError("waiting for compute-sanitizer: " + std::error_code(errno, std::generic_category()).message());
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 127) throw RunError(words.front() + " did not run to its end");
  if (WEXITSTATUS(status) != kFound) return WEXITSTATUS(status);
  note("error: a body reads or writes outside its buffers or its shared memory; compute-sanitizer's report above says where");
  return 1;
}

}  // namespace tasktwin::verify
