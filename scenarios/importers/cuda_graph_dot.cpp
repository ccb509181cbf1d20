#include "scenarios/importers/cuda_graph_dot.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <cxxabi.h>

#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/dot_file.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/times_by_name.hpp"

namespace tasktwin::scenarios {

namespace {

/// Absent where it is more than an import may state, or a factor is negative.
std::optional<std::int64_t> product(std::initializer_list<std::int64_t> factors) {
  std::int64_t all = 1;
  for (const std::int64_t factor : factors) {
    if (factor < 0 || __builtin_mul_overflow(all, factor, &all) || all > kMostImportedAmount) return std::nullopt;
  }
  return all;
}

constexpr std::string_view kNodeName = "_node_";
constexpr std::string_view kGraphName = "graph_";
constexpr const char* kTransfer = "copy or memset";
constexpr std::size_t kComparedName = 48;  ///< bytes of a function's name: importers of traces cut long ones

constexpr std::string_view kConditional = "CONDITIONAL";

/// The kinds of nodes by the first field of their labels.
enum class Kind : std::uint8_t { kKernel, kMemcpy, kMemset, kHost, kOther };
constexpr std::array kKinds{std::pair{std::string_view{"KERNEL"}, Kind::kKernel}, std::pair{std::string_view{"MEMCPY"}, Kind::kMemcpy},
                            std::pair{std::string_view{"MEMSET"}, Kind::kMemset}, std::pair{std::string_view{"HOST"}, Kind::kHost}};

bool are_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// graph_N
bool is_graph_name(std::string_view word) { return word.starts_with(kGraphName) && are_digits(word.substr(kGraphName.size())); }

bool is_node_name(std::string_view id) {
  const std::size_t at = id.find(kNodeName);
  return at != std::string_view::npos && is_graph_name(id.substr(0, at)) && are_digits(id.substr(at + kNodeName.size()));
}

/// The graph that a node of that name is of.
std::string graph_of_node(const std::string& id) { return id.substr(0, id.find(kNodeName)); }

std::string without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \r");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, text.find_last_not_of(" \r") - first + 1));
}

/// The lines of a label of another shape, without blanks around them and without the first, which is the node's number.
std::vector<std::string> lines_of(std::string_view label) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < label.size();) {
    const std::size_t end = std::min(label.find('\n', at), label.size());
    if (std::string line = without_blanks(label.substr(at, end - at)); !line.empty()) lines.push_back(std::move(line));
    at = end + 1;
  }
  if (lines.size() > 1) lines.erase(lines.begin());
  return lines;
}

/// The fields of a label of shape `record`, without blanks around them and without escapes, in order.
std::vector<std::string> fields_of(std::string_view label) {
  std::vector<std::string> fields(1);
  for (std::size_t i = 0; i < label.size(); ++i) {
    const char c = label[i];
    if (c == '\\' && i + 1 < label.size()) {
      fields.back() += label[++i] == 'n' ? ' ' : label[i];
    } else if (c == '|' || c == '{' || c == '}') {
      fields.emplace_back();
    } else {
      fields.back() += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  for (std::string& field : fields) field = without_blanks(field);
  std::erase(fields, "");
  return fields;
}

/// A number without a sign, and how many characters it has.
struct Digits {
  std::int64_t value = 0;
  std::size_t count = 0;
};

/// That `text` begins with; none where it begins with no digit, or the number is beyond 64 bits.
std::optional<Digits> leading_digits(std::string_view text) {
  Digits digits{.count = std::min(text.find_first_not_of("0123456789"), text.size())};
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits.count, digits.value);
  return error == std::errc{} && digits.count > 0 ? std::optional(digits) : std::nullopt;
}

std::optional<std::int64_t> leading_number(std::string_view text) {
  const std::optional<Digits> digits = leading_digits(text);
  return digits ? std::optional(digits->value) : std::nullopt;
}

/// The value of one of these heads where heads are in a row and their values in the next: the value as far after it as the row is long.
std::optional<std::int64_t> in_table(const std::vector<std::string>& fields, std::string_view head) {
  const auto first = std::ranges::find(fields, "ID");
  const auto at = std::find(first, fields.end(), head);
  const auto last = std::find(first, fields.end(), "height");
  if (at == fields.end() || last == fields.end()) return std::nullopt;
  const auto columns = last - first + 1;
  return fields.end() - at > columns ? leading_number(*(at + columns)) : std::nullopt;
}

/// The text after this field.
std::optional<std::string> behind(const std::vector<std::string>& fields, std::string_view name) {
  const auto found = std::ranges::find_if(fields, [name](const std::string& field) {
    return std::ranges::equal(field, name, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  });
  return found == fields.end() || found + 1 == fields.end() ? std::nullopt : std::optional(*(found + 1));
}

/// A kernel's "name<<<grid,block,shared>>>"; a dimension of several axes is "{2,64}", of which fields_of has taken the braces.
struct Launch {
  std::string name;
  std::int64_t blocks = 1;
  std::int64_t threads = 1;
  std::int64_t shared = 0;
};

class GraphNode {
 public:
  GraphNode(const DotGraph::Node& node, const std::string& file) : node_(node), file_(file) {
    bool octagon = false;
    for (const auto& [name, value] : node.attributes) {
      if (name == "label") label_ = value;
      octagon = octagon || (name == "shape" && value == "octagon");
    }
    is_record_ = label_.find('|') != std::string::npos || label_.starts_with('{');
    fields_ = is_record_ ? fields_of(label_) : lines_of(label_);
    if (fields_.empty()) refuse("has no label, whose first field says what it is");
    if (!is_record_ && octagon) {
      kind_ = Kind::kKernel;
      return;
    }
    const auto kind = std::ranges::find(kKinds, std::string_view(fields_.front()).substr(0, fields_.front().find(' ')),
                                        [](const auto& entry) { return entry.first; });
    kind_ = kind == kKinds.end() ? Kind::kOther : kind->second;
  }

  const std::string& id() const { return node_.id; }
  Kind kind() const { return kind_; }
  const std::string& word() const { return fields_.front(); }
  const std::vector<std::string>& fields() const { return fields_; }

  /// The name of the graph that it contains, if it does.
  bool is_graph() const { return kind_ == Kind::kOther && word().starts_with(kGraphName); }
  bool is_conditional() const { return kind_ == Kind::kOther && word().starts_with(kConditional); }
  /// Of a conditional node: its type, "IF", and the graphs of its cases in order.
  std::string condition() const { return behind(fields_, "conditional type").value_or(""); }
  std::vector<std::string> cases() const {
    std::vector<std::string> graphs;
    for (const std::string& field : fields_) {
      const std::size_t blank = field.rfind(' ');
      const std::string last = blank == std::string::npos ? field : field.substr(blank + 1);
      if (is_graph_name(last)) graphs.push_back(last);
    }
    return graphs;
  }
  /// Without the flags that ask for more, a kernel's label is its function alone, and a copy's "(DtoH,4096)".
  bool is_record() const { return is_record_; }
  std::optional<std::pair<std::string, std::int64_t>> in_brackets() const {
    if (is_record_ || fields_.size() < 2 || !fields_[1].starts_with('(')) return std::nullopt;
    const std::size_t comma = fields_[1].find(',');
    if (comma == std::string::npos) return std::nullopt;
    const auto bytes = leading_number(fields_[1].substr(comma + 1));
    return bytes ? std::optional(std::pair(fields_[1].substr(1, comma - 1), *bytes)) : std::nullopt;
  }

  /// As the label says that asks for all there is to know.
  bool cooperative() const { return leading_number(behind(fields_, "cooperative").value_or("")).value_or(0) != 0; }

  /// nullopt where the label does not have it.
  std::optional<Launch> launch() const {
    const std::size_t open = label_.find(R"(\<\<\<)");
    const std::size_t close = label_.find(R"(\>\>\>)");
    if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
    constexpr std::size_t kSign = 6;
    Launch launch;
    const std::size_t bar = label_.rfind('|', open);
    launch.name = is_record_ ? fields_of(label_.substr(bar + 1, open - bar - 1)).front() : word();
    std::vector<std::int64_t> products;
    bool within = false;
    for (std::size_t at = open + kSign; at < close;) {
      const bool opens = label_.compare(at, 2, R"(\{)") == 0;
      const bool closes = label_.compare(at, 2, R"(\})") == 0;
      if (opens || closes) {
        if (opens) products.push_back(1);
        within = opens;
        at += 2;
      } else if (label_[at] == ',') {
        ++at;
      } else {
        const std::optional<Digits> number = leading_digits(std::string_view(label_).substr(at, close - at));
        if (!number) return std::nullopt;
        if (!within) products.push_back(1);
        if (number->value > kMostImportedAmount / std::max<std::int64_t>(products.back(), 1)) return std::nullopt;
        products.back() *= number->value;
        at += number->count;
      }
    }
    constexpr std::size_t kDimensions = 3;
    if (products.size() != kDimensions) return std::nullopt;
    launch.blocks = products[0];
    launch.threads = products[1];
    launch.shared = products[2];
    return launch;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError({file_, node_.line, 1}, "node " + in_quotes(node_.id) + " " + why);
  }

 private:
  const DotGraph::Node& node_;
  const std::string& file_;
  std::string label_;
  std::vector<std::string> fields_;
  bool is_record_ = false;
  Kind kind_ = Kind::kOther;
};

class CudaGraphReader {
 public:
  CudaGraphReader(const std::string& file, std::string_view text, const std::vector<std::vector<DeviceRun>>& launches)
      : file_(file), dot_(parse_dot(file, text)), launches_(launches) {}

  ImportedGraph read() {
    graph_.sources = {"edge"};
    choose_cases();
    for (const DotGraph::Node& node : dot_.nodes) read_node(node);
    for (const DotGraph::Edge& edge : dot_.edges) graph_.edges.push_back({edge.from, edge.to, 0, edge.line});
    join_children();
    remark();
    if (!launches_.empty()) join_times();
    return std::move(graph_);
  }

 private:
  /// Of the cases of a conditional node one runs: the first that has nodes, for the file does not say which. Nodes of the others are taken
  /// out, with the graphs that they contain.
  void choose_cases() {
    std::map<std::string, std::vector<GraphNode>> conditional;  // and nodes that contain graphs, by the graph that they are of
    std::set<std::string> with_nodes;
    for (const DotGraph::Node& dot : dot_.nodes) {
      with_nodes.insert(graph_of_node(dot.id));
      if (!is_node_name(dot.id)) continue;
      GraphNode node(dot, file_);
      if (node.is_conditional() || node.is_graph()) conditional[graph_of_node(dot.id)].push_back(std::move(node));
    }
    std::set<std::string> left_out;
    const auto leave_out = [&](const auto& self, const std::string& graph) -> void {
      if (!left_out.insert(graph).second) return;
      for (const GraphNode& node : conditional[graph]) {
        for (const std::string& within : node.is_graph() ? std::vector{node.word()} : node.cases()) self(self, within);
      }
    };
    const auto chosen = [&](const GraphNode& node) {
      const std::vector<std::string> cases = node.cases();
      const auto first = std::ranges::find_if(cases, [&](const std::string& one) { return with_nodes.contains(one); });
      return first == cases.end() ? std::string() : *first;
    };
    for (const auto& [graph, nodes] : std::map(conditional)) {
      for (const GraphNode& node : nodes) {
        if (!node.is_conditional()) continue;
        for (const std::string& one : node.cases()) {
          if (one != chosen(node)) leave_out(leave_out, one);
        }
      }
    }
    for (const auto& [graph, nodes] : conditional) {
      if (left_out.contains(graph)) continue;
      for (const GraphNode& node : nodes) {
        if (node.is_conditional() && !chosen(node).empty()) taken_[node.id()] = chosen(node);
        if (node.is_conditional() && node.cases().size() > 1)
          choices_.push_back("of the " + std::to_string(node.cases().size()) + " cases of " + node.id() + " one runs: " +
                             (chosen(node).empty() ? "all are empty" : chosen(node) + " is taken, the first that has nodes"));
      }
    }
    take_out(left_out);
  }

  void take_out(const std::set<std::string>& graphs) {
    if (graphs.empty()) return;
    std::vector<std::optional<std::uint32_t>> places;
    std::uint32_t kept = 0;
    for (const DotGraph::Node& node : dot_.nodes)
      places.push_back(graphs.contains(graph_of_node(node.id)) ? std::nullopt : std::optional(kept++));
    left_out_ = dot_.nodes.size() - kept;
    std::erase_if(dot_.nodes, [&graphs](const DotGraph::Node& node) { return graphs.contains(graph_of_node(node.id)); });
    std::erase_if(dot_.edges, [&places](const DotGraph::Edge& edge) { return !places[edge.from] || !places[edge.to]; });
    for (DotGraph::Edge& edge : dot_.edges) {
      edge.from = *places[edge.from];
      edge.to = *places[edge.to];
    }
  }

  /// A node that contains a graph comes before all that this begins with, and what waits for it waits for all that this ends with.
  void join_children() {
    if (children_.empty()) return;
    std::map<std::string, std::vector<std::uint32_t>> members;
    for (std::uint32_t i = 0; i < dot_.nodes.size(); ++i) members[graph_of_node(dot_.nodes[i].id)].push_back(i);
    std::vector<bool> waits(dot_.nodes.size());
    std::vector<bool> is_awaited(dot_.nodes.size());
    for (const ImportedGraph::Edge& edge : graph_.edges) waits[edge.to] = is_awaited[edge.from] = true;
    std::vector<ImportedGraph::Edge> more;
    const auto add_ends = [&](const auto& self, const std::string& child, const ImportedGraph::Edge& edge, std::size_t depth) -> void {
      if (depth > children_.size()) throw InputError({file_, edge.line, 1}, child + " is within itself");
      for (const std::uint32_t last : members[child]) {
        if (is_awaited[last]) continue;
        more.push_back({last, edge.to, 0, edge.line});
        if (const auto within = children_.find(last); within != children_.end()) self(self, within->second, edge, depth + 1);
      }
    };
    for (const auto& [node, child] : children_) {
      const int line = dot_.nodes[node].line;
      if (!members.contains(child))
        throw InputError({file_, line, 1}, "node " + in_quotes(dot_.nodes[node].id) + " is " + child + ", which the file does not have");
      for (const std::uint32_t first : members[child]) {
        if (!waits[first]) more.push_back({node, first, 0, line});
      }
    }
    for (const ImportedGraph::Edge& edge : graph_.edges) {
      if (const auto child = children_.find(edge.from); child != children_.end()) add_ends(add_ends, child->second, edge, 1);
    }
    graph_.edges.insert(graph_.edges.end(), more.begin(), more.end());
  }

  void read_node(const DotGraph::Node& dot) {
    if (!is_node_name(dot.id))
      throw InputError({file_, dot.line, 1}, "node " + in_quotes(dot.id) + " is not called as cudaGraphDebugDotPrint does, graph_N_node_N");
    const GraphNode node(dot, file_);
    Task task;
    task.kernel = Kernel::kEmpty;
    TaskTraits traits;
    std::string name = dot.id;
    if (node.kind() == Kind::kKernel) {
      name = kernel(node, traits);
    } else if (node.kind() == Kind::kMemset || node.kind() == Kind::kMemcpy) {
      transfer(node, task);
      name = node.word() + ' ' + dot.id;
      keys_.emplace_back(kTransfer);
    } else if (node.is_graph()) {
      children_[static_cast<std::uint32_t>(graph_.nodes.size())] = node.word();
      name = node.word() + ' ' + dot.id;
      keys_.emplace_back(std::nullopt);
    } else if (node.is_conditional()) {
      if (const auto taken = taken_.find(dot.id); taken != taken_.end())
        children_[static_cast<std::uint32_t>(graph_.nodes.size())] = taken->second;
      ++conditional_[node.condition()];
      name = node.word() + ' ' + dot.id;
      keys_.emplace_back(std::nullopt);
    } else {
      if (node.kind() == Kind::kHost) task.operation = Operation::kHost;
      ++others_[node.word()];
      name = node.word() + ' ' + dot.id;
      keys_.emplace_back(std::nullopt);
    }
    if (traits.kind.empty()) traits.kind = node.word();
    graph_.add(std::move(name), task, traits);
  }

  std::string kernel(const GraphNode& node, TaskTraits& traits) {
    constexpr std::int64_t kMostBlocks = 1'000'000;
    const auto launch = node.launch();
    if (!launch && !node.is_record()) {
      ++without_grid_;
      keys_.emplace_back(function_name(node.word()));
      traits.kind = *keys_.back();
      return node.word();
    }
    if (!launch) node.refuse("is a kernel whose label has no name<<<grid,block,shared memory>>>");
    if (launch->blocks < 1 || launch->threads < 1) node.refuse("has a grid or block of no size");
    if (launch->blocks > kMostBlocks) ++cut_;
    traits.blocks = static_cast<int>(std::min(launch->blocks, kMostBlocks));
    traits.threads = static_cast<int>(std::min<std::int64_t>(launch->threads, 1024));
    traits.shared_memory = launch->shared;
    traits.cooperative = node.cooperative();
    keys_.emplace_back(function_name(launch->name));
    traits.kind = *keys_.back();
    return launch->name;
  }

  void transfer(const GraphNode& node, Task& task) {
    const auto& fields = node.fields();
    std::optional<std::int64_t> bytes;
    const auto brackets = node.in_brackets();
    if (node.kind() == Kind::kMemset && brackets) {
      task.operation = Operation::kMemset;
      bytes = brackets->second;
    } else if (node.kind() == Kind::kMemset) {
      task.operation = Operation::kMemset;
      const auto element = in_table(fields, "elementSize");
      const auto width = in_table(fields, "width");
      const auto height = in_table(fields, "height");
      if (element && width && height) bytes = product({*element, *width, *height});
    } else {
      const std::string kind = brackets ? brackets->first : behind(fields, "kind").value_or("");
      task.operation = kind.starts_with("HtoD")   ? Operation::kCopyH2d
                       : kind.starts_with("DtoH") ? Operation::kCopyD2h
                       : kind.starts_with("PtoP") ? Operation::kCopyP2p
                                                  : Operation::kMemset;
      const auto extent = [&fields](const char* axis) { return leading_number(behind(fields, axis).value_or("")); };
      if (brackets) bytes = brackets->second;
      if (const auto width = extent("width")) bytes = product({*width, extent("height").value_or(1), extent("depth").value_or(1)});
      if (bytes && task.operation == Operation::kMemset) {
        *bytes *= 2;
        ++within_;
      }
    }
    if (!bytes || *bytes < 0 || *bytes > kMostImportedAmount) {
      ++without_bytes_;
      task.operation = Operation::kKernel;
      return;
    }
    task.cost.bytes = {*bytes};
  }

  void remark() {
    auto& remarks = graph_.remarks;
    for (const auto& [word, count] : others_) remarks.push_back(counted(count, "node") + " of kind " + word + ": no time");
    for (const auto& [type, count] : conditional_) {
      remarks.push_back(counted(count, "conditional node") + (type.empty() ? "" : " of type " + type) + ": no time; " +
                        (type == "WHILE" ? "the body is taken to run once" : "what it decides on is taken to run"));
    }
    remarks.insert(remarks.end(), choices_.begin(), choices_.end());
    if (left_out_ > 0) remarks.push_back(counted(left_out_, "node") + " of cases that do not run left out");
    if (without_bytes_ > 0)
      remarks.push_back(std::to_string(without_bytes_) + " copies and memsets" + " whose label does not say how much: empty bodies");
    if (without_grid_ > 0)
      remarks.push_back(counted(without_grid_, "kernel") +
                        " whose label has no grid: one block each; cudaGraphDebugDotFlagsVerbose and …KernelNodeParams print them");
    if (children_.size() > taken_.size())
      remarks.push_back(counted(children_.size() - taken_.size(), "node") +
                        " for graphs of their own, joined with what these begin and end with");
    if (within_ > 0)
      remarks.push_back(counted(within_, "copy") + " within the device: taken as memsets of twice their bytes, a read and a write");
    if (cut_ > 0) remarks.push_back(counted(cut_, "kernel") + " of more than 1000000 blocks: taken as of so many");
    const auto kernels = static_cast<std::size_t>(std::ranges::count_if(keys_, [](const auto& key) { return key && *key != kTransfer; }));
    if (launches_.empty())
      graph_.untimed = "the file has no times: " + counted(kernels, "kernel") + " with empty bodies; --with TRACE has them";
  }

  /// Each launch's runs by key, in order.
  void join_times() {
    std::vector<Duration> sum(keys_.size());
    for (std::size_t l = 0; l < launches_.size(); ++l) {
      std::map<std::string, std::vector<const DeviceRun*>> runs;
      for (const DeviceRun& run : launches_[l]) {
        runs[run.task.operation == Operation::kKernel ? function_name(run.name) : kTransfer].push_back(&run);
      }
      std::map<std::string, std::size_t> next;
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (!keys_[i]) continue;
        const auto& same = runs[*keys_[i]];
        if (next[*keys_[i]] == same.size()) refuse_launch(l, i);
        const DeviceRun& run = *same[next[*keys_[i]]++];
        sum[i] += run.task.cost.time;
        if (l > 0) continue;
        graph_.nodes[i].task = run.task;
        const bool cooperative = graph_.nodes[i].traits.cooperative || run.traits.cooperative;
        graph_.nodes[i].traits = run.traits;
        graph_.nodes[i].traits.cooperative = cooperative;
      }
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i]) graph_.nodes[i].task.cost.time = sum[i] / static_cast<std::int64_t>(launches_.size());
    }
    graph_.remarks.push_back("times are means over " + counted(launches_.size(), "launch") + " of the trace, joined by order");
  }

  [[noreturn]] void refuse_launch(std::size_t launch, std::size_t i) const {
    throw InputError({file_, dot_.nodes[i].line, 1}, "node " + in_quotes(dot_.nodes[i].id) + " has no run in launch " +
                                                         std::to_string(launch + 1) + " of the trace, which has " +
                                                         std::to_string(launches_[launch].size()) + " runs for " +
                                                         std::to_string(dot_.nodes.size()) + " nodes: none is left that is called '" +
                                                         *keys_[i] + "'; is the trace of this graph?");
  }

  const std::string& file_;
  DotGraph dot_;
  const std::vector<std::vector<DeviceRun>>& launches_;
  ImportedGraph graph_;
  std::vector<std::optional<std::string>> keys_;  ///< by node, what its runs are called; none where the device has none of it
  std::map<std::string, std::size_t> others_;
  std::map<std::string, std::size_t> conditional_;  ///< nodes by their type
  std::map<std::string, std::string> taken_;        ///< by conditional node, the graph that it runs
  std::vector<std::string> choices_;                ///< remarks
  std::size_t left_out_ = 0;                        ///< nodes of cases that do not run
  std::map<std::uint32_t, std::string> children_;   ///< by node, the graph that it contains
  std::size_t without_grid_ = 0;
  std::size_t without_bytes_ = 0;
  std::size_t within_ = 0;
  std::size_t cut_ = 0;
};

}  // namespace

ImportedGraph read_cuda_graph_dot(const std::string& file, std::string_view text, const std::vector<std::vector<DeviceRun>>& launches) {
  return CudaGraphReader(file, text, launches).read();
}

std::string function_name(const std::string& name) {
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), std::free);
  std::string text = demangled ? demangled.get() : name;
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t at = text.find(kUnnamed); at != std::string::npos; at = text.find(kUnnamed, at)) text.erase(at, kUnnamed.size());
  text = text.substr(0, text.find_first_of("<(#"));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const std::size_t last = text.find_last_of(": ");
  return (last == std::string::npos ? text : text.substr(last + 1)).substr(0, kComparedName);
}

bool begins_as_cuda_graph(std::string_view head) {
  for (std::size_t at = head.find(kNodeName); at != std::string_view::npos; at = head.find(kNodeName, at + 1)) {
    const std::size_t start = head.rfind(kGraphName, at);
    std::size_t end = at + kNodeName.size();
    while (end < head.size() && head[end] >= '0' && head[end] <= '9') ++end;
    if (start != std::string_view::npos && is_node_name(head.substr(start, end - start))) return true;
  }
  return false;
}

namespace {

bool is_cuda_graph_dot(const FileHead& head) {
  return head.text.find("digraph") != std::string_view::npos && begins_as_cuda_graph(head.text);
}

std::vector<DeviceRun> runs_of(const Imported& trace, const HostCall& launch) {
  std::vector<DeviceRun> runs;
  for (std::size_t i = index(launch.first); i < index(launch.first) + launch.tasks; ++i) {
    Task task = trace.graph[task_id(i)];
    const TaskTraits& traits = trace.graph.traits(task_id(i));
    task.traits = 0;
    if (task.operation == Operation::kKernel || is_transfer(task.operation))
      runs.push_back({std::string(trace.graph.name(task_id(i))), task, traits});
  }
  return runs;
}

/// What the trace at `path` saw of each launch of a graph. Throws InputError where it saw none.
std::vector<std::vector<DeviceRun>> graph_launches(const std::string& path, const Imported& trace) {
  std::vector<std::vector<DeviceRun>> launches;
  if (trace.program) {
    for (const HostThread& thread : trace.program->threads) {
      for (const HostCall& call : thread.calls) {
        if (call.kind == HostCallKind::kLaunch && call.graph && call.tasks > 0) launches.push_back(runs_of(trace, call));
      }
    }
  }
  if (launches.empty()) throw InputError({path}, "has no launch of a CUDA graph; times of the graph's nodes cannot be had from it");
  return launches;
}

Imported import_cuda_graph_dot(const std::string& path, const ImportOptions& options) {
  const Importer* second = options.with.empty() ? nullptr : recognised_importer(options.with);
  const bool table = !options.with.empty() && (second == nullptr || second->name == "csv");
  const bool trace = !options.with.empty() && !table;
  const Imported seen = trace ? import_file(options.with, {}, {}) : Imported{};
  ImportedGraph graph =
      read_cuda_graph_dot(path, read_unpacked(path), trace ? graph_launches(options.with, seen) : std::vector<std::vector<DeviceRun>>{});
  if (table) take_times(graph, options.with);
  Imported made = imported(path, std::move(graph), options);
  made.device = seen.device;
  made.profiled = trace;
  return made;
}

constexpr std::array<std::string_view, 3> kCudaGraphOptions{"with", "drop_edges", "core_type"};

}  // namespace

Importer cuda_graph_dot_importer() {
  return {"cuda-graph-dot", "a CUDA graph as cudaGraphDebugDotPrint writes it", is_cuda_graph_dot, import_cuda_graph_dot,
          kCudaGraphOptions};
}

}  // namespace tasktwin::scenarios
