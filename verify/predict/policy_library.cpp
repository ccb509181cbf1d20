#include "verify/predict/policy_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/cost/body_cost.hpp"
#include "models/policies/plug_in.hpp"
#include "models/policies/task_ranks.hpp"
#include "scenarios/files/files_read.hpp"

namespace tasktwin::verify {

namespace {

struct Close {
  void operator()(void* object) const { dlclose(object); }
};

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

/// The shared object of a policy, as long as this lives.
class PolicyLibrary {
 public:
  explicit PolicyLibrary(const std::string& file) : file_(file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) refuse("no such file");
    if (!std::filesystem::is_regular_file(file, ignored)) refuse("is not a regular file");
    scenarios::note_read(file);
    if (is_truncated(file)) refuse("is truncated: it ends before what it says is to be loaded");
    object_.reset(dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!object_) refuse(fmt::format("cannot be loaded: {}", dlerror()));
    const auto* abi = static_cast<const PolicyAbi*>(symbol("tasktwin_policy_abi"));
    if (abi->version != PolicyAbi{}.version) {
      refuse(fmt::format("is built for version {} of the interface of policies; this tasktwin has version {}: build it against its headers",
                         abi->version, PolicyAbi{}.version));
    }
    if (*abi != PolicyAbi{})
      refuse("is built against the headers of another tasktwin, whose tasks look different: build it against this one's");
    rank_tasks_ = reinterpret_cast<decltype(rank_tasks_)>(symbol("tasktwin_rank_tasks"));
  }

  /// `graph` in the policy's order.
  TaskGraph ordered(const PolicyInputs& inputs) const {
    std::vector<double> ranks;
    try {
      rank_tasks_(inputs, ranks);
    } catch (const std::exception& error) {
      refuse(fmt::format("ranks no tasks: {}", error.what()));
    } catch (...) {
      refuse("ranks no tasks: it threw something that is no std::exception");
    }
    try {
      return with_ranks(inputs.graph, ranks);
    } catch (const InputError& error) {
      refuse(error.what());
    }
  }

  [[noreturn]] void refuse(const std::string& why) const { throw InputError(fmt::format("--policy {}: {}", file_, why)); }

 private:
  void* symbol(const char* name) const {
    void* const found = dlsym(object_.get(), name);
    if (found == nullptr) refuse(fmt::format("does not define {} (models/policies/plug_in.hpp says what a policy defines)", name));
    return found;
  }

  std::string file_;
  std::unique_ptr<void, Close> object_;
  decltype(&tasktwin_rank_tasks) rank_tasks_ = nullptr;
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
