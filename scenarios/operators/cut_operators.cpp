#include "scenarios/operators/cut_operators.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "scenarios/document/without_place.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/operators/drawn_tables.hpp"
#include "scenarios/operators/piece_fields.hpp"
#include "scenarios/operators/pieces.hpp"
#include "scenarios/operators/read_operators.hpp"

namespace tasktwin::scenarios {

namespace {

/// Of each dimension of an operator the pieces from the first to the last.
using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

std::size_t pieces_in(const Ranges& ranges) {
  std::size_t count = 1;
  for (const auto& [first, last] : ranges) count *= last - first + 1;
  return count;
}

/// Of a fused operator the sizes of the part that a piece needs of it: its own along what is the same, else the whole.
std::optional<double> value_fused(const Pieces& fused, const Operator& one, const std::vector<std::size_t>& places, const Same& same,
                                  std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const auto dimension = fused.find(name.substr(0, dot));
  if (!dimension) return std::nullopt;
  const auto pair = std::ranges::find(same, *dimension, &Same::value_type::second);
  if (pair != same.end()) return one.pieces.value(one.pieces.dimensions()[pair->first].name + std::string(name.substr(dot)), places);
  if (dot == name.size() || name.substr(dot) == ".extent") return static_cast<double>(fused.dimensions()[*dimension].extent);
  return name.substr(dot) == ".pieces" ? std::optional(1.0) : std::optional(0.0);
}

/// A sum's places along the dimensions that it sums over have no meaning.
std::optional<double> value_in_sum(const Operator& one, std::string_view name, const std::vector<std::size_t>& places) {
  if (const auto value = one.result().value(name, places)) return value;
  const bool of_all = name.ends_with(".pieces") || name.ends_with(".extent");
  return of_all ? one.pieces.value(name, std::vector<std::size_t>(one.pieces.dimensions().size())) : std::nullopt;
}

/// Makes the list of tasks.
class Cutting {
 public:
  Cutting(const Document& document, const Node& list) : document_(document), drawn_(document), operators_(read_operators(document, list)) {
    tasks_.kind = Node::Kind::kList;
    tasks_.line = list.line;
    tasks_.column = list.column;
  }

  std::pair<Node, CutTasks> tasks() {
    Faults faults;
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      if (!operators_[i].fused) count_watchers(i);
    }
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      if (operators_[i].fused) continue;
      faults.attempt([&] {
        add_pieces(i);
        if (operators_[i].sums) add_sums(i);
        add_events(i);
      });
    }
    faults.attempt([&] { drawn_.require_asked(document_); });
    faults.check();
    return {std::move(tasks_), std::move(made_)};
  }

 private:
  /// The pieces that a piece at `places` waits for.
  Ranges waited_for(const Operator& one, const std::vector<std::size_t>& places, const Wait& wait) const {
    const std::vector<Dimension>& theirs = operators_[wait.before].result().dimensions();
    Ranges ranges;
    for (const Dimension& dimension : theirs) ranges.emplace_back(0, dimension.pieces() - 1);
    for (const auto& [d, e] : wait.same) {
      const Dimension& own = one.pieces.dimensions()[d];
      const std::int64_t first = own.first(places[d]);
      ranges[e].first = std::max(ranges[e].first, static_cast<std::size_t>(first / theirs[e].piece));
      ranges[e].second = std::min(ranges[e].second, static_cast<std::size_t>((first + own.size(places[d]) - 1) / theirs[e].piece));
    }
    return ranges;
  }

  void count_watchers(std::size_t i) {
    const Operator& one = operators_[i];
    for (const Wait& wait : one.waits) {
      for (std::size_t p = 0; p < one.pieces.count(); ++p) {
        auto& joins = joins_[wait.before];
        const auto [found, is_new] = joins.try_emplace(waited_for(one, one.pieces.places(p), wait));
        if (is_new) found->second.number = joins.size() - 1;
        ++found->second.watchers;
      }
    }
  }

  /// Several pieces of an operator that others wait for.
  struct Join {
    std::size_t number = 0;
    std::size_t watchers = 0;
  };
  static bool is_counter(const Ranges& ranges, const Join& join) {
    return pieces_in(ranges) * join.watchers > pieces_in(ranges) + join.watchers;
  }
  std::string counter_name(std::size_t before, const Join& join) const {
    return operators_[before].name + ".joined" + (joins_.at(before).size() > 1 ? "." + std::to_string(join.number) : "");
  }

  /// The names of the pieces in `ranges` of an operator's result.
  std::vector<std::string> names_in(std::size_t of, const Ranges& ranges) const {
    const Operator& one = operators_[of];
    std::vector<std::string> names;
    std::vector<std::size_t> places;
    for (const auto& [first, last] : ranges) places.push_back(first);
    for (std::size_t left = pieces_in(ranges); left > 0; --left) {
      names.push_back(one.result_name(one.result().at(places)));
      for (std::size_t d = places.size(); d-- > 0;) {
        if (places[d]++ < ranges[d].second) break;
        places[d] = ranges[d].first;
      }
    }
    return names;
  }

  void add_pieces(std::size_t i) {
    const Operator& one = operators_[i];
    const PieceFields fields(document_, *one.node.find("piece"), one.path + ".piece", drawn_);
    for (std::size_t p = 0; p < one.pieces.count(); ++p) {
      const std::vector<std::size_t> places = one.pieces.places(p);
      Node task = fields.of([&](std::string_view name) { return one.pieces.value(name, places); });
      for (const Wait& fused : one.along) {
        const Operator& other = operators_[fused.before];
        const PieceFields along(document_, *other.node.find("piece"), other.path + ".piece", drawn_);
        add_costs(task, along.of([&](std::string_view name) { return value_fused(other.pieces, one, places, fused.same, name); }));
      }
      std::vector<Node> after;
      std::set<std::string> known;
      for (const Wait& wait : one.waits) {
        const Ranges ranges = waited_for(one, places, wait);
        const Join& join = joins_.at(wait.before).at(ranges);
        const std::vector<std::string> names =
            is_counter(ranges, join) ? std::vector{counter_name(wait.before, join)} : names_in(wait.before, ranges);
        for (const std::string& name : names) {
          if (known.insert(name).second) after.push_back(text_at(name, *wait.at));
        }
      }
      add(i, one.name + one.pieces.suffix(p), std::move(task), std::move(after));
    }
  }

  /// Contract: it has sums.
  void add_sums(std::size_t i) {
    const Operator& one = operators_[i];
    const Pieces& sums = one.result();
    const Node& reduces = *one.node.find("reduces");
    const PieceFields fields(document_, *reduces.find("piece"), one.path + ".reduces.piece", drawn_);
    std::vector<std::vector<Node>> parts(sums.count());
    for (std::size_t p = 0; p < one.pieces.count(); ++p) {
      const std::vector<std::size_t> places = one.pieces.places(p);
      std::vector<std::size_t> kept;
      for (std::size_t d = 0; d < places.size(); ++d) {
        if (sums.find(one.pieces.dimensions()[d].name)) kept.push_back(places[d]);
      }
      parts[sums.at(kept)].push_back(text_at(one.name + one.pieces.suffix(p), reduces));
    }
    for (std::size_t s = 0; s < sums.count(); ++s) {
      const std::vector<std::size_t> places = sums.places(s);
      Node task = fields.of([&](std::string_view name) { return value_in_sum(one, name, places); });
      add(i, one.result_name(s), std::move(task), std::move(parts[s]));
    }
  }

  void add_events(std::size_t of) {
    const auto joins = joins_.find(of);
    if (joins == joins_.end()) return;
    for (const auto& [ranges, join] : joins->second) {
      if (!is_counter(ranges, join)) continue;
      Node event = map_at(operators_[of].node);
      put(event, "operation", text_at("event", event));
      std::vector<Node> after;
      for (const std::string& name : names_in(of, ranges)) after.push_back(text_at(name, event));
      add(of, counter_name(of, join), std::move(event), std::move(after));
    }
  }

  void add(std::size_t of, const std::string& name, Node task, std::vector<Node> after) {
    put(task, "name", text_at(name, *operators_[of].node.find("name")));
    if (!after.empty()) {
      Node list = map_at(after.front());
      list.kind = Node::Kind::kList;
      list.items = std::move(after);
      put(task, "after", std::move(list));
    }
    tasks_.items.push_back(std::move(task));
    made_.add(name, of);
  }

  const Document& document_;
  DrawnTables drawn_;
  std::vector<Operator> operators_;
  std::map<std::size_t, std::map<Ranges, Join>> joins_;  ///< by the operator waited for
  Node tasks_;
  CutTasks made_;
};

}  // namespace

InputFaults CutTasks::of_operators(const Faults& faults) const {
  constexpr std::string_view kList = "graph.tasks[";
  std::vector<InputError> told;
  std::set<std::tuple<int, int, std::string>> known;
  for (const InputError& fault : faults.all()) {
    const std::string text = without_place(fault);
    const std::size_t close = text.find(']');
    if (tasks_.empty() || !text.starts_with(kList) || close == std::string::npos) {
      told.push_back(fault);
      continue;
    }
    const Entry& task = tasks_[std::stoul(text.substr(kList.size()))];
    const std::string rest = text.substr(close + 1);
    if (!known.emplace(fault.where().line, fault.where().column, rest).second) continue;
    const bool of_piece = rest.starts_with('.') && !rest.starts_with(".after");
    told.emplace_back(fault.where(), "graph.operators[" + std::to_string(task.of) + "]" + (of_piece ? ".piece" : "") + rest + " (piece " +
                                         in_quotes(task.task) + ")");
  }
  return InputFaults(std::move(told));
}

bool has_operators(const Document& document) {
  const Node* const graph = document.root.find("graph");
  return graph && graph->kind == Node::Kind::kMap && graph->find("operators") && !graph->find("generator");
}

CutTasks cut_operators(Document& document) {
  Node& graph = const_cast<Node&>(*document.root.find("graph"));
  auto [tasks, made] = Cutting(document, *graph.find("operators")).tasks();
  const Node::Key key = *graph.find_key("operators");
  graph.keys = {{"tasks", key.line, key.column}};
  graph.items = {std::move(tasks)};
  return made;
}

}  // namespace tasktwin::scenarios
