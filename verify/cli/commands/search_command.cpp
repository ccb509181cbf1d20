#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "models/checks/remarks.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/load/varied_scenario.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "verify/capture/captured_run.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/cli/runs.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/shell_word.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/plan/list_plan.hpp"
#include "verify/pool/mpi_job.hpp"
#include "verify/pool/process_pool.hpp"
#include "verify/predict/design_names.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/report/report_data.hpp"
#include "verify/report/report_page.hpp"
#include "verify/rerun/verified_plans.hpp"
#include "verify/search/adversary.hpp"
#include "verify/search/design_search.hpp"
#include "verify/search/search_plan.hpp"
#include "verify/search/search_ranking.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::uint64_t kTop = 10;
constexpr std::uint64_t kTopMost = 1'000'000;
constexpr std::uint64_t kMostPlans = 64;

/// Of several processes one prints.
void keep_silent() {
  if (std::freopen("/dev/null", "w", stderr) == nullptr) std::fclose(stderr);
}

class SearchCommand : public Command {
 public:
  explicit SearchCommand(CLI::App& app) : app_(app) {
    add_scenarios(app, plan_.scenarios);
    app.add_option("--vary", plan_.vary,
                   "a place in the scenario file and the values to choose from; designs.KEY alone for all words of KEY")
        ->type_name("PATH=V1,V2,..")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_designs(app, plan_.designs);
    add_words(app, "--method", plan_.settings.method, "which points are simulated; guided by default");
    add_whole(
        app, "--budget", plan_.settings.budget, 1, kMostSimulations,
        "simulations at most; by default all points where these simulate at most a million tasks together, else a tenth of them, 50 to "
        "10 000; for halving two for each point");
    add_runs(app, plan_.settings.runs);
    add_whole(app, "--seed", plan_.settings.seed, 0, kMostSimulations, "of which points are drawn; 1 by default");
    app.add_flag("--no-prune", no_prune_, "also simulate points whose lower bound lies above the best makespan");
    add_jobs(app, jobs_);
    app.add_option("--results", file_, "keep each result in this SQLite database as it comes; it must not be there yet")->type_name("FILE");
    app.add_option("--resume", resume_, "go on with the search of this database")->type_name("FILE")->excludes("--results");
    app.add_option("--report", report_, "write a page with all points: one HTML file, which needs no network")->type_name("FILE");
    app.add_option("--plan-out", plan_out_,
                   "write what the best point of fixed lists does as a plan: each worker's tasks in order (docs/plan.md)")
        ->type_name("FILE");
    app.add_option("--adversary", adversary_,
                   "look for a graph on the scenario's machine, of at most 200 tasks, on which named design A loses most against B")
        ->type_name("A B")
        ->expected(2);
    app.add_option(
           "--output", output_,
           "the file to write: with --adversary a scenario, adverse.yaml by default; with --verify what was measured, verified.json "
           "by default, with plans next to it")
        ->type_name("FILE");
    add_whole(app, "--verify", verify_.plans, 1, kMostPlans, "run so many of the best plans again in the program of --program");
    app.add_option("--program", verify_.program, "with --verify: the command line of the program that was captured")->type_name("COMMAND");
    app.add_option("--range", verify_.range, "with --verify: the NVTX range that an iteration of it is in")->type_name("NAME");
    add_words(app, "--cost", cost_, "what the Pareto front holds the makespan against; control-cores by default");
    add_whole(app, "--top", top_, 1, kTopMost, "rows of the ranking; 10 by default");
    add_format(app, format_, {"text", "json", "csv", "jsonl"});
    app.footer(
        "Looks for the design, the axes, the constants and the parameters of the graph with the lowest makespan; of several\n"
        "scenarios with the lowest geometric mean. A path of --vary is as in 'tasktwin help sweep'; each of --designs is a family of\n"
        "its own.\n"
        "\n"
        "Each design as the scenario has it is tried first. guided: a quarter of the budget drawn by chance, then what the results so\n"
        "far promise. random: drawn by chance. grid: every point. halving: drawn by chance, one run each. With --runs N, where times are "
        "drawn, guided and halving give the better half\n"
        "of the points twice as many runs, up to N, all with the same seeds; the ranking compares run by run. Points that are refused\n"
        "are skipped and counted. A search with --results goes on with --resume FILE, whatever ended it; one that Ctrl-C ends prints what\n"
        "it has.\n"
        "\n"
        "With --verify K the K best points that are plans of streams or CUDA graphs are run again with the program's own kernels, by "
        "turns,\n"
        "predicted before; the ranking says both. Each plan is a file, which 'tasktwin rerun --plan' takes.\n"
        "\n"
        "With --adversary A B it draws graphs, edits the worst of them, times, edges and tasks, and writes the worst one as a scenario.\n"
        "Exit 1: every point came to a standstill, or the results cannot be written\n"
        "Example: tasktwin search example --designs central-dispatcher,shared-queue --vary designs.mailbox_depth=1,2,3\n"
        "Example: tasktwin search example --designs central-dispatcher --vary designs.mailbox_depth=1,2,4 --method grid --results "
        "example.db\n"
        "Example: tasktwin search cholesky --adversary static-queues shared-queue --budget 100 --output adverse.yaml");
  }

  int run() override {
    std::optional<MpiJob> job;
    if (MpiJob::is_part_of_one()) {
      if (jobs_ != 1) throw InputError("--jobs: does not go with mpirun, which says itself how many processes there are");
      job.emplace();
      if (!job->is_first()) keep_silent();
    }
    check_outputs();
    std::optional<ResultFile> file;
    if (!resume_.empty()) {
      check_resumed_alone();
      file.emplace(resume_, job && !job->is_first() ? Database::Mode::kRead : Database::Mode::kOpen);
      plan_ = plan_from(file->plan(), resume_);
      no_prune_ = !plan_.settings.prune;
    }
    if (!report_.empty()) require_report_page();
    if (!adversary_.empty()) return find_adverse(job ? &*job : nullptr);
    if (plan_.scenarios.empty()) throw InputError("SCENARIO is required; see 'tasktwin search --help'");
    if (!plan_out_.empty() && plan_.scenarios.size() != 1)
      throw InputError("--plan-out: a plan is of one scenario, and several are searched");
    const SearchSpace space = space_of(plan_);
    if (verify_.plans > 0) check_plans(space, plan_.scenarios);
    tell_scenarios();
    plan_.settings.prune = !no_prune_;
    Search search(plan_.scenarios, space, plan_.settings);
    plan_.settings.budget = search.settings().budget;
    if (!file_.empty() && (!job || job->is_first())) file.emplace(file_, space, to_json(plan_));

    const auto serve = [&search](std::string_view request) { return search.serve(request); };
    const std::unique_ptr<Pool> pool = pool_of(job ? &*job : nullptr, serve);
    if (!pool) return 0;
    Progress progress;
    std::optional<DeferredInterrupt> deferred;
    if (!job) deferred.emplace();  // else mpirun ends all of its processes
    search.run(*pool, resume_.empty() ? PointResults{} : file->read(space, plan_.scenarios.size()), file ? &*file : nullptr, progress);
    report(search);
    if (!search.interrupted()) return verify_.plans > 0 ? verify_best(search) : 0;
    const std::string& kept = resume_.empty() ? file_ : resume_;
    note(fmt::format("interrupted: {} points of {}{}", search.results().size(), search.points(),
                     kept.empty() ? "" : "; --resume " + shell_word(kept) + " goes on"));
    throw Interrupted();
  }

 private:
  /// What the scenarios' files say of themselves, such as that a captured run's replay misses.
  void tell_scenarios() {
    for (const std::string& path : plan_.scenarios) {
      const scenarios::Scenario scenario = load_on(path, "", {}, design_names(plan_.designs));
      for (const std::string& sentence : scenario.remarks) {
        remarks_.push_back(fmt::format("{}: {}", scenario.name, sentence));
        remark(wrap(remarks_.back(), text_columns() - 6));
      }
    }
  }

  /// Before anything is written: what is read stays, and nothing fails at the end of long work.
  void check_outputs() const {
    if (adversary_.empty() && verify_.plans == 0 && !output_.empty()) throw InputError("--output requires --adversary or --verify");
    if (verify_.plans > 0 && verify_.program.empty()) throw InputError("--verify: needs --program, the program that was captured");
    if (verify_.plans > 0 && verify_.range.empty()) throw InputError("--verify: needs --range, by which the program's iterations are told");
    for (const char* const option : {"--program", "--range"}) {
      if (verify_.plans == 0 && app_.get_option(option)->count() > 0)
        throw InputError(fmt::format("{}: needs --verify, how many plans to run again", option));
    }
    if (verify_.plans > 0 && format_ != "text") throw InputError("--verify: prints a table; leave --format out, its file has the figures");
    if (verify_.plans > 0 && MpiJob::is_part_of_one()) throw InputError("--verify: does not go with mpirun");
    std::vector<std::filesystem::path> inputs(plan_.scenarios.begin(), plan_.scenarios.end());
    if (!resume_.empty()) inputs.emplace_back(resume_);
    std::vector<std::filesystem::path> outputs;
    for (const auto& [option, file] : std::array{std::pair("--results", &file_), std::pair("--report", &report_),
                                                 std::pair("--plan-out", &plan_out_), std::pair("--output", &output_)}) {
      const OutputPlan plan(option, *file, false, false);
      if (!plan.wanted()) continue;
      plan.check(*file, inputs);
      outputs.emplace_back(*file);
    }
    check_distinct(outputs);
  }

  /// In every process.
  std::unique_ptr<Pool> pool_of(const MpiJob* job, const Pool::Serve& serve) const {
    if (job == nullptr) return make_pool(serve, jobs_);
    if (job->is_first()) return job->make_pool(serve);
    job->serve(serve);
    return nullptr;
  }

  int find_adverse(const MpiJob* job) const {
    for (const char* const option :
         {"--vary", "--designs", "--method", "--runs", "--results", "--resume", "--report", "--verify", "--plan-out"}) {
      if (app_.get_option(option)->count() > 0) throw InputError(fmt::format("{} does not go with --adversary", option));
    }
    if (plan_.scenarios.size() != 1) throw InputError("--adversary takes one scenario, whose machine is meant");
    const scenarios::Scenario scenario = scenarios::load_scenario(plan_.scenarios.front());
    if (scenario.machine_hash != scenarios::machine_hash(scenarios::load_machine(scenario.machine_file)))
      throw InputError(
          fmt::format("--adversary: {} changes its machine; name a scenario on a machine file as it is", plan_.scenarios.front()));
    const Design& a = named_design(adversary_[0]);
    const Design& b = named_design(adversary_[1]);
    const Adversary adversary(
        scenario, a, b,
        {.budget = plan_.settings.budget > 0 ? plan_.settings.budget : AdversarySettings{}.budget, .seed = plan_.settings.seed});
    const std::unique_ptr<Pool> pool = pool_of(job, [&adversary](std::string_view request) { return adversary.serve(request); });
    if (!pool) return 0;
    Progress progress;
    const Adverse found = adversary.run(*pool, progress);
    const std::string output = output_.empty() ? "adverse.yaml" : output_;
    const bool loses = found.loss > 0;
    if (loses) write_file(output, adverse_scenario(found, machine_word(scenario), a.name, b.name));
    if (format_ == "json")
      print(result_to_text(adverse_to_json(found, a, b, loses ? Json(output) : Json(nullptr))));
    else
      print(loses ? adverse_to_text(found, a, b, output) : none_to_text(found, a, b, output));
    return 0;
  }

  static std::string machine_word(const scenarios::Scenario& scenario) {
    const auto shipped = scenarios::shipped_machines();
    return std::ranges::find(shipped, scenario.machine.name) != shipped.end() ? scenario.machine.name
                                                                              : std::filesystem::absolute(scenario.machine_file).string();
  }

  static Json adverse_to_json(const Adverse& found, const Design& a, const Design& b, Json output) {
    return {{"a", a.name},
            {"b", b.name},
            {"a_ns", found.a_ns},
            {"b_ns", found.b_ns},
            {"loss", found.loss},
            {"bound_ns", found.bound_ns},
            {"tasks", found.graph.tasks.size()},
            {"edges", found.graph.edges.size()},
            {"scenario_file", std::move(output)},
            {"version", version()}};
  }

  static std::string adverse_to_text(const Adverse& found, const Design& a, const Design& b, const std::string& output) {
    return wrap(fmt::format("a graph of {} tasks and {} edges takes {} under {} and {} under {}: {} longer. Its highest lower bound is {}.",
                            found.graph.tasks.size(), found.graph.edges.size(), format_us(found.a_ns), a.name, format_us(found.b_ns),
                            b.name, format_percent(found.loss), format_us(found.bound_ns))) +
           fmt::format("\nwrote {}\ntasktwin explain {} {} {}\n", output, shell_word(output), a.name, b.name);
  }

  static std::string none_to_text(const Adverse& found, const Design& a, const Design& b, const std::string& output) {
    return wrap(fmt::format("none found on which {} loses: the worst takes {} under it and {} under {}. {} is not written; a larger "
                            "--budget or another --seed tries other graphs.",
                            a.name, format_us(found.a_ns), format_us(found.b_ns), b.name, output)) +
           '\n';
  }

  /// Of the best points: what a run need not show, or shows too well.
  void tell_hazards(const Search& search, const SearchAnswer& answer) {
    RemarkList list;
    const std::size_t told = std::min(answer.points.size(), static_cast<std::size_t>(top_));
    for (const std::string& path : plan_.scenarios) {
      scenarios::VariedScenario varied(path, search.space().designs());
      for (std::size_t i = 0; i < told; ++i) {
        const SearchPoint point = search.space().at(answer.points[i].number);
        const scenarios::Scenario& scenario = varied.with(search.space().overrides(point), search.space().designs()[point.design]);
        std::vector<std::string> found = hazards(scenario, scenario.designs.front());
        std::ranges::move(worker_remarks(scenario.graph, scenario.machine, scenario.designs.front()), std::back_inserter(found));
        list.add(scenario.name, fmt::format("point {}", i + 1), found);
        for (const std::string& sentence : found) remarks_.push_back(fmt::format("{}, point {}: {}", scenario.name, i + 1, sentence));
      }
    }
    list.tell();
  }

  void report(const Search& search) {
    const SearchAnswer answer = answer_of(search, cost_);
    tell_hazards(search, answer);
    if (!report_.empty()) write_page(search, answer);
    if (!plan_out_.empty()) write_plan(search, answer);
    if (format_ == "csv") return print(results_to_csv(search));
    if (format_ == "jsonl") return print(results_to_json_lines(search));
    if (answer.refused.count() > 0) note(answer.refused.to_text(search.results().size()));
    if (format_ == "json") {
      Json result = answer_to_json(search, plan_.scenarios, answer, static_cast<std::size_t>(top_));
      result["remarks"] = remarks_;
      print(result_to_text(result));
    } else {
      print(answer_to_text(search, plan_.scenarios, answer, static_cast<std::size_t>(top_), cost_));
    }
  }

  int verify_best(const Search& search) {
    verify_.output = output_.empty() ? "verified.json" : output_;
    const std::vector<VerifiedPlan> plans = write_plans(search, plan_.scenarios, answer_of(search, cost_), verify_);
    if (!quiet()) note(fmt::format("wrote {} plans, {} the best as simulated", plans.size(), plans.front().file.string()));
    if (const auto why = why_no_cuda()) throw RunError("no GPU: " + *why);
    return verify_plans(plans, verify_);
  }

  /// Of the fastest point whose workers have fixed lists.
  void write_plan(const Search& search, const SearchAnswer& answer) const {
    scenarios::VariedScenario varied(plan_.scenarios.front(), search.space().designs());
    for (const RankedPoint& ranked : answer.points) {
      const SearchPoint point = search.space().at(ranked.number);
      const scenarios::Scenario& scenario = varied.with(search.space().overrides(point), search.space().designs()[point.design]);
      if (runtime_of(scenario.designs.front()).id != RuntimeId::kStaticQueues) continue;
      write_file(plan_out_, scenarios::json_file_text(list_plan_json(scenario, scenario.designs.front())));
      note(fmt::format("wrote {}: point {}, {}", plan_out_, ranked.number, format_us(ranked.makespan_ns)));
      return;
    }
    note(fmt::format("{} is not written: no point that ran has fixed lists, as designs made from 'static-queues' have", plan_out_));
  }

  void write_page(const Search& search, const SearchAnswer& answer) const {
    std::string command = "tasktwin search";
    const auto add = [&command](const std::string& word) { command += ' ' + shell_word(word); };
    for (const std::string& scenario : plan_.scenarios) add(scenario);
    if (!plan_.designs.empty()) add("--designs=" + plan_.designs);
    for (const std::string& text : plan_.vary) add("--vary=" + text);
    command += fmt::format(" --method {} --budget {} --runs {} --seed {}", to_word(plan_.settings.method), plan_.settings.budget,
                           plan_.settings.runs, plan_.settings.seed);
    if (no_prune_) add("--no-prune");
    Json data = report_data(fmt::format("Search: {}", fmt::join(plan_.scenarios, ", ")), command, Json::array());
    data["search"] = search_page_data(search, answer, cost_);
    write_file(report_, report_page_with(data));
  }

  /// The request of the search is in its file.
  void check_resumed_alone() const {
    for (const char* const option : {"SCENARIO", "--vary", "--designs", "--method", "--budget", "--runs", "--seed", "--no-prune"}) {
      if (app_.get_option(option)->count() > 0)
        throw InputError(fmt::format("{} does not go with --resume, which goes on with the search as it was begun", option));
    }
  }

  CLI::App& app_;
  SearchPlan plan_;
  bool no_prune_ = false;
  std::vector<std::string> remarks_;
  std::uint64_t jobs_ = 1;
  std::string file_;
  std::string resume_;
  PointCost cost_ = PointCost::kControlCores;
  std::uint64_t top_ = kTop;
  std::string format_ = "text";
  std::string report_;
  std::string plan_out_;
  std::vector<std::string> adversary_;
  std::string output_;
  PlanVerification verify_;
};

}  // namespace

std::unique_ptr<Command> make_search_command(CLI::App& app) { return std::make_unique<SearchCommand>(app); }

}  // namespace tasktwin::verify
