#include "scenarios/load/varied_scenario.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/designs/designs.hpp"
#include "scenarios/designs/overrides.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/load/scenario_schema.hpp"

namespace tasktwin::scenarios {

namespace {

/// Tasks of graphs that are kept for when they are asked for again; a machine weighs as much as the graph that takes its memory.
constexpr std::size_t kMostWeight = 2'000'000;
constexpr std::size_t kMachineWeight = 20'000;

/// Sections of a scenario that are worth leaving out of a check that they have passed.
constexpr const char* kMachine = "machine";
constexpr const char* kGraph = "graph";
constexpr const char* kDesigns = "designs";
constexpr const char* kCollectives = "collectives";  // small, and checked each time

/// Something that the schema takes for `section`.
Node stand_in(const std::string& section) {
  if (section == kMachine) return text_node("any");
  Node node;
  if (section == kDesigns) {
    node.kind = Node::Kind::kList;
    node.items.push_back(text_node("any"));
  } else {
    node.kind = Node::Kind::kMap;
    node.keys.push_back({"generator"});
    node.items.push_back(text_node("chain"));
  }
  return node;
}

Node* item(Node& map, const std::string& key) { return const_cast<Node*>(std::as_const(map).find(key)); }

void remove(Node& map, const std::string& key) {
  const auto found = std::ranges::find(map.keys, key, &Node::Key::text);
  if (found == map.keys.end()) return;
  map.items.erase(map.items.begin() + (found - map.keys.begin()));
  map.keys.erase(found);
}

/// A part of a document with a stand-in at its place, for as long as this lives.
class LeftOut {
 public:
  LeftOut(Node& part, Node stand_in) : part_(part), kept_(std::exchange(part, std::move(stand_in))) {}
  ~LeftOut() { part_ = std::move(kept_); }
  LeftOut(const LeftOut&) = delete;
  LeftOut& operator=(const LeftOut&) = delete;

 private:
  Node& part_;
  Node kept_;
};

}  // namespace

template <class T>
template <class Make>
void VariedScenario::Kept<T>::put(T& place, const std::string& key, std::size_t weight, Make make) {
  if (current_ == key) return;
  if (current_) {
    if (weight_ + weight > kMostWeight) {
      others_.clear();
      weight_ = 0;
    }
    if (weight <= kMostWeight) {
      others_.insert_or_assign(*std::exchange(current_, std::nullopt), std::move(place));
      weight_ += weight;
    }
    current_.reset();
  }
  if (auto before = others_.extract(key)) {
    place = std::move(before.mapped());
    weight_ -= std::min(weight_, weight);
  } else {
    place = make();
  }
  current_ = key;
}

VariedScenario::VariedScenario(const std::string& path_or_name, std::span<const std::string> designs)
    : document_(scenario_file(path_or_name)) {
  if (Node* const list = item(document_.root, kDesigns); list != nullptr && list->kind == Node::Kind::kList) {
    for (const std::string& name : designs) {
      const bool is_named = std::ranges::find(named_designs(), name, &Design::name) != named_designs().end();
      if (is_named && std::ranges::find(list->items, name, design_name) == list->items.end())
        add_named_design(*list, name, document_.at(*list));
    }
  }
  file_ = document_.root;
}

std::vector<std::string> VariedScenario::design_names() const {
  std::vector<std::string> names;
  const Node* const list = file_.find(kDesigns);
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) names.emplace_back(design_name(list->items[i]));
  return names;
}

const Scenario& VariedScenario::with(std::span<const std::string> overrides, const std::string& design) {
  document_.overrides.assign(overrides.begin(), overrides.end());
  std::set<std::string> sections{kDesigns};
  for (const auto& [section, texts] : applied_) sections.insert(section);
  for (const std::string& text : overrides) sections.emplace(overridden_section(text));
  for (const std::string& section : sections) apply_section(section, design);
  if (!whole_checked_) check_stale();  // with all its designs
  whole_checked_ = true;
  keep_only(design);
  check_stale();
  const bool cuts = stale_.contains(kGraph) && has_operators(document_);
  if (stale_.contains(kGraph)) cut_ = cuts ? cut_operators(document_) : CutTasks{};
  Faults faults;
  if (!faults.attempt([&] {
        if (cuts) check_stale();  // of the tasks that operators have become
        read_stale();
      }))
    throw cut_.of_operators(faults);
  stale_.clear();
  return scenario_;
}

/// Of designs `design` alone is changed.
void VariedScenario::apply_section(const std::string& section, const std::string& design) {
  std::string texts = section == kDesigns ? design + '\n' : "\n";
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < document_.overrides.size(); ++i) {
    if (overridden_section(document_.overrides[i]) != section) continue;
    own.push_back(i);
    texts += std::to_string(i) + ' ' + document_.overrides[i] + '\n';
  }
  std::string& applied = applied_[section];
  if (applied == texts) return;
  applied.clear();
  stale_.insert(section);
  if (const Node* const original = file_.find(section); original == nullptr)
    remove(document_.root, section);
  else
    *item(document_.root, section) = *original;
  const std::vector<std::string> selected{design};
  for (const std::size_t i : own) apply_override(document_, i, selected);
  applied = std::move(texts);
}

void VariedScenario::keep_only(const std::string& design) {
  Node* const list = item(document_.root, kDesigns);
  std::erase_if(list->items, [&design](const Node& entry) { return design_name(entry) != design; });
  if (list->items.empty()) throw InputError(document_.at(*list), "designs: the scenario has no design " + in_quotes(design));
}

/// The schema says nothing across sections, so that those which passed it as they are can be left out.
void VariedScenario::check_stale() {
  std::vector<std::unique_ptr<LeftOut>> left_out;
  for (const char* const section : {kMachine, kGraph, kDesigns}) {
    if (!stale_.contains(section)) left_out.push_back(std::make_unique<LeftOut>(*item(document_.root, section), stand_in(section)));
  }
  scenario_schema().check(document_);
}

void VariedScenario::read_stale() {
  const Node& root = document_.root;
  scenario_.name = root.find("scenario")->text;
  if (const Node* description = root.find("description")) scenario_.description = description->text;
  const Node* const seed = root.find("seed");
  scenario_.seed = seed ? static_cast<std::uint64_t>(seed->integer) : Scenario{}.seed;
  const auto read_machine_again = [this] {
    Scenario made;
    made.name = scenario_.name;
    read_machine(made, document_, &machine_files_);
    scenario_.machine_file = made.machine_file;
    return std::move(made.machine);
  };
  machines_.put(scenario_.machine, applied_[kMachine], kMachineWeight, read_machine_again);
  if (stale_.contains(kMachine) || stale_.contains(kDesigns)) {
    scenario_.designs = designs_from(document_, *root.find(kDesigns), scenario_.machine);
    scenario_.bases = bases_from(document_, *root.find(kDesigns), scenario_.designs);
  }
  read_graph_of(scenario_.seed);
  scenario_.listed = !root.find(kGraph)->find("generator") && root.find(kGraph)->find("tasks");
  Faults faults;
  DesignChecks checks(document_, scenario_, faults);
  check_graph(document_, scenario_, checks, faults);
  scenario_.replays.clear();
  read_replays(scenario_, document_, capture_ ? &*capture_ : nullptr, faults);
  faults.check();
}

/// Only what a generator draws depends on the seed. A captured or imported run is read with its graph, and not kept next to others.
void VariedScenario::read_graph_of(std::uint64_t seed) {
  const Node& graph = *document_.root.find(kGraph);
  const bool generated = graph.find("generator") != nullptr;
  if (!generated && !graph.find("tasks")) {
    if (!stale_.contains(kGraph) && !stale_.contains(kCollectives)) return;
    graphs_.forget();
    capture_.reset();
    if (!read_import(scenario_, document_)) {
      capture_ = read_capture(scenario_, document_);
      scenario_.graph = capture_ ? std::move(capture_->graph) : read_graph(scenario_, document_, seed);
    }
    make_collectives(scenario_, document_);
    return;
  }
  std::string key = applied_[kGraph] + applied_[kCollectives] + (generated ? std::to_string(seed) : "");
  if (document_.root.find("kernels")) key += applied_[kMachine];  // their costs are of the machine
  graphs_.put(scenario_.graph, key, scenario_.graph.size(), [&] {
    scenario_.graph = read_graph(scenario_, document_, seed);
    make_collectives(scenario_, document_);
    return std::move(scenario_.graph);
  });
}

}  // namespace tasktwin::scenarios
