#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/csv_records.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"
#include "scenarios/importers/parts/times_by_name.hpp"

namespace tasktwin::scenarios {

namespace {

/// What a stage does for a microbatch.
enum class PipelineAction : std::uint8_t {
  kForward,   ///< F
  kBackward,  ///< B, BW: gradients of inputs and weights; B alone of inputs where the same stage and microbatch have a W
  kInput,     ///< I
  kWeights,   ///< W
};

/// Of an action without a time of its own: one millisecond, the whole backward two.
constexpr std::int64_t kUnitNs = 1'000'000;

struct PipelineStep {
  int stage = 0;
  PipelineAction action{};
  int microbatch = 0;
  friend auto operator<=>(const PipelineStep&, const PipelineStep&) = default;
};

std::optional<int> pipeline_number(std::string_view& text) {
  constexpr int kMost = 1'000'000;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0 || value > kMost) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// "0F3": stage 0, forward, microbatch 3. A hand-over ("0SEND_F3", "1RECV_B2") is one without an action.
struct PipelineCell {
  PipelineStep step;
  bool hands_over = false;
};

std::optional<PipelineCell> pipeline_cell(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, PipelineAction>, 5> kActions{{{"BW", PipelineAction::kBackward},
                                                                                 {"F", PipelineAction::kForward},
                                                                                 {"B", PipelineAction::kBackward},
                                                                                 {"I", PipelineAction::kInput},
                                                                                 {"W", PipelineAction::kWeights}}};
  constexpr std::array<std::string_view, 4> kHandOvers{"SEND_F", "RECV_F", "SEND_B", "RECV_B"};
  const auto stage = pipeline_number(text);
  if (!stage) return std::nullopt;
  PipelineCell cell{.step = {.stage = *stage}};
  const auto hand_over = std::ranges::find_if(kHandOvers, [&](std::string_view word) { return text.starts_with(word); });
  const auto action = std::ranges::find_if(kActions, [&](const auto& one) { return text.starts_with(one.first); });
  if (hand_over != kHandOvers.end()) {
    cell.hands_over = true;
    text.remove_prefix(hand_over->size());
  } else if (action != kActions.end()) {
    cell.step.action = action->second;
    text.remove_prefix(action->first.size());
  } else {
    return std::nullopt;
  }
  const auto microbatch = pipeline_number(text);
  if (!microbatch || !text.empty()) return std::nullopt;
  cell.step.microbatch = *microbatch;
  return cell;
}

class PipelineReader {
 public:
  PipelineReader(const std::string& file, std::string_view text) : file_(file), records_(file, text) {}

  ImportedGraph read() {
    graph_.sources = {"order", "pipeline"};
    while (records_.more()) read_rank(records_.next());
    if (graph_.nodes.empty()) throw InputError({file_}, "has no action; a cell is a stage, F, B, I or W, and a microbatch: '0F3'");
    take_split_backwards();
    for (const auto& [step, place] : places_) add_edges(step, place);
    tell();
    return std::move(graph_);
  }

 private:
  struct Place {
    std::uint32_t node = 0;
    int line = 0;
    int column = 0;
  };

  void read_rank(const std::vector<CsvField>& cells) {
    if (cells.size() == 1 && cells.front().text.empty()) return;
    std::optional<std::uint32_t> before;
    for (const CsvField& cell : cells) {
      if (cell.text.empty()) continue;  // nothing to do in that slot
      const auto node = read_slot(cell);
      if (!node) continue;
      if (before) graph_.edges.push_back({*before, *node, 0, cell.line, 0});
      before = node;
    }
    ++ranks_;
  }

  /// The task of a slot: one action, or two at once, "(0F7;7B3)OVERLAP_F_B". None for a hand-over.
  std::optional<std::uint32_t> read_slot(const CsvField& field) {
    constexpr std::string_view kTogether = ")OVERLAP_F_B";
    const std::string_view text = field.text;
    std::vector<PipelineStep> steps;
    if (text.starts_with('(') && text.ends_with(kTogether)) {
      const std::string_view both = text.substr(1, text.size() - 1 - kTogether.size());
      const std::size_t between = both.find(';');
      const auto first = pipeline_cell(both.substr(0, between));
      const auto second = between == std::string_view::npos ? std::nullopt : pipeline_cell(both.substr(between + 1));
      if (!first || !second || first->hands_over || second->hands_over) refuse(field);
      steps = {first->step, second->step};
      ++together_;
    } else {
      const auto cell = pipeline_cell(text);
      if (!cell) refuse(field);
      if (cell->hands_over) {
        ++handed_over_;
        return std::nullopt;
      }
      steps = {cell->step};
    }
    Task task{.kernel = Kernel::kSpin};
    task.device = ranks_;
    const std::uint32_t node = graph_.add(field.text, task);
    for (const PipelineStep& step : steps) {
      const auto [found, is_new] = places_.emplace(step, Place{node, field.line, field.column});
      if (!is_new)
        throw InputError({file_, field.line, field.column},
                         "is " + in_quotes(field.text) + ", which line " + std::to_string(found->second.line) + " does already");
      graph_.nodes[node].task.cost.time += Duration{step.action == PipelineAction::kBackward ? 2 * kUnitNs : kUnitNs};
    }
    return node;
  }

  [[noreturn]] void refuse(const CsvField& field) const {
    throw InputError({file_, field.line, field.column},
                     "is " + in_quotes(field.text) +
                         "; must be a stage, F, B, BW, I or W, and a microbatch, both at most 1000000 ('0F3'), a SEND "
                         "or RECV of F or B, or two of them as '(0F3;1B0)OVERLAP_F_B'");
  }

  /// A B whose weights have a W of their own is an I.
  void take_split_backwards() {
    std::vector<PipelineStep> split;
    for (const auto& [step, place] : places_) {
      if (step.action == PipelineAction::kBackward && places_.contains({step.stage, PipelineAction::kWeights, step.microbatch}))
        split.push_back(step);
    }
    for (const PipelineStep& step : split) {
      const Place place = places_.at(step);
      places_.erase(step);
      places_.emplace(PipelineStep{step.stage, PipelineAction::kInput, step.microbatch}, place);
      graph_.nodes[place.node].task.cost.time -= Duration{kUnitNs};
    }
  }

  const Place* find(int stage, PipelineAction action, int microbatch) const {
    const auto found = places_.find({stage, action, microbatch});
    return found == places_.end() ? nullptr : &found->second;
  }

  /// The gradients of a stage's inputs.
  const Place* input_gradient(int stage, int microbatch) const {
    const Place* whole = find(stage, PipelineAction::kBackward, microbatch);
    return whole ? whole : find(stage, PipelineAction::kInput, microbatch);
  }

  void after(const Place& place, const Place* before, const char* what, int stage, int microbatch) {
    if (!before)
      throw InputError({file_, place.line, place.column}, in_quotes(graph_.nodes[place.node].name) + " needs the " + what + " of stage " +
                                                              std::to_string(stage) + " for microbatch " + std::to_string(microbatch) +
                                                              ", which no rank has");
    if (before->node != place.node) graph_.edges.push_back({before->node, place.node, 0, place.line, 1});
  }

  void add_edges(const PipelineStep& step, const Place& place) {
    const auto [stage, action, microbatch] = step;
    const auto forward = [&](int of) { after(place, find(of, PipelineAction::kForward, microbatch), "forward pass", of, microbatch); };
    switch (action) {
      case PipelineAction::kForward:
        if (stage > 0) forward(stage - 1);
        break;
      case PipelineAction::kBackward:
      case PipelineAction::kInput:
        forward(stage);
        if (find(stage + 1, PipelineAction::kForward, microbatch))
          after(place, input_gradient(stage + 1, microbatch), "backward pass", stage + 1, microbatch);
        break;
      case PipelineAction::kWeights:
        after(place, input_gradient(stage, microbatch), "backward pass", stage, microbatch);
        break;
    }
  }

  void tell() {
    graph_.untimed = "times are not in the file: each action takes 1 ms, a backward pass of inputs and weights 2 ms; --with gives others";
    if (handed_over_ > 0)
      graph_.remarks.push_back(counted(handed_over_, "hand-over") + " (SEND, RECV): edges between ranks in their place");
    if (together_ > 0)
      graph_.remarks.push_back(counted(together_, "pair") + " of actions at once: one body each, as long as both one after the other");
  }

  const std::string& file_;
  CsvRecords records_;
  ImportedGraph graph_;
  std::map<PipelineStep, Place> places_;
  int ranks_ = 0;
  std::size_t handed_over_ = 0;
  std::size_t together_ = 0;
};

/// A table of a pipeline schedule as PyTorch writes it (torch.distributed.pipelining): a row a rank, a cell a slot of time.
bool is_pipeline(const FileHead& head) {
  if (head.extension != ".csv") return false;
  const std::string_view line = head.text.substr(0, head.text.find_first_of("\r\n"));
  std::string_view first = line.substr(std::min(line.find_first_not_of(','), line.size()));
  first = first.substr(0, first.find(','));
  return pipeline_cell(first).has_value() || (first.starts_with('(') && first.ends_with("OVERLAP_F_B"));
}

Imported import_pipeline(const std::string& path, const ImportOptions& options) {
  ImportedGraph graph = PipelineReader(path, read_unpacked(path)).read();
  if (!options.with.empty()) take_times(graph, options.with);
  return imported(path, std::move(graph), options);
}

constexpr std::array<std::string_view, 2> kPipelineOptions{"with", "drop_edges"};

}  // namespace

Importer pipeline_importer() {
  return {"pipeline", "a pipeline schedule of PyTorch, a row a rank (CSV)", is_pipeline, import_pipeline, kPipelineOptions};
}

}  // namespace tasktwin::scenarios
