#include "scenarios/claim_files/claim_file.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "models/runtimes/runtimes.hpp"
#include "scenarios/claim_files/claim_schema.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/load/scenario_document.hpp"

namespace tasktwin::scenarios {

namespace {

/// A node of the document, and how messages call it.
struct Part {
  const Node& node;
  std::string path;
};

/// The claim's document: what its comparisons share, and which of its designs they have used.
class ClaimFile {
 public:
  explicit ClaimFile(const Document& document) : document_(document) {
    if (const Node* designs = document.root.find("designs")) {
      for (const Node& design : designs->items) designs_.push_back(&design);
    }
  }

  Comparison comparison(const Part& part) {
    const Node& node = part.node;
    Comparison made{.name = node.find("scenario")->text, .sides = {}, .claimed = ratio(part), .where = document_.at(node)};
    if (node.find("metg")) {
      made.sides = metg_sides(part);
    } else {
      made.sides = MakespanSides{side(part, "baseline"), side(part, "contender")};
    }
    return made;
  }

  void check_all_used() const {
    const auto unused = std::ranges::find_if(designs_, [this](const Node* design) { return !used_.contains(design); });
    if (unused == designs_.end()) return;
    const auto position = std::to_string(unused - designs_.begin());
    throw InputError(document_.at(**unused), "designs[" + position + "]: no comparison uses it");
  }

 private:
  ClaimedRatio ratio(const Part& part) const {
    const Node& node = *part.node.find("ratio");
    ClaimedRatio claimed;
    if (const Node* low = node.find("at_least")) claimed.at_least = low->real;
    if (const Node* high = node.find("at_most")) claimed.at_most = high->real;
    if (!claimed.at_least && !claimed.at_most)
      throw InputError(document_.at(node), part.path + ".ratio: is empty; give at_least, at_most or both");
    if (claimed.at_least && claimed.at_most && *claimed.at_least > *claimed.at_most) {
      throw InputError(document_.at(*node.find("at_most")),
                       part.path + ".ratio.at_most: is below at_least (" + shortest(*claimed.at_least) + ")");
    }
    return claimed;
  }

  /// The comparison's own value of `key`, else the file's; nullptr where neither has one.
  const Node* find(const Node& comparison, std::string_view key) const {
    const Node* own = comparison.find(key);
    return own ? own : document_.root.find(key);
  }

  MetgSides metg_sides(const Part& part) const {
    const auto executor = [&](const char* key) {
      const Node& node = *part.node.find(key);
      if (node.kind == Node::Kind::kText) return node.text;
      throw InputError(document_.at(node), part.path + "." + key + ": with 'metg' it is the name of an executor");
    };
    if (const Node::Key* graph = part.node.find_key("graph"))
      throw InputError(document_.at(*graph), part.path + ".graph: goes without 'metg', whose graphs are the benchmark's");
    const Node* machine = find(part.node, "machine");
    if (!machine || machine->kind != Node::Kind::kText)
      throw InputError(document_.at(machine ? *machine : part.node), part.path + ".machine: 'metg' needs a machine by its name");
    const FoundFile found = find_machine(machine->text, std::filesystem::path(document_.file).parent_path());
    if (!found.exists) throw InputError(document_.at(*machine), part.path + ".machine: " + why_no_machine(machine->text));
    return {part.node.find("metg")->text, executor("baseline"), executor("contender"), load_machine(found.path)};
  }

  /// Of `designs` the one called `name`, else a text that names a named design. Throws InputError if there is none.
  const Node& design(const Node& name, const std::string& path) {
    std::vector<std::string_view> known;
    for (const Node* candidate : designs_) {
      const Node* called = candidate->kind == Node::Kind::kText ? candidate : candidate->find("name");
      if (!called) continue;
      known.push_back(called->text);
      if (called->text != name.text) continue;
      used_.insert(candidate);
      return *candidate;
    }
    for (const Design& named : named_designs()) {
      if (named.name == name.text) return name;
      known.push_back(named.name);
    }
    throw InputError(document_.at(name), path + ": unknown design " + in_quotes(name.text) + suggest(name.text, known));
  }

  /// One side of a comparison as a scenario's document, its nodes where the claim's file has them.
  Scenario side(const Part& part, const char* key) {
    const Node& written = *part.node.find(key);
    const bool is_map = written.kind == Node::Kind::kMap;
    const Node& name = is_map ? *written.find("design") : written;
    const Node* own_graph = is_map ? written.find("graph") : nullptr;

    Document document{document_.file, {}, {}};
    Node& root = document.root;
    root.kind = Node::Kind::kMap;
    root.line = part.node.line;
    root.column = part.node.column;
    const auto add = [&root](const char* field, const Node& value) {
      root.keys.push_back({field, value.line, value.column});
      root.items.push_back(value);
    };
    add("scenario", *part.node.find("scenario"));
    if (const Node* machine = find(part.node, "machine")) add("machine", *machine);
    if (const Node* graph = own_graph ? own_graph : find(part.node, "graph")) add("graph", *graph);
    if (const Node* seed = find(part.node, "seed")) add("seed", *seed);
    Node designs;
    designs.kind = Node::Kind::kList;
    designs.line = name.line;
    designs.column = name.column;
    designs.items.push_back(design(name, part.path + "." + key + (is_map ? ".design" : "")));
    add("designs", designs);
    return scenario_from(document);
  }

  const Document& document_;
  std::vector<const Node*> designs_;
  std::set<const Node*> used_;
};

}  // namespace

Claim load_claim(const std::string& path_or_id) {
  const FoundFile found = find_claim(path_or_id);
  if (!found.exists) throw InputError({path_or_id}, why_no_claim(path_or_id));
  const Document document = read_document(found.path);
  claim_schema().check(document);

  const auto text = [&document](const char* key) { return document.root.find(key)->text; };
  Claim claim{text("claim"), text("title"), text("claimed"), text("source"), text("workload"), {}};
  ClaimFile file(document);
  const Node& comparisons = *document.root.find("comparisons");
  for (std::size_t i = 0; i < comparisons.items.size(); ++i) {
    const Node& node = comparisons.items[i];
    const std::string path = "comparisons[" + std::to_string(i) + "]";
    const Node& name = *node.find("scenario");
    if (std::ranges::find(claim.comparisons, name.text, &Comparison::name) != claim.comparisons.end())
      throw InputError(document.at(name), path + ".scenario: the name " + in_quotes(name.text) + " stands twice");
    claim.comparisons.push_back(file.comparison({node, path}));
  }
  file.check_all_used();
  return claim;
}

}  // namespace tasktwin::scenarios
