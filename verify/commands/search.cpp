#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/error.hpp"
#include "scenarios/data_folder.hpp"
#include "scenarios/machine_file.hpp"
#include "verify/commands.hpp"
#include "verify/commands/options.hpp"
#include "verify/commands/runs.hpp"
#include "verify/design_names.hpp"
#include "verify/output/atomic_file.hpp"
#include "verify/output/result_json.hpp"
#include "verify/output/shell_word.hpp"
#include "verify/output/text_table.hpp"
#include "verify/pool/mpi_job.hpp"
#include "verify/pool/pool.hpp"
#include "verify/report/report_data.hpp"
#include "verify/report/report_page.hpp"
#include "verify/search/adversary.hpp"
#include "verify/search/ranking.hpp"
#include "verify/search/search.hpp"
#include "verify/version.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::uint64_t kLeastBudget = 50;
constexpr std::uint64_t kMostBudget = 10'000;  ///< that is chosen without being asked for
constexpr std::uint64_t kMostSimulations = 1'000'000'000;
constexpr std::uint64_t kTop = 10;
constexpr std::uint64_t kTopMost = 1'000'000;

/// FNV-1a (64 bits) of a file's bytes; 0 for one that cannot be read.
std::uint64_t hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t hash = file ? 0xcbf29ce484222325ull : 0;
  for (std::istreambuf_iterator<char> c(file), end; c != end; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3ull;
  return hash;
}

/// Of several processes one prints.
void keep_silent() {
  if (std::freopen("/dev/null", "w", stderr) == nullptr) std::fclose(stderr);
}

class SearchCommand : public Command {
 public:
  explicit SearchCommand(CLI::App& app) : app_(app) {
    add_scenarios(app, scenarios_);
    app.add_option("--vary", vary_, "a place in the scenario file and the values to choose from; designs.KEY alone for all words of KEY")
        ->type_name("PATH=V1,V2,..")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_designs(app, designs_);
    add_words(app, "--method", settings_.method, "which points are simulated; guided by default");
    add_whole(app, "--budget", budget_, 1, kMostSimulations,
              "simulations at most; by default a tenth of the points, 50 to 10 000, and for halving two for each point");
    add_runs(app, settings_.runs);
    add_whole(app, "--seed", settings_.seed, 0, kMostSimulations, "of which points are drawn; 1 by default");
    app.add_flag("--no-prune", no_prune_, "also simulate points whose lower bound lies above the best makespan");
    add_jobs(app, jobs_);
    app.add_option("--results", file_, "keep each result in this SQLite database as it comes; it must not be there yet")->type_name("FILE");
    app.add_option("--resume", resume_, "go on with the search of this database")->type_name("FILE")->excludes("--results");
    app.add_option("--report", report_, "write a page with all points: one HTML file, which needs no network")->type_name("FILE");
    app.add_option("--adversary", adversary_,
                   "look for a graph on the scenario's machine, of at most 200 tasks, on which named design A loses most against B")
        ->type_name("A B")
        ->expected(2);
    app.add_option("--output", output_, "with --adversary: the scenario file to write; adverse.yaml by default")->type_name("FILE");
    add_words(app, "--cost", cost_, "what the Pareto front holds the makespan against; control-cores by default");
    add_whole(app, "--top", top_, 1, kTopMost, "rows of the ranking; 10 by default");
    add_format(app, format_, {"text", "json", "csv"});
    app.footer(
        "Looks for the design, the axes, the constants and the parameters of the graph with the lowest makespan; of several\n"
        "scenarios with the lowest geometric mean. A path of --vary is as in 'tasktwin help sweep'; each of --designs is a family of\n"
        "its own.\n"
        "\n"
        "guided: a quarter of the budget drawn by chance, then what the results so far promise. random: drawn by chance. grid: every\n"
        "point. halving: drawn by chance, one run each. With --runs N, where times are drawn, guided and halving give the better half\n"
        "of the points twice as many runs, up to N, all with the same seeds; the ranking compares run by run. Points that are refused\n"
        "are skipped and counted. A search with --results goes on with --resume FILE, whatever ended it.\n"
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
    std::optional<ResultFile> file;
    if (!resume_.empty()) {
      check_resumed_alone();
      file.emplace(resume_, job && !job->is_first() ? Database::Mode::kRead : Database::Mode::kOpen);
      take_plan(file->plan());
    }
    if (!report_.empty()) require_report_page();
    if (!adversary_.empty()) return find_adverse(job ? &*job : nullptr);
    if (scenarios_.empty()) throw InputError("SCENARIO is required; see 'tasktwin search --help'");
    const std::vector<std::string> named = design_names(designs_);
    const scenarios::VariedScenario first(scenarios_.front(), named);
    const std::vector<std::string> designs = chosen_designs(first, designs_);
    std::vector<SearchAxis> axes;
    for (const std::string& text : vary_) axes.push_back(parse_search_axis(text, designs));
    SearchSpace space(designs, std::move(axes));
    settings_.budget = budget_ > 0 ? budget_ : usual_budget(space);
    settings_.prune = !no_prune_;
    Search search(scenarios_, space, settings_);
    if (!file_.empty() && (!job || job->is_first())) file.emplace(file_, space, plan());

    const auto serve = [&search](std::string_view request) { return search.serve(request); };
    const std::unique_ptr<Pool> pool = pool_of(job ? &*job : nullptr, serve);
    if (!pool) return 0;
    Progress progress;
    search.run(*pool, resume_.empty() ? PointResults{} : file->read(scenarios_.size()), file ? &*file : nullptr, progress);
    report(search);
    return 0;
  }

 private:
  /// Whoever this process is.
  std::unique_ptr<Pool> pool_of(const MpiJob* job, const Pool::Serve& serve) const {
    if (job == nullptr) return make_pool(serve, jobs_);
    if (job->is_first()) return job->make_pool(serve);
    job->serve(serve);
    return nullptr;
  }

  int find_adverse(const MpiJob* job) const {
    for (const char* const option : {"--vary", "--designs", "--method", "--runs", "--results", "--resume", "--report"}) {
      if (app_.get_option(option)->count() > 0) throw InputError(fmt::format("{} does not go with --adversary", option));
    }
    if (scenarios_.size() != 1) throw InputError("--adversary takes one scenario, whose machine is meant");
    const scenarios::Scenario scenario = scenarios::load_scenario(scenarios_.front());
    if (scenario.machine_hash != scenarios::machine_hash(scenarios::load_machine(scenario.machine_file)))
      throw InputError(fmt::format("--adversary: {} changes its machine; name a scenario on a machine file as it is", scenarios_.front()));
    const Design& a = named_design(adversary_[0]);
    const Design& b = named_design(adversary_[1]);
    const Adversary adversary(scenario, a, b, {.budget = budget_ > 0 ? budget_ : AdversarySettings{}.budget, .seed = settings_.seed});
    const std::unique_ptr<Pool> pool = pool_of(job, [&adversary](std::string_view request) { return adversary.serve(request); });
    if (!pool) return 0;
    Progress progress;
    const Adverse found = adversary.run(*pool, progress);
    const std::string output = output_.empty() ? "adverse.yaml" : output_;
    write_file(output, adverse_scenario(found, machine_word(scenario), a.name, b.name));
    print(format_ == "json" ? result_to_text(adverse_to_json(found, a, b, output)) : adverse_to_text(found, a, b, output));
    return 0;
  }

  static std::string machine_word(const scenarios::Scenario& scenario) {
    const auto shipped = scenarios::shipped_machines();
    return std::ranges::find(shipped, scenario.machine.name) != shipped.end() ? scenario.machine.name
                                                                              : std::filesystem::absolute(scenario.machine_file).string();
  }

  static Json adverse_to_json(const Adverse& found, const Design& a, const Design& b, const std::string& output) {
    return {{"a", a.name},
            {"b", b.name},
            {"a_ns", found.a_ns},
            {"b_ns", found.b_ns},
            {"loss", found.loss},
            {"bound_ns", found.bound_ns},
            {"tasks", found.graph.times_ns.size()},
            {"edges", found.graph.edges.size()},
            {"scenario_file", output},
            {"version", version()}};
  }

  static std::string adverse_to_text(const Adverse& found, const Design& a, const Design& b, const std::string& output) {
    return wrap(fmt::format("a graph of {} tasks and {} edges takes {} under {} and {} under {}: {} longer. Its highest lower bound is {}.",
                            found.graph.times_ns.size(), found.graph.edges.size(), format_us(found.a_ns), a.name, format_us(found.b_ns),
                            b.name, format_percent(found.loss), format_us(found.bound_ns))) +
           fmt::format("\nwrote {}\ntasktwin explain {} {} {}\n", output, shell_word(output), a.name, b.name);
  }

  void report(const Search& search) const {
    const SearchAnswer answer = answer_of(search, cost_);
    if (!report_.empty()) write_page(search, answer);
    if (format_ == "csv") return print(results_to_csv(search));
    if (answer.refused.count() > 0) note(answer.refused.to_text(search.results().size()));
    if (format_ == "json")
      print(result_to_text(answer_to_json(search, scenarios_, answer, static_cast<std::size_t>(top_))));
    else
      print(answer_to_text(search, scenarios_, answer, static_cast<std::size_t>(top_), cost_));
  }

  void write_page(const Search& search, const SearchAnswer& answer) const {
    std::string command = "tasktwin search";
    const auto add = [&command](const std::string& word) { command += ' ' + shell_word(word); };
    for (const std::string& scenario : scenarios_) add(scenario);
    if (!designs_.empty()) add("--designs=" + designs_);
    for (const std::string& text : vary_) add("--vary=" + text);
    command += fmt::format(" --method {} --budget {} --runs {} --seed {}", to_word(settings_.method), settings_.budget, settings_.runs,
                           settings_.seed);
    if (no_prune_) add("--no-prune");
    Json data = report_data(fmt::format("Search: {}", fmt::join(scenarios_, ", ")), command, Json::array());
    data["search"] = search_page_data(search, answer, cost_);
    write_file(report_, report_page_with(data));
  }

  std::uint64_t usual_budget(const SearchSpace& space) const {
    const std::uint64_t all = space.size() * scenarios_.size();
    if (settings_.method == SearchMethod::kGrid) return all * settings_.runs;
    if (settings_.method == SearchMethod::kHalving) return std::min(2 * all, kMostSimulations);
    return std::clamp(all / 10, kLeastBudget, kMostBudget);
  }

  /// What the search was asked for stands in its file.
  void check_resumed_alone() const {
    for (const char* const option : {"SCENARIO", "--vary", "--designs", "--method", "--budget", "--runs", "--seed", "--no-prune"}) {
      if (app_.get_option(option)->count() > 0)
        throw InputError(fmt::format("{} does not go with --resume, which goes on with the search as it was begun", option));
    }
  }

  Json plan() const {
    Json files = Json::array();
    for (const std::string& scenario : scenarios_) files.push_back(hash_of_file(scenarios::find_scenario(scenario).path));
    return {{"scenarios", scenarios_},
            {"files", std::move(files)},
            {"designs", designs_},
            {"vary", vary_},
            {"method", to_word(settings_.method)},
            {"budget", settings_.budget},
            {"runs", settings_.runs},
            {"seed", settings_.seed},
            {"prune", !no_prune_}};
  }

  void take_plan(const Json& plan) {
    scenarios_ = plan.at("scenarios").get<std::vector<std::string>>();
    designs_ = plan.at("designs").get<std::string>();
    vary_ = plan.at("vary").get<std::vector<std::string>>();
    settings_.method = from_word<SearchMethod>(plan.at("method").get<std::string>()).value_or(SearchMethod::kGuided);
    budget_ = plan.at("budget").get<std::uint64_t>();
    settings_.runs = plan.at("runs").get<std::uint64_t>();
    settings_.seed = plan.at("seed").get<std::uint64_t>();
    no_prune_ = !plan.at("prune").get<bool>();
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      if (plan.at("files").at(i).get<std::uint64_t>() != hash_of_file(scenarios::find_scenario(scenarios_[i]).path))
        throw InputError({resume_}, fmt::format("{} is no longer what it was when the search was begun; begin it anew", scenarios_[i]));
    }
  }

  CLI::App& app_;
  std::vector<std::string> scenarios_;
  std::vector<std::string> vary_;
  std::string designs_;
  SearchSettings settings_;
  std::uint64_t budget_ = 0;
  bool no_prune_ = false;
  std::uint64_t jobs_ = 1;
  std::string file_;
  std::string resume_;
  PointCost cost_ = PointCost::kControlCores;
  std::uint64_t top_ = kTop;
  std::string format_ = "text";
  std::string report_;
  std::vector<std::string> adversary_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_search_command(CLI::App& app) { return std::make_unique<SearchCommand>(app); }

}  // namespace tasktwin::verify
