#include "verify/cli/completion.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "models/design/design.hpp"
#include "models/machine/machine.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/claim_files/claim_file.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/bench/metg/bench_executors.hpp"
#include "verify/bench/metg/bench_patterns.hpp"

namespace tasktwin::verify {

namespace {

struct Candidate {
  std::string word;
  std::string meaning = {};
};

/// The command line before the word at the cursor, as the parser would read it.
struct Line {
  const CLI::App* app = nullptr;
  std::vector<std::string> options;           ///< given so far, without values
  std::vector<std::string> positionals;       ///< given so far
  const CLI::Option* awaits_value = nullptr;  ///< the word at the cursor is its value
  bool only_positionals = false;              ///< "--" was given
};

using Words = std::vector<std::string>;

Words named_design_words(const Line& /*line*/) {
  Words words;
  for (const Design& design : named_designs()) words.push_back(design.name);
  return words;
}

Words design_words(const Line& line) {
  Words words;
  try {
    if (!line.positionals.empty()) {
      for (const Design& design : scenarios::load_scenario(line.positionals.front()).designs) words.push_back(design.name);
    }
  } catch (const InputError&) {  // a scenario that cannot be read has no designs to offer
  }
  for (const std::string& name : named_design_words(line)) {
    if (std::ranges::find(words, name) == words.end()) words.push_back(name);
  }
  return words;
}

Words axis_words(const Line& /*line*/) {
  Words words;
  for (const AxisField& axis : axis_fields()) words.emplace_back(axis.name);
  return words;
}

Words scenario_words(const Line& line) {
  const bool claims = std::ranges::find(line.options, "--claims") != line.options.end();
  return claims ? scenarios::shipped_claims() : scenarios::shipped_scenarios();
}

Words machine_words(const Line& /*line*/) { return scenarios::shipped_machines(); }

Words executor_words(const Line& /*line*/) {
  Words words;
  for (const BenchExecutor& executor : bench_executors()) words.emplace_back(executor.base.name);
  return words;
}

Words pattern_words(const Line& /*line*/) {
  const auto patterns = bench_patterns();
  return {patterns.begin(), patterns.end()};
}

/// Places in a scenario file, of --vary.
Words place_words(const Line& /*line*/) {
  Words words{"seed="};
  for (const AxisField& axis : axis_fields()) words.push_back("designs." + std::string(axis.name) + "=");
  for (const ConstantField& constant : constant_fields()) words.push_back("machine." + constant.key + "=");
  return words;
}

Words no_words(const Line& /*line*/) { return {}; }

/// What an option or argument takes whose words are not in its type's name.
struct Source {
  std::string_view option;
  Words (*words)(const Line&);
  bool list = false;   ///< several, separated by commas
  bool files = false;  ///< or a file
};

constexpr std::array kSources{
    Source{"SCENARIO", scenario_words, false, true},
    Source{"--designs", design_words, true},
    Source{"DESIGN", named_design_words},
    Source{"AXIS", axis_words},
    Source{"A", design_words},
    Source{"B", design_words},
    Source{"--machine", machine_words, false, true},
    Source{"MACHINE", machine_words, false, true},
    Source{"--design", named_design_words},
    Source{"--executors", executor_words, true},
    Source{"--patterns", pattern_words, true},
    Source{"--vary", place_words},
    Source{"RECORDS", no_words, false, true},
    Source{"DEPS", no_words, false, true},
};

Words split(std::string_view text, char separator) {
  Words parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<Candidate> value_candidates(const CLI::Option& option, const Line& line, const std::string& current) {
  const std::string name = option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front();
  const std::string type = option.get_type_name();
  std::vector<Candidate> candidates;
  if (const auto source = std::ranges::find(kSources, name, &Source::option); source != kSources.end()) {
    const std::size_t comma = source->list ? current.rfind(',') : std::string::npos;
    const std::string before = comma == std::string::npos ? "" : current.substr(0, comma + 1);
    const Words taken = split(before, ',');
    for (const std::string& word : source->words(line)) {
      if (std::ranges::find(taken, word) == taken.end()) candidates.push_back({before + word});
    }
    if (source->files) candidates.push_back({":files"});
  } else if (type.find('|') != std::string::npos) {
    for (const std::string& word : split(type, '|')) candidates.push_back({word});
  } else if (type.starts_with("FILE")) {
    candidates.push_back({":files"});
  } else if (type.starts_with("DIR")) {
    candidates.push_back({":dirs"});
  }
  return candidates;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<Candidate> option_candidates(const Line& line) {
  std::vector<Candidate> candidates;
  for (const CLI::Option* option : line.app->get_options()) {
    if (!option->nonpositional() || option->get_group().empty() || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    const bool again = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    if (again || std::ranges::find(line.options, name) == line.options.end()) candidates.push_back({name, option->get_description()});
  }
  return candidates;
}

std::vector<Candidate> command_candidates(const CLI::App& app) {
  std::vector<Candidate> candidates;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    candidates.push_back({command->get_name(), command->get_description()});
  return candidates;
}

std::vector<Candidate> positional_candidates(const Line& line, const std::string& current) {
  const auto positionals = line.app->get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (positionals.empty()) return {};
  const CLI::Option& next = *positionals[std::min(line.positionals.size(), positionals.size() - 1)];
  const bool full = line.positionals.size() >= positionals.size() && next.get_items_expected_max() < CLI::detail::expected_max_vector_size;
  if (full) return {};
  std::vector<Candidate> candidates = value_candidates(next, line, current);
  std::erase_if(candidates, [&](const Candidate& one) { return std::ranges::find(line.positionals, one.word) != line.positionals.end(); });
  return candidates;
}

/// bash takes words apart at "="; puts them together again. Returns whether that was the word at the cursor.
bool join_split_values(Words& words) {
  bool last = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "=") continue;
    const bool value = i + 1 < words.size();
    words[i - 1] += "=" + (value ? words[i + 1] : "");
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(at, at + (value ? 2 : 1));
    last = i == words.size();
  }
  return last;
}

Line read(const CLI::App& root, const Words& words) {
  Line line{.app = &root, .options = {}, .positionals = {}};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (line.only_positionals || !word.starts_with('-') || word == "-") {
      const auto commands = command_candidates(*line.app);
      const bool command = std::ranges::find(commands, word, &Candidate::word) != commands.end();
      if (command) line.app = line.app->get_subcommand(word);
      if (!command) line.positionals.push_back(word);
    } else if (word == "--") {
      line.only_positionals = true;
    } else {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* option = line.app->get_option_no_throw(name);
      line.options.push_back(name);
      if (option == nullptr || !takes_value(*option) || word.find('=') != std::string::npos) continue;
      if (i + 2 == words.size()) line.awaits_value = option;
      ++i;
    }
  }
  return line;
}

std::vector<Candidate> candidates_for(const Line& line, std::string& current, std::string& prefix) {
  if (line.awaits_value != nullptr) return value_candidates(*line.awaits_value, line, current);
  if (!line.only_positionals && current.starts_with('-')) {
    const std::size_t equals = current.find('=');
    if (equals == std::string::npos) return option_candidates(line);
    const CLI::Option* option = line.app->get_option_no_throw(current.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return {};
    prefix = current.substr(0, equals + 1);
    current.erase(0, equals + 1);
    return value_candidates(*option, line, current);
  }
  std::vector<Candidate> commands = command_candidates(*line.app);
  return commands.empty() ? positional_candidates(line, current) : commands;
}

}  // namespace

std::string complete(const CLI::App& root, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  const bool help = words.size() > 1 && words.front() == "help";
  if (help) words.erase(words.begin());
  const bool split_by_shell = join_split_values(words);
  const Line line = read(root, words);
  std::string current = words.back();
  std::string prefix;
  if (help && !current.starts_with('-') && command_candidates(*line.app).empty()) return {};
  std::string text;
  for (const Candidate& candidate : candidates_for(line, current, prefix)) {
    const bool paths = candidate.word.starts_with(':');
    if (!paths && !candidate.word.starts_with(current)) continue;
    text += (paths || split_by_shell ? "" : prefix) + candidate.word;
    if (!candidate.meaning.empty()) text += '\t' + candidate.meaning;
    text += '\n';
  }
  return text;
}

}  // namespace tasktwin::verify
