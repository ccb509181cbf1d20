#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/importers/importers.hpp"
#include "verify/advise/advice.hpp"
#include "verify/capture/captured_program.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/cli/runs.hpp"
#include "verify/cli/what_if_options.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/system/interrupt.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::uint64_t kMostProposals = 100;  ///< more than there can be

class AdviseCommand : public Command {
 public:
  explicit AdviseCommand(CLI::App& app) {
    app.add_option("PROGRAM", program_, "a file of 'tasktwin capture' or a profiler's trace, or a scenario made of one")
        ->required()
        ->type_name("");
    add_machine(app, machine_);
    app.add_option("--range", options_.range, "of a trace: only what the host launched within this range of the program's own, by name")
        ->type_name("NAME");
    app.add_option("--effects", options_.effects, "of a capture: a file that says what kernels read and write of what they point to")
        ->type_name("FILE");
    app.add_option("--plan-out", plan_out_,
                   "write the schedule of a proposal, for 'tasktwin rerun --plan'; without --proposal of the first that is one")
        ->type_name("FILE")
        ->check([](const std::string& text) { return text.empty() ? std::string("names nothing") : std::string(); });
    add_whole(app, "--proposal", proposal_, 1, kMostProposals, "with --plan-out: which of the proposals, by its number");
    add_unprofiled(app, unprofiled_);
    seed_option_ = add_seed(app, seed_);
    add_format(app, json_);
    app.footer(
        "Says what could be changed of a captured program, and what each change would bring, simulated, the largest gain first: a CUDA\n"
        "graph, streams, waits that nothing needs, calls of the host, pinned memory. What tasks need of each other is found by the memory\n"
        "that they read and write, where the capture says so; each wait is needed, implied by others, order only, the host's or unknown.\n"
        "Example: tasktwin capture --tensors --range step -o step.json.gz -- python3 train.py && tasktwin advise step.json.gz    # on a "
        "GPU");
  }

  int run() override {
    if (proposal_ > 0 && plan_out_.empty()) throw InputError("--proposal: needs --plan-out");
    Progress progress;
    progress.show(fmt::format("reading {}", program_));
    scenarios::Scenario scenario = load();
    if (unprofiled_) make_unprofiled(scenario, *unprofiled_);
    const std::uint64_t seed = seed_option_->count() > 0 ? seed_ : scenario.seed;
    std::optional<AtomicFile> file;
    if (!plan_out_.empty()) {
      OutputPlan("--plan-out", plan_out_, false, false).check(plan_out_, input_files(program_, scenario));
      file.emplace(plan_out_);
    }
    const Advice advice = advise_on(scenario, seed, progress);
    progress.clear();
    if (file) {
      file->write(scenarios::json_file_text(to_json(schedule_of(advice), scenario.graph)));
      file->commit();
    }
    std::vector<std::string> remarks = scenario.remarks;
    if (scenario.imported) std::ranges::copy(scenario.imported->remarks, std::back_inserter(remarks));
    for (const std::string& sentence : remarks) remark(wrap(fmt::format("{}: {}", scenario.name, sentence), text_columns() - 6));
    if (!json_) {
      print(advice_text(scenario, advice));
      if (file) print(fmt::format("wrote {}\n", plan_out_));
      return 0;
    }
    Json result;
    add_provenance(result, scenario, seed);
    result["remarks"] = remarks;
    result["advice"] = advice_to_json(advice);
    print(result_to_text(result));
    return 0;
  }

 private:
  static Advice advise_on(const scenarios::Scenario& scenario, std::uint64_t seed, Progress& progress) {
    try {
      return advise(scenario, seed, progress);
    } catch (const Interrupted&) {
      progress.clear();
      note("interrupted: nothing is advised yet");
      throw;
    }
  }

  /// A scenario as it is; a trace as 'scenario import' would write its scenario.
  scenarios::Scenario load() const {
    const bool exists = scenarios::find_scenario(program_).exists;
    const scenarios::Importer* const importer = exists ? scenarios::recognised_importer(program_) : nullptr;
    if (importer == nullptr) {
      if (exists && (!options_.range.empty() || !options_.effects.empty()))
        throw InputError(
            fmt::format("{}: '{}' is a scenario, which says so itself", options_.range.empty() ? "--effects" : "--range", program_));
      return load_on(program_, machine_);
    }
    return captured_program(program_, options_, machine_);
  }

  /// Of the proposal that was asked for, or the first that is a schedule.
  PlanFile schedule_of(const Advice& advice) const {
    std::vector<std::size_t> schedules;
    for (std::size_t i = 0; i < advice.proposals.size(); ++i) {
      if (advice.proposals[i].plan) schedules.push_back(i + 1);
    }
    if (schedules.empty()) throw InputError(fmt::format("--plan-out: none of the {} proposals is a schedule", advice.proposals.size()));
    const std::size_t number = proposal_ > 0 ? static_cast<std::size_t>(proposal_) : schedules.front();
    if (!std::ranges::binary_search(schedules, number)) {
      const std::string which = number > advice.proposals.size()
                                    ? fmt::format("there are {} proposals", advice.proposals.size())
                                    : fmt::format("proposal {} ('{}') is no schedule", number, advice.proposals[number - 1].what);
      throw InputError(fmt::format("--proposal: {}; those that are schedules: {}", which, fmt::join(schedules, ", ")));
    }
    return advice.proposals[number - 1].plan();
  }

  std::string program_;
  std::string machine_;
  std::string plan_out_;
  std::uint64_t proposal_ = 0;  ///< 0: none was asked for
  scenarios::ImportOptions options_;
  std::optional<Duration> unprofiled_;
  std::uint64_t seed_ = 0;
  CLI::Option* seed_option_ = nullptr;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_advise_command(CLI::App& app) { return std::make_unique<AdviseCommand>(app); }

}  // namespace tasktwin::verify
