#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "gpu/rerun/order/schedules.hpp"
#include "models/base/error.hpp"
#include "verify/capture/captured_run.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/rerun/plan_file.hpp"
#include "verify/rerun/rerun_session.hpp"
#include "verify/rerun/rerun_text.hpp"

namespace tasktwin::verify {

namespace {

using Way = gpu::rerun::Schedule::Way;

constexpr std::uint64_t kMostRepeats = 10'000;
constexpr std::uint64_t kLastInstance = 1'000'000'000;

class RerunCommand : public Command {
 public:
  explicit RerunCommand(CLI::App& app) : app_(app) {
    const auto not_empty = [](const std::string& text) { return text.empty() ? std::string("names nothing") : std::string(); };
    app.add_option("-o,--output", output_, "the file to write, JSON; rerun.json by default")->type_name("FILE")->check(not_empty);
    app.add_option("--range", range_, "run again what is called while a range of this name is open (NVTX)")
        ->type_name("NAME")
        ->check(not_empty);
    add_whole(app, "--instance", instance_, 1, kLastInstance,
              "which of them, counted from 1; by default the first whose operations are those of the one before");
    app.add_option("--designs", schedules_, fmt::format("the schedules, divided by commas; {} by default", gpu::rerun::kDefaultSchedules))
        ->type_name("NAMES")
        ->check([](const std::string& words) {
          try {
            gpu::rerun::parse_schedules(words);
            return std::string();
          } catch (const std::invalid_argument& error) {
            return std::string(error.what());
          }
        });
    add_whole(app, "--repeats", repeats_, 1, kMostRepeats,
              fmt::format("times that each schedule is measured, by turns; {} by default", repeats_));
    add_whole(app, "--checks", checks_, 1, kMostRepeats,
              fmt::format("runs of each schedule whose results are compared with what the original order leaves; {} by default", checks_));
    app.add_option("--plan", plans_, "a file of 'simulate --plan-out': adds schedule 'plan'; may be given again, for 'plan:2' and so on")
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->check(not_empty);
    app.add_flag("--own-memory", own_memory_,
                 "run the program without PyTorch's caching allocator, so that each tensor has memory of its own");
    app.add_option("--effects", effects_, "with schedule 'dependences': a file that says what kernels read and write")
        ->type_name("FILE")
        ->check(not_empty);
    app.add_option("--effects-out", effects_out_, "write what kernels are seen to read and write, one by one, as such a file")
        ->type_name("FILE")
        ->check(not_empty);
    app.add_option("--trace", trace_, "write when each operation ran under each schedule, in a run of its own, as a Chrome trace")
        ->type_name("FILE")
        ->check(not_empty);
    app.add_flag("--no-check", no_check_, "neither copy, compare nor put back memory, which is then not as the program left it");
    app.add_flag("--predict", predict_,
                 "capture a run of COMMAND before, and predict each schedule from what its work takes there; needs --range");
    app.add_option("--machine", machine_, "machine of the predictions; by default the shipped one of the card, else nvidia-h200")
        ->type_name("FILE")
        ->check(not_empty);
    app.add_option("--against", against_, "fail where a schedule is slower than this file of an earlier rerun says")->type_name("FILE");
    add_percent(app, "--fail-above", fail_above_, "how much slower is too slow, with --against; 0 by default");
    app.add_option("--show", show_, "print what this file of an earlier rerun says, and run nothing")->type_name("FILE");
    app.add_option("COMMAND", command_, "the program to run, and its arguments, behind --")->type_name("");
    app.footer(
        "Runs COMMAND unmodified. When an iteration of it is over, the same kernels, copies and memsets are run again, on the same "
        "memory,\n"
        "under each schedule, and measured; then the program goes on, with memory as it left it.\n"
        "\n"
        "An iteration is what is called while the range is open; without --range, what is called between two waits for the device.\n"
        "\n"
        "Schedules:\n"
        "  as-captured: the same streams, events and waits, from a host that does nothing else\n"
        "  chain: a CUDA graph in the order of issue\n"
        "  graph: a CUDA graph with the edges of streams, events and the host's waits\n"
        "  programmatic: that graph, in which kernels launched so begin before the one ahead of them has ended\n"
        "  dependences: a CUDA graph of what the operations need of each other by the memory that they use; COMMAND is captured before\n"
        "  streams:N: over N streams, with the edges of graph, or where dependences is asked for with those\n"
        "  plan, plan:N: as the N-th file of --plan says\n"
        "  cut:N: the chain without every N-th edge: a wrong order, which the check of results must find\n"
        "\n"
        "Each schedule's results are compared bit by bit with what the original order leaves.\n"
        "Ends with COMMAND's exit code where that is not 0.\n"
        "Exit 1: results differ, a schedule did not end or is slower than --against allows, or nothing could be run again\n"
        "Example: tasktwin rerun --range step -o step.json -- python3 train.py    # on a GPU\n"
        "Example: tasktwin rerun --designs chain,graph,streams:4 -- ./solver input.dat    # on a GPU");
  }

  int run() override {
    if (!show_.empty()) return show();
    if (command_.empty()) throw InputError("COMMAND is required; see 'tasktwin rerun --help'");
    if (app_.count("--fail-above") > 0 && against_.empty()) throw InputError("--fail-above: needs --against");
    std::vector<gpu::rerun::Schedule> schedules = gpu::rerun::parse_schedules(schedules_);
    const auto asked = [&schedules](Way way) { return std::ranges::find(schedules, way, &gpu::rerun::Schedule::way) != schedules.end(); };
    const bool needed = asked(Way::kDependences);
    for (const gpu::rerun::Schedule& one : schedules) {
      if (one.way == Way::kPlan && one.number > plans_.size())
        throw InputError(fmt::format("--designs: schedule '{}' needs --plan FILE{}", one.name(), one.number > 1 ? ", as often" : ""));
    }
    if (plans_.size() > gpu::rerun::kMaxPlans) throw InputError(fmt::format("--plan: takes {} files at most", gpu::rerun::kMaxPlans));
    if (predict_ && range_.empty()) throw InputError("--predict: needs --range, by which the capture's iterations are told");
    if (needed && range_.empty())
      throw InputError("--designs: schedule 'dependences' needs --range, by which the capture's iterations are told");
    if (no_check_ && app_.count("--checks") > 0) throw InputError("--checks: excludes --no-check, with which nothing is compared");
    if (!effects_out_.empty() && no_check_) throw InputError("--effects-out: excludes --no-check, since memory is changed for it");
    if (!effects_.empty() && !needed) throw InputError("--effects: needs schedule 'dependences' among --designs");
    if (!predict_ && !machine_.empty()) throw InputError("--machine: needs --predict");
    RerunSettings settings{.command = command_,
                           .output = output_,
                           .range = range_,
                           .instance = instance_,
                           .schedules = schedules_,
                           .repeats = repeats_,
                           .checks = checks_,
                           .check = !no_check_,
                           .before = {},
                           .fail_above = fail_above_,
                           .library = {},
                           .kept_frees = {},
                           .plans = {},
                           .needed = needed,
                           .effects = effects_.empty() ? "" : std::filesystem::absolute(effects_).string(),
                           .effects_out = effects_out_,
                           .trace = trace_,
                           .own_memory = own_memory_,
                           .predict = predict_,
                           .machine = machine_};
    std::vector<std::filesystem::path> inputs;
    if (!against_.empty()) {
      settings.before = read_rerun_file(against_);
      inputs.emplace_back(against_);
    }
    for (const std::string& plan : plans_) take_plan(settings, plan, inputs);
    OutputPlan("--output", output_, false, false).check(settings.output, inputs);
    if (const auto why = why_no_cuda()) throw RunError("no GPU: " + *why);
    settings.library = rerun_library();
    settings.kept_frees = kept_frees_library();
    if (!effects_out_.empty()) OutputPlan("--effects-out", effects_out_, false, false).check(settings.effects_out, inputs);
    if (!trace_.empty()) OutputPlan("--trace", trace_, false, false).check(settings.trace, inputs);
    { const AtomicFile writable(settings.output); }  // refused before the program runs, not after it
    return rerun_program(settings);
  }

 private:
  void take_plan(RerunSettings& settings, const std::string& plan, std::vector<std::filesystem::path>& inputs) const {
    settings.plans.push_back(read_plan_file(plan));
    inputs.emplace_back(plan);
    settings.schedules += ',' + gpu::rerun::Schedule{Way::kPlan, settings.plans.size()}.name();
    if (settings.plans.back().own_memory && !own_memory_)
      throw InputError({plan}, "is right only where each tensor has memory of its own: add --own-memory");
  }

  int show() const {
    if (!command_.empty()) throw InputError("--show: runs nothing; leave COMMAND out");
    if (app_.count("--output") > 0) throw InputError("--show: writes nothing; leave --output out");
    print(to_text(read_rerun_file(show_)));
    return 0;
  }

  CLI::App& app_;
  std::string output_ = "rerun.json";
  std::string range_;
  std::uint64_t instance_ = 0;
  std::string schedules_{gpu::rerun::kDefaultSchedules};
  std::uint64_t repeats_ = 20;
  std::uint64_t checks_ = 5;
  std::vector<std::string> plans_;
  std::string effects_;
  std::string effects_out_;
  std::string trace_;
  bool own_memory_ = false;
  bool no_check_ = false;
  bool predict_ = false;
  std::string machine_;
  std::string against_;
  double fail_above_ = 0;
  std::string show_;
  std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<Command> make_rerun_command(CLI::App& app) { return std::make_unique<RerunCommand>(app); }

}  // namespace tasktwin::verify
