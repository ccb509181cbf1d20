#include <optional>
#include <span>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/cli/runs.hpp"
#include "verify/cli/what_if_options.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/explain/one_design.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/design_names.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/system/interrupt.hpp"

namespace tasktwin::verify {

namespace {

class ExplainCommand : public Command {
 public:
  explicit ExplainCommand(CLI::App& app) {
    app.add_option("SCENARIO", scenario_, "scenario file, or name of a shipped scenario")->required()->type_name("");
    app.add_option("A", a_, "a design: the scenario's own or a named one; the fastest of its own, or as-captured, by default")
        ->type_name("");
    app.add_option("B", b_, "the design to hold it against")->type_name("");
    app.add_option("--designs", designs_, "A, or A and B, as other commands have them")
        ->type_name("A[,B]")
        ->check([](const std::string& text) { return text.empty() ? std::string("names no design") : std::string(); });
    add_machine(app, machine_);
    add_unprofiled(app, unprofiled_);
    seed_option_ = add_seed(app, seed_);
    add_format(app, json_);
    app.footer(
        "Says in sentences, and then in a table, why design A beats design B or the other way round, from one simulated run of each; of\n"
        "one design alone where its time goes, what holds it up, and which changes of its axes and of the machine would help most.\n"
        "\n"
        "Path: the observed critical path, from the last completion back along what arrived last; its causes sum up to the\n"
        "makespan. wait_for_core: a body that the next task did not need, but that had its core. wait_for_data: the same for\n"
        "its release (a barrier, a full window). Idle: core time in which no body runs, by what the core could have taken.\n"
        "Exit 1: a run came to a standstill\n"
        "Example: tasktwin explain cholesky static-queues central-dispatcher\n"
        "Example: tasktwin explain cholesky static-queues");
  }

  int run() override {
    Progress progress;
    try {
      return explain_designs(progress);
    } catch (const Interrupted&) {
      progress.clear();
      note("interrupted: nothing is explained yet");
      throw;
    }
  }

 private:
  int explain_designs(Progress& progress) {
    progress.show(fmt::format("reading {}", scenario_));
    take_designs();
    const std::string& last = b_.empty() ? a_ : b_;
    if (!last.empty() && !scenarios::find_scenario(scenario_).exists && scenarios::find_scenario(last).exists)
      throw InputError(fmt::format("the scenario comes first: tasktwin explain {} {}{}", last, scenario_, b_.empty() ? "" : " " + a_));
    std::vector<std::string> asked{a_, b_};
    std::erase(asked, "");
    const auto admits = [this](const scenarios::Scenario& read, const Design& design) {
      if (a_.empty() || design.name == a_ || design.name == b_) check_admission(read, design);
    };
    scenarios::Scenario scenario = load_on(scenario_, machine_, admits, asked);
    if (unprofiled_) make_unprofiled(scenario, *unprofiled_);
    const std::uint64_t seed = seed_option_->count() > 0 ? seed_ : scenario.seed;
    if (b_.empty()) return explain_one(scenario, seed, progress);
    const std::vector<Design> designs = select_designs(scenario, a_ + "," + b_, "A and B");
    if (designs.size() != 2) throw InputError(fmt::format("A and B: '{}' and '{}' do not name one design each", a_, b_));
    progress.expect(designs.size());
    const Explanation explanation = explain(scenario, designs[0], designs[1], seed, progress);
    progress.clear();
    tell(explanation, scenario, designs, seed);
    return 0;
  }

  void take_designs() {
    if (designs_.empty()) return;
    const std::vector<std::string> names = design_names(designs_);
    if (!a_.empty() || names.size() > 2)
      throw InputError("--designs: explain takes one design, or two to hold against each other, as '--designs A,B' or as arguments A B");
    a_ = names.front();
    if (names.size() == 2) b_ = names.back();
  }

  int explain_one(const scenarios::Scenario& scenario, std::uint64_t seed, Progress& progress) const {
    const std::vector<Design> chosen = a_.empty() ? std::vector<Design>{} : select_designs(scenario, a_, "A");
    if (!a_.empty() && chosen.size() != 1) throw InputError(fmt::format("A: '{}' does not name one design", a_));
    const Design& design = a_.empty() ? design_to_explain(scenario, seed, progress) : chosen.front();
    const DesignExplanation explanation = explain(scenario, design, seed, progress);
    progress.clear();
    tell(explanation, scenario, std::span(&design, 1), seed);
    return 0;
  }

  template <class Explained>
  void tell(const Explained& explanation, const scenarios::Scenario& scenario, std::span<const Design> designs, std::uint64_t seed) const {
    RemarkList remarks;
    for (const Design& design : designs) remarks.add(scenario, design);
    remarks.tell();
    print(json_ ? as_json(explanation, scenario, seed) : as_text(explanation, scenario, seed, chosen_text(scenario, designs)));
  }

  /// Of a design that nobody has named, why this one.
  std::string chosen_text(const scenarios::Scenario& scenario, std::span<const Design> designs) const {
    if (!a_.empty() || scenario.designs.size() < 2) return "";
    const bool captured = runtime_of(designs.front()).id == RuntimeId::kHostProgram;
    return captured ? "; the program as it was captured" : fmt::format("; of its {} designs the fastest", scenario.designs.size());
  }

  template <class Explained>
  static std::string as_json(const Explained& explanation, const scenarios::Scenario& scenario, std::uint64_t seed) {
    Json result;
    add_provenance(result, scenario, seed);
    result["remarks"] = scenario.remarks;
    result.update(explanation.to_json());
    return result_to_text(result);
  }

  template <class Explained>
  static std::string as_text(const Explained& explanation, const scenarios::Scenario& scenario, std::uint64_t seed,
                             const std::string& chosen) {
    std::string text = wrap(fmt::format("{}: {} tasks on {}, simulated, seed {}{}", coloured(scenario.name, Tone::kStrong),
                                        format_count(static_cast<std::int64_t>(scenario.graph.size())),
                                        scenarios::machine_title(scenario.machine), seed, chosen)) +
                       "\n\n";
    for (const std::string& sentence : explanation.sentences()) text += wrap(sentence) + '\n';
    return text + '\n' + explanation.table();
  }

  std::string scenario_;
  std::string a_;
  std::string b_;
  std::string designs_;
  std::string machine_;
  std::optional<Duration> unprofiled_;
  std::uint64_t seed_ = 0;
  CLI::Option* seed_option_ = nullptr;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_explain_command(CLI::App& app) { return std::make_unique<ExplainCommand>(app); }

}  // namespace tasktwin::verify
