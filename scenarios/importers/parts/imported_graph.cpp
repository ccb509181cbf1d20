#include "scenarios/importers/parts/imported_graph.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/base/name_pattern.hpp"
#include "models/base/utf8.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::size_t kMostNamed = 12;  ///< tasks of a cycle in a message

/// Valid UTF-8 without control characters, cut at a character's end.
std::string printable(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  name = well_formed(name);
  if (name.size() > kLongestTaskName) {
    std::size_t end = kLongestTaskName - 3;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
    name = name.substr(0, end) + "...";
  }
  return name.empty() ? "task" : name;
}

/// Every name that occurs more than once gets the lowest number that makes it a name of its own.
void make_unique(std::vector<ImportedGraph::Node>& nodes) {
  std::unordered_map<std::string, std::size_t> times;
  for (ImportedGraph::Node& node : nodes) ++times[node.name = printable(std::move(node.name))];
  std::unordered_map<std::string, std::size_t> next;
  for (ImportedGraph::Node& node : nodes) {
    if (times.at(node.name) == 1) continue;
    std::string name;
    do {
      name = node.name + '#' + std::to_string(next[node.name]++);
    } while (times.contains(name));
    node.name = std::move(name);
  }
}

std::string arrow(const ImportedGraph& graph, const ImportedGraph::Edge& edge) {
  return graph.nodes[edge.from].name + "->" + graph.nodes[edge.to].name;
}

/// How an option says which edges are none.
struct Dropped {
  std::string word;
  bool single = false;  ///< FROM->TO
  bool used = false;
};

/// A list on a command line is divided at each comma, those within names too: neighbours that together are a task or an edge are one.
std::vector<std::string> whole_names(const ImportedGraph& graph, std::span<const std::string> words) {
  const auto has_comma = [](const ImportedGraph::Node& node) { return node.name.find(',') != std::string::npos; };
  if (words.size() < 2 || std::ranges::none_of(graph.nodes, has_comma)) return {words.begin(), words.end()};
  std::unordered_set<std::string> names;
  for (const ImportedGraph::Node& node : graph.nodes) names.insert(node.name);
  for (const ImportedGraph::Edge& edge : graph.edges) names.insert(arrow(graph, edge));
  std::vector<std::string> whole;
  for (std::size_t i = 0; i < words.size();) {
    std::size_t taken = 1;
    std::string name = words[i];
    std::string longest = name;
    for (std::size_t next = i + 1; next < words.size(); ++next) {
      name += ',' + words[next];
      if (!names.contains(name)) continue;
      longest = name;
      taken = next - i + 1;
    }
    whole.push_back(longest);
    i += taken;
  }
  return whole;
}

/// Takes out the edges that `dropped` names.
void drop_edges(const std::string& file, ImportedGraph& graph, std::span<const std::string> dropped) {
  if (dropped.empty()) return;
  const std::vector<std::string> words = whole_names(graph, dropped);
  std::vector<bool> whole(graph.sources.size());
  std::vector<Dropped> others;
  for (const std::string& word : words) {
    const auto source = std::ranges::find(graph.sources, word);
    if (source != graph.sources.end())
      whole[static_cast<std::size_t>(source - graph.sources.begin())] = true;
    else
      others.push_back({word, word.find("->") != std::string::npos});
  }
  const std::size_t before = graph.edges.size();
  std::erase_if(graph.edges, [&](const ImportedGraph::Edge& edge) {
    if (whole[edge.source]) return true;
    const auto found = std::ranges::find_if(others, [&](const Dropped& one) {
      return one.single ? one.word == arrow(graph, edge) : is_called(one.word, graph.nodes[edge.from].name);
    });
    if (found == others.end()) return false;
    return found->used = true;
  });
  const auto unused = std::ranges::find(others, false, &Dropped::used);
  if (unused != others.end()) {
    const std::vector<std::string_view> choices(graph.sources.begin(), graph.sources.end());
    throw InputError({file}, "drop_edges: no edge goes by " + in_quotes(unused->word) + suggest(unused->word, choices) +
                                 "; one edge is written FROM->TO, and those behind a task by its name");
  }
  graph.remarks.push_back(counted(before - graph.edges.size(), "edge") + " left out by drop_edges");
}

/// Edges that make a cycle, in its order, the one that comes last in the file at its end; empty where there is none. Takes off tasks that
/// wait for nothing until none is left.
std::vector<ImportedGraph::Edge> find_cycle(const ImportedGraph& graph) {
  std::vector<std::uint32_t> waits(graph.nodes.size());
  std::vector<std::uint32_t> first(graph.nodes.size() + 1);
  for (const auto& edge : graph.edges) {
    ++waits[edge.to];
    ++first[edge.from + 1];
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) first[i + 1] += first[i];
  std::vector<std::uint32_t> by_from(graph.edges.size());
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  for (std::uint32_t e = 0; e < graph.edges.size(); ++e) by_from[fill[graph.edges[e].from]++] = e;
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    if (waits[i] == 0) ready.push_back(i);
  }
  for (std::size_t done = 0; done < ready.size(); ++done) {
    for (std::uint32_t i = first[ready[done]]; i < first[ready[done] + 1]; ++i) {
      const std::uint32_t to = graph.edges[by_from[i]].to;
      if (--waits[to] == 0) ready.push_back(to);
    }
  }
  if (ready.size() == graph.nodes.size()) return {};
  // Each task that is left waits for one that is left: going back along these edges comes round.
  std::vector<const ImportedGraph::Edge*> into(graph.nodes.size());
  for (const auto& edge : graph.edges) {
    if (waits[edge.from] > 0 && waits[edge.to] > 0) into[edge.to] = &edge;
  }
  auto at = static_cast<std::uint32_t>(std::ranges::find_if(waits, [](std::uint32_t n) { return n > 0; }) - waits.begin());
  std::vector<bool> passed(graph.nodes.size());
  for (; !passed[at]; at = into[at]->from) passed[at] = true;
  std::vector<ImportedGraph::Edge> cycle;
  const std::uint32_t start = at;
  do {
    cycle.push_back(*into[at]);
    at = into[at]->from;
  } while (at != start);
  std::ranges::reverse(cycle);
  std::ranges::rotate(cycle, std::ranges::max_element(cycle, {}, &ImportedGraph::Edge::line) + 1);  // what closes it comes last
  return cycle;
}

void refuse_cycle(const std::string& file, const ImportedGraph& graph, const std::vector<ImportedGraph::Edge>& cycle) {
  std::string path = graph.nodes[cycle.front().from].name;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (i + 1 < cycle.size() && i == kMostNamed) path += " -> ... (" + std::to_string(cycle.size()) + " tasks)";
    if (i + 1 < cycle.size() && i >= kMostNamed) continue;
    path += " -> " + graph.nodes[cycle[i].to].name;
  }
  const ImportedGraph::Edge& last = cycle.back();
  const std::string source = graph.sources.empty() ? "" : graph.sources[last.source];
  std::string message = "the edges make a cycle: " + path + "; the edge " + graph.nodes[last.from].name + " -> " +
                        graph.nodes[last.to].name + (source.empty() ? "" : " (of source '" + source + "')") + " closes it";
  message += "; --drop-edges '" + arrow(graph, last) + "' leaves it out";
  if (graph.sources.size() > 1) message += ", --drop-edges " + source + " all of that source";
  throw InputError({file, last.line, last.line > 0 ? 1 : 0}, message);
}

void check_sizes(const std::string& file, const ImportedGraph& graph) {
  const auto limit = [&file](std::size_t count, std::int64_t most, const char* what) {
    if (static_cast<std::int64_t>(count) <= most) return;
    throw InputError({file}, "has " + std::to_string(count) + ' ' + what + "; at most " + std::to_string(most) + " are taken");
  };
  if (graph.nodes.empty()) throw InputError({file}, "has no tasks");
  limit(graph.nodes.size(), kMaxTasks, "tasks");
  limit(graph.edges.size(), kMaxEdges, "edges");
  double flops = 0;
  double bytes = 0;
  for (const auto& node : graph.nodes) {
    flops += static_cast<double>(node.task.cost.flops.count);
    bytes += static_cast<double>(node.task.cost.bytes.count);
  }
  for (const auto& edge : graph.edges) bytes += static_cast<double>(edge.bytes);
  constexpr double kMostTogether = 9e18;  // below 2^63
  if (flops > kMostTogether) throw InputError({file}, "all tasks together have more than 9e18 flop");
  if (bytes > kMostTogether) throw InputError({file}, "all tasks and edges together have more than 9e18 bytes");
}

}  // namespace

std::uint32_t ImportedGraph::add(std::string name, const Task& task, const TaskTraits& traits) {
  nodes.push_back({std::move(name), task, traits});
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

TaskGraph freeze(const std::string& file, ImportedGraph& graph, std::span<const std::string> dropped) {
  check_sizes(file, graph);
  make_unique(graph.nodes);
  drop_edges(file, graph, dropped);
  if (const auto cycle = find_cycle(graph); !cycle.empty()) refuse_cycle(file, graph, cycle);
  TaskGraphBuilder builder;
  for (ImportedGraph::Node& node : graph.nodes) {
    node.task.traits = builder.add_traits(node.traits);
    builder.add_task(std::move(node.name), node.task);
  }
  for (const auto& edge : graph.edges) builder.add_edge(task_id(edge.from), task_id(edge.to), {edge.bytes});
  return std::move(builder).build();
}

Imported imported(const std::string& file, ImportedGraph graph, const ImportOptions& options) {
  Imported result;
  std::vector<std::int64_t> edges(graph.sources.size());
  for (const auto& edge : graph.edges) ++edges[edge.source];
  result.counts.emplace_back("tasks", static_cast<std::int64_t>(graph.nodes.size()));
  for (std::size_t i = 0; i < edges.size(); ++i) result.counts.emplace_back("edges by " + graph.sources[i], edges[i]);
  if (!options.core_type.empty()) {
    const auto type = from_word<CoreType>(options.core_type);
    if (!type)
      throw InputError("core_type: unknown value " + in_quotes(options.core_type) + suggest(options.core_type, all_words<CoreType>()));
    for (ImportedGraph::Node& node : graph.nodes) {
      if (node.task.operation == Operation::kKernel && !node.states_core_type) node.task.core_type = *type;
    }
  }
  result.graph = freeze(file, graph, options.drop_edges);
  result.remarks = std::move(graph.remarks);
  if (!graph.untimed.empty()) result.remarks.insert(result.remarks.begin(), std::move(graph.untimed));
  return result;
}

bool is_json_with(const FileHead& head, std::initializer_list<std::string_view> keys) {
  const std::size_t first = head.text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (head.text[first] != '{' && head.text[first] != '[')) return false;
  return std::ranges::all_of(
      keys, [&head](std::string_view key) { return head.text.find('"' + std::string(key) + '"') != std::string_view::npos; });
}

std::string counted(std::size_t count, std::string_view thing) {
  std::string text = std::to_string(count) + ' ' + std::string(thing);
  if (count == 1) return text;
  if (thing.ends_with('y')) return text.substr(0, text.size() - 1) + "ies";
  return text + (thing.ends_with("ch") ? "es" : "s");
}

std::optional<std::int64_t> whole_amount(double value, double per_unit, std::int64_t most) {
  const double amount = std::round(value * per_unit);
  if (!(amount >= 0) || amount > static_cast<double>(most)) return std::nullopt;
  return static_cast<std::int64_t>(amount);
}

std::optional<double> decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace tasktwin::scenarios
