#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "scenarios/document/file_limits.hpp"
#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/dot_file.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"
#include "scenarios/importers/parts/times_by_name.hpp"
#include "scenarios/tasks/task_fields.hpp"

namespace tasktwin::scenarios {

namespace {

/// Graphviz's own, which say how a graph is drawn.
constexpr std::array<std::string_view, 29> kDrawing{
    "label",    "xlabel",  "shape", "style",  "color",      "fillcolor", "bgcolor",   "fontname",  "fontsize",  "fontcolor",
    "width",    "height",  "pos",   "weight", "dir",        "arrowhead", "arrowtail", "arrowsize", "headlabel", "taillabel",
    "penwidth", "tooltip", "URL",   "rank",   "constraint", "group",     "margin",    "fixedsize", "minlen"};

class DotReader {
 public:
  DotReader(const std::string& file, std::string_view text) : file_(file), dot_(parse_dot(file, text)) {}

  ImportedGraph read() {
    graph_.sources = {"edge"};
    for (const DotGraph::Node& node : dot_.nodes) {
      if (value_of(node.attributes, "task")) {
        add_own(node);
        continue;
      }
      const auto size = size_of(node.attributes, node.line, "node " + in_quotes(node.id), 0);
      Task task;
      if (size.value_or(0) > 0) {
        task.kernel = Kernel::kFma;
        task.cost.flops = {amount(*size, node.line, "node " + in_quotes(node.id))};
      } else {
        task.kernel = Kernel::kEmpty;
      }
      without_ += size ? 0 : 1;
      graph_.add(node.id, task);
    }
    for (const DotGraph::Edge& edge : dot_.edges) {
      const std::string what = "edge " + dot_.nodes[edge.from].id + " -> " + dot_.nodes[edge.to].id;
      const bool own = value_of(dot_.nodes[edge.to].attributes, "task").has_value();
      const auto size = size_of(edge.attributes, edge.line, what, -kMost, own ? std::span<const std::string_view>(kOfEdges) : kOfNone);
      const std::int64_t bytes = own ? whole(edge.attributes, "bytes", 0, 0, kMostImportedAmount, edge.line, what) : 0;
      graph_.edges.push_back({edge.from, edge.to, std::max(bytes, amount(std::max(size.value_or(0), 0.0), edge.line, what)), edge.line});
    }
    if (without_ > 0) graph_.untimed = counted(without_, "node") + " without a size: empty bodies";
    for (const auto& [name, count] : unread_) {
      graph_.remarks.push_back("attribute '" + name + "' of " + std::to_string(count) + " nodes and edges is not used");
    }
    return std::move(graph_);
  }

 private:
  static constexpr double kMost = static_cast<double>(kMostImportedAmount);
  /// That `scenario export --dot` writes beside the label.
  static constexpr std::array<std::string_view, 19> kOfNodes{
      "task",     "kernel",       "core_type", "time_ns",     "flops",         "bytes",     "blocks",
      "priority", "layer",        "sigma_ns",  "estimate_ns", "threads",       "registers", "shared_memory_bytes",
      "stream",   "output_bytes", "scope",     "prologue_ns", "prologue_bytes"};
  static constexpr std::array<std::string_view, 1> kOfEdges{"bytes"};
  static constexpr std::span<const std::string_view> kOfNone{};

  static std::optional<std::string> value_of(const DotGraph::Attributes& attributes, std::string_view wanted) {
    std::optional<std::string> found;
    for (const auto& [name, value] : attributes) {
      if (name == wanted) found = value;
    }
    return found;
  }

  std::int64_t whole(const DotGraph::Attributes& attributes, std::string_view name, std::int64_t absent, std::int64_t least,
                     std::int64_t most, int line, const std::string& what) const {
    const auto text = value_of(attributes, name);
    if (!text) return absent;
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (fault == std::errc() && end == text->data() + text->size() && value >= least && value <= most) return value;
    throw InputError({file_, line, 1}, what + ": " + std::string(name) + " is " + in_quotes(*text) + "; must be a whole number, " +
                                           std::to_string(least) + " to " + std::to_string(most));
  }

  template <class E>
  E word(const DotGraph::Node& node, std::string_view name, E absent) const {
    const auto text = value_of(node.attributes, name);
    if (!text) return absent;
    if (const auto known = from_word<E>(*text)) return *known;
    throw InputError({file_, node.line, 1}, "node " + in_quotes(node.id) + ": unknown " + std::string(name) + " " + in_quotes(*text) +
                                                suggest(*text, all_words<E>()));
  }

  /// A node as `scenario export --dot` writes it.
  void add_own(const DotGraph::Node& node) {
    const std::string what = "node " + in_quotes(node.id);
    const auto number = [&](std::string_view name, std::int64_t absent, std::int64_t least, std::int64_t most) {
      return whole(node.attributes, name, absent, least, most, node.line, what);
    };
    constexpr std::int64_t kInt = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t kMany = 1'000'000;
    Task task;
    TaskTraits traits;
    task.core_type = word(node, "core_type", CoreType::kSm);
    task.cost.time = Duration{number("time_ns", 0, 0, kMostImportedNs)};
    task.cost.flops = {number("flops", 0, 0, kMostImportedAmount)};
    task.cost.bytes = {number("bytes", 0, 0, kMostImportedAmount)};
    task.priority = static_cast<std::int32_t>(number("priority", 0, -kInt, kInt));
    task.layer = static_cast<std::int32_t>(number("layer", 0, 0, kInt));
    task.cost.sigma_ns = static_cast<std::uint32_t>(number("sigma_ns", 0, 0, kMaxSigmaNs));
    traits.blocks = static_cast<int>(number("blocks", 1, 1, kMany));
    traits.threads = static_cast<int>(number("threads", 0, 0, kMostBlockThreads));
    traits.registers = static_cast<int>(number("registers", 0, 0, kMany));
    traits.shared_memory = number("shared_memory_bytes", 0, 0, 1'000'000'000'000);
    traits.stream = static_cast<int>(number("stream", 0, 0, kMany));
    traits.output = number("output_bytes", 0, 0, kMostImportedAmount);
    traits.scope = static_cast<int>(number("scope", 0, 0, kMany));
    traits.estimate = Duration{number("estimate_ns", -1, 0, kMostImportedNs)};
    traits.prologue = Duration{number("prologue_ns", 0, 0, kMostImportedNs)};
    traits.prologue_bytes = number("prologue_bytes", 0, 0, kMostImportedAmount);
    const std::string kernel = value_of(node.attributes, "kernel").value_or("spin");
    if (const auto known = from_word<Kernel>(kernel)) {
      task.kernel = *known;
    } else {  // of the scenario's own, or a kind
      traits.kind = kernel;
      task.kernel = task.cost.flops.count > 0 ? Kernel::kFma : Kernel::kSpin;
    }
    size_of(node.attributes, node.line, what, 0, kOfNodes);
    const std::uint32_t at = graph_.add(unescaped(*value_of(node.attributes, "task")), task, traits);
    graph_.nodes[at].states_core_type = true;
  }

  /// A backslash escapes another one.
  static std::string unescaped(std::string_view text) {
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text.substr(i).starts_with("\\\\")) ++i;
      name += text[i];
    }
    return name;
  }

  /// The one size there; nullopt where none is.
  std::optional<double> size_of(const DotGraph::Attributes& attributes, int line, const std::string& what, double least,
                                std::span<const std::string_view> read_elsewhere = {}) {
    std::optional<double> size;
    for (const auto& [name, value] : attributes) {
      if (name != "size") {
        const bool draws = std::ranges::find(kDrawing, name) != kDrawing.end();
        if (!draws && std::ranges::find(read_elsewhere, name) == read_elsewhere.end()) ++unread_[name];
        continue;
      }
      const auto read = decimal(value);
      if (!read || *read < least || *read > kMost) {
        throw InputError({file_, line, 1}, what + ": size is " + in_quotes(value) + "; must be a number" +
                                               (least < 0 ? "" : ", not negative") + ", at most 1e18");
      }
      if (size && *size != *read) throw InputError({file_, line, 1}, what + " has two sizes, the second " + in_quotes(value));
      size = read;
    }
    return size;
  }

  std::int64_t amount(double size, int line, const std::string& what) const {
    if (const auto whole = whole_amount(size, 1, kMostImportedAmount)) return *whole;
    throw InputError({file_, line, 1}, what + ": size is out of range");
  }

  const std::string& file_;
  DotGraph dot_;
  ImportedGraph graph_;
  std::size_t without_ = 0;
  std::map<std::string, std::size_t> unread_;
};

/// A task graph in the DOT language as DAGGEN and SimGrid write it: `size` of a node is its work in flop, `size` of an edge the bytes
/// that come with it; an edge without, or with a negative size, is an order alone. Nodes without a size have empty bodies, which a
/// remark counts, as it does attributes that nothing reads. Nodes with the attribute `task` are as `scenario export --dot` writes them.
/// Throws as parse_dot does, and for a size that is no number, and two of a node.
ImportedGraph read_dot(const std::string& file, std::string_view text) { return DotReader(file, text).read(); }

bool is_dot(const FileHead& head) {
  std::string_view text = head.text;
  const auto skip_blanks = [&text] { text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size())); };
  skip_blanks();
  while (text.starts_with("//") || text.starts_with('#') || text.starts_with("/*")) {
    const std::string_view end = text.starts_with("/*") ? "*/" : "\n";
    const std::size_t at = text.find(end);
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + end.size());
    skip_blanks();
  }
  const std::string_view before = text.substr(0, text.find('{'));
  const bool opens =
      before.size() < text.size() && before.find(':') == std::string_view::npos && before.find("\n-") == std::string_view::npos;
  if (opens && (before.starts_with("digraph") || before.starts_with("strict") || before.starts_with("graph"))) return true;
  return head.extension == ".dot" || head.extension == ".gv";
}

Imported import_dot(const std::string& path, const ImportOptions& options) {
  ImportedGraph graph = read_dot(path, read_unpacked(path));
  if (!options.with.empty()) take_times(graph, options.with);
  return imported(path, std::move(graph), options);
}

constexpr std::array<std::string_view, 3> kDotOptions{"with", "drop_edges", "core_type"};

}  // namespace

Importer dot_importer() { return {"dot", "a task graph in Graphviz's DOT language (DAGGEN, SimGrid)", is_dot, import_dot, kDotOptions}; }

}  // namespace tasktwin::scenarios
