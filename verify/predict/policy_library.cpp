#include "verify/predict/policy_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "models/base/child_process.hpp"
#include "models/base/error.hpp"
#include "models/cost/body_cost.hpp"
#include "models/policies/plug_in.hpp"
#include "models/policies/policy_call.hpp"
#include "models/policies/task_ranks.hpp"
#include "scenarios/files/files_read.hpp"

namespace tasktwin::verify {

namespace {

/// Whether a segment of an ELF file of this machine ends after the file, which the loader would die of. What is no such file it refuses.
bool is_truncated(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const auto read_at = [&stream](ElfW(Off) at, auto& into) {
    stream.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(stream.read(reinterpret_cast<char*>(&into), sizeof into));
  };
  ElfW(Ehdr) head{};
  if (!read_at(0, head) || std::string_view(reinterpret_cast<const char*>(head.e_ident), SELFMAG) != ELFMAG) return false;
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(file, ignored);
  for (int i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read_at(head.e_phoff + static_cast<ElfW(Off)>(i) * head.e_phentsize, segment)) return true;
    if (segment.p_type == PT_LOAD && (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)) return true;
  }
  return false;
}

/// The shared object of a policy. It is loaded, and asked, in a process of its own, which it may end.
class PolicyLibrary {
 public:
  explicit PolicyLibrary(const std::string& file) : file_(file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) refuse("no such file");
    if (!std::filesystem::is_regular_file(file, ignored)) refuse("is not a regular file");
    scenarios::note_read(file);
    if (is_truncated(file)) refuse("is truncated: it ends before what it says is to be loaded");
  }

  /// `graph` in the policy's order.
  TaskGraph ordered(const PolicyInputs& inputs) const {
    const std::vector<double> ranks = asked(inputs);
    try {
      return with_ranks(inputs.graph, ranks);
    } catch (const InputError& error) {
      refuse(error.what());
    }
  }

  [[noreturn]] void refuse(const std::string& why) const { throw InputError(fmt::format("--policy {}: {}", file_, why)); }

 private:
  std::vector<double> asked(const PolicyInputs& inputs) const {
    try {
      const std::string bytes =
          in_child([&] { return ranks(inputs); }, fmt::format("--policy {}: the process that asks it", file_), policy_limit());
      std::vector<double> ranks(bytes.size() / sizeof(double));
      if (!ranks.empty()) std::memcpy(ranks.data(), bytes.data(), ranks.size() * sizeof(double));
      return ranks;
    } catch (const Terminated& thrown) {
      refuse(fmt::format("cannot be loaded: it threw: {}", thrown.what()));
    } catch (const Overdue& late) {
      refuse(fmt::format("what it does while it is loaded, or its tasktwin_rank_tasks, has not returned for {}", late.what()));
    }
  }

  /// As bytes. The object stays loaded until the process ends.
  std::string ranks(const PolicyInputs& inputs) const {
    void* const object = loaded();
    if (object == nullptr) refuse(fmt::format("cannot be loaded: {}", dlerror()));
    const auto* abi = static_cast<const PolicyAbi*>(symbol(object, "tasktwin_policy_abi"));
    if (abi->version != PolicyAbi{}.version) {
      refuse(fmt::format("is built for version {} of the interface of policies; this tasktwin has version {}: build it against its headers",
                         abi->version, PolicyAbi{}.version));
    }
    if (*abi != PolicyAbi{})
      refuse("is built against the headers of another tasktwin, whose tasks look different: build it against this one's");
    const auto rank_tasks = reinterpret_cast<decltype(&tasktwin_rank_tasks)>(symbol(object, "tasktwin_rank_tasks"));
    std::vector<double> ranks;
    try {
      rank_tasks(inputs, ranks);
    } catch (const std::exception& error) {
      refuse(fmt::format("ranks no tasks: {}", error.what()));
    } catch (...) {
      refuse("ranks no tasks: it threw something that is no std::exception");
    }
    return {reinterpret_cast<const char*>(ranks.data()), ranks.size() * sizeof(double)};
  }

  /// What is thrown meanwhile mostly passes the loader by, and ends the process.
  void* loaded() const {
    try {
      return dlopen(std::filesystem::absolute(file_).c_str(), RTLD_NOW | RTLD_LOCAL);
    } catch (const std::exception& error) {
      refuse(fmt::format("cannot be loaded: it threw: {}", error.what()));
    }
  }

  void* symbol(void* object, const char* name) const {
    void* const found = dlsym(object, name);
    if (found == nullptr) refuse(fmt::format("does not define {} (models/policies/plug_in.hpp says what a policy defines)", name));
    return found;
  }

  std::string file_;
};

}  // namespace

void apply_policy(const std::string& file, std::vector<Selection>& selections, std::optional<std::uint64_t> seed) {
  const PolicyLibrary library(file);
  for (Selection& selection : selections) {
    scenarios::Scenario& scenario = selection.scenario;
    for (Design& design : selection.designs) {
      design.order = TaskOrder::kPriority;
      try {
        check_design(design, scenario.machine);
      } catch (const InputError& error) {
        library.refuse(fmt::format("{} (choose designs with --designs)", error.what()));
      }
    }
    const std::vector<Duration> durations = planned_durations(scenario.graph, scenario.machine);
    scenario.graph = library.ordered({scenario.graph, durations, seed.value_or(scenario.seed)});
  }
}

}  // namespace tasktwin::verify
