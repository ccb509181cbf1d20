#include "verify/policy_library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "models/body_cost.hpp"
#include "models/error.hpp"
#include "models/policies/plug_in.hpp"
#include "models/policies/task_ranks.hpp"
#include "scenarios/files_read.hpp"

namespace tasktwin::verify {

namespace {

struct Close {
  void operator()(void* object) const { dlclose(object); }
};

/// The shared object of a policy, as long as this lives.
class PolicyLibrary {
 public:
  explicit PolicyLibrary(const std::string& file) : file_(file) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) refuse("no such file");
    scenarios::note_read(file);
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
