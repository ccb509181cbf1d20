#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/importers/importers.hpp"
#include "verify/advise/advice.hpp"
#include "verify/advise/captured_program.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/cli/runs.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

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
    Progress progress;
    progress.show(fmt::format("reading {}", program_));
    const scenarios::Scenario scenario = load();
    const std::uint64_t seed = seed_option_->count() > 0 ? seed_ : scenario.seed;
    const Advice advice = advise(scenario, seed, progress);
    progress.clear();
    for (const std::string& sentence : scenario.remarks) remark(wrap(fmt::format("{}: {}", scenario.name, sentence), text_columns() - 6));
    if (!json_) {
      print(advice_text(scenario, advice));
      return 0;
    }
    Json result;
    add_provenance(result, scenario, seed);
    result["remarks"] = scenario.remarks;
    result["advice"] = advice_to_json(advice);
    print(result_to_text(result));
    return 0;
  }

 private:
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

  std::string program_;
  std::string machine_;
  scenarios::ImportOptions options_;
  std::uint64_t seed_ = 0;
  CLI::Option* seed_option_ = nullptr;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_advise_command(CLI::App& app) { return std::make_unique<AdviseCommand>(app); }

}  // namespace tasktwin::verify
