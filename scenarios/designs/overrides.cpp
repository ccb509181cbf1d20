#include "scenarios/designs/overrides.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/names.hpp"
#include "models/design/design.hpp"
#include "models/machine/machine.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::string_view kForm =
    "must have the form path=value, such as graph.time_ns=500, machine.device_control.poll_ns=20 or "
    "designs.mailbox_depth=2";

void place(Node& node, const SourceLocation& here) {
  node.line = here.line;
  node.column = here.column;
  for (Node::Key& key : node.keys) {
    key.line = here.line;
    key.column = here.column;
  }
  for (Node& item : node.items) place(item, here);
}

/// The value of `key` in `map`, made where there is none.
Node& at_key(Node& map, const std::string& key, const SourceLocation& here) {
  const auto found = std::ranges::find(map.keys, key, &Node::Key::text);
  if (found != map.keys.end()) return map.items[static_cast<std::size_t>(found - map.keys.begin())];
  map.keys.push_back({key, here.line, here.column});
  Node& added = map.items.emplace_back();
  added.kind = Node::Kind::kMap;
  place(added, here);
  return added;
}

/// A named machine or design as a map that starts from it, at the place of the name.
void make_map(Node& named, bool keeps_name) {
  Node map;
  map.kind = Node::Kind::kMap;
  map.line = named.line;
  map.column = named.column;
  for (const char* key : {"name", "from"}) {
    if (key == std::string_view("name") && !keeps_name) continue;
    map.keys.push_back({key, named.line, named.column});
    map.items.push_back(named);
  }
  named = std::move(map);
}

/// One override on its way down the document.
class Override {
 public:
  Override(const std::string& text, int number, std::span<const std::string> selected)
      : text_(text), selected_(selected), here_{{}, -number, 0} {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) throw InputError(name() + ": " + std::string(kForm));
    path_ = std::string_view(text).substr(0, equals);
    const std::string value = text.substr(equals + 1);
    if (value.find_first_not_of(" \t") == std::string::npos) refuse("no value stands after '='; it " + std::string(kForm));
    Document document = parse_document(name(), value);
    if (!document.faults.empty()) {
      const Fault& first = document.faults.front();
      throw InputError(document.at(first.line, first.column), first.message);
    }
    value_ = std::move(document.root);
    place(value_, here_);
  }

  void apply(Node& root) const { descend(root, path_, true); }

 private:
  std::string name() const { return "override " + in_quotes(text_); }
  [[noreturn]] void refuse(const std::string& why) const { throw InputError(name() + ": " + why); }
  /// The path without `rest`.
  std::string done(std::string_view rest) const {
    std::string_view before = path_.substr(0, path_.size() - rest.size());
    if (before.ends_with('.')) before.remove_suffix(1);
    return std::string(before);
  }
  std::string so_far(std::string_view rest) const { return in_quotes(done(rest)); }

  void descend(Node& node, std::string_view rest, bool is_root = false) const {
    if (rest.empty()) {
      node = value_;
      return;
    }
    if (node.kind == Node::Kind::kList) return into_list(node, rest);
    if (node.kind != Node::Kind::kMap) refuse(so_far(rest) + " is " + describe(node) + ", which has no keys");
    const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
    const std::string key(rest.substr(0, end));
    if (key.empty() && rest.starts_with('[') && rest.size() < path_.size())
      refuse("the scenario states no list " + so_far(rest) + " to change one of; state it whole, such as " + done(rest) + "=[...]");
    if (is_root) check_no_design(node, key, rest);
    if (is_root && rest.size() == key.size()) check_whole_path(node, key);
    if (key.empty()) refuse("a key is missing in its path; it " + std::string(kForm));
    std::string_view below = rest.substr(end);
    if (below.starts_with('.')) below.remove_prefix(1);
    if (end < rest.size() && below.empty()) refuse("a key is missing in its path; it " + std::string(kForm));
    Node& next = at_key(node, key, here_);
    if (is_root && key == "machine" && !below.empty() && next.kind == Node::Kind::kText) make_map(next, false);
    if (is_root && key == "designs" && !below.empty() && next.kind == Node::Kind::kList) return into_designs(next, below);
    descend(next, below);
  }

  /// A path that begins with a design's name lacks the contents of front of it.
  void check_no_design(const Node& root, const std::string& key, std::string_view rest) const {
    if (root.find(key) || rest.size() == key.size()) return;
    const Node* const designs = root.find("designs");
    const bool is_own = designs && std::ranges::find(designs->items, key, design_name) != designs->items.end();
    if (is_own || std::ranges::find(named_designs(), key, &Design::name) != named_designs().end())
      refuse("the scenario has no key " + in_quotes(key) + "; did you mean 'designs." + std::string(rest) + "'?");
  }

  /// A nested key lacks its prefix.
  void check_whole_path(const Node& root, const std::string& key) const {
    constexpr std::size_t kMost = 6;
    if (key.empty() || root.find(key) || key == "seed") return;
    std::vector<std::string> paths;
    const auto add = [&](std::string_view place, std::string_view name) {
      if (name == key || name.starts_with(key + "_")) paths.push_back(std::string(place) + std::string(name));
    };
    for (const AxisField& axis : axis_fields()) add("designs.", axis.name);
    for (const ConstantField& field : constant_fields()) add("machine." + std::string(field.section) + ".", field.name);
    const Node* const graph = root.find("graph");
    for (const Node::Key& stated : graph ? graph->keys : std::vector<Node::Key>()) add("graph.", stated.text);
    if (paths.empty()) return;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, paths.size()); ++i)
      text += (i == 0 ? "" : i + 1 == paths.size() ? " or " : ", ") + in_quotes(paths[i]);
    if (paths.size() > kMost) text += " or " + std::to_string(paths.size() - kMost) + " more";
    refuse("the scenario has no key " + in_quotes(key) + "; did you mean " + text + "?");
  }

  void into_list(Node& list, std::string_view rest) const { descend(item(list, rest), rest); }

  /// Takes "[i]", or the name of an item, and a dot after it off `rest`.
  Node& item(Node& list, std::string_view& rest) const {
    const std::size_t count = list.items.size();
    if (!rest.starts_with('[')) return item_called(list, rest);
    const std::size_t close = rest.find(']');
    std::size_t position = count;
    if (close != std::string_view::npos) {
      const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + close, position);
      if (error != std::errc{} || end != rest.data() + close) position = count;
    }
    if (position >= count) refuse_position(rest, count);
    rest.remove_prefix(close + 1);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    return list.items[position];
  }

  [[noreturn]] void refuse_position(std::string_view rest, std::size_t count) const {
    refuse(so_far(rest) + " is a list of " + std::to_string(count) + "; a position in it must be [0] to [" +
           std::to_string(count == 0 ? 0 : count - 1) + "]");
  }

  /// Of several whose names begin `rest`, "a" and "a.b", the one with the longest.
  Node& item_called(Node& list, std::string_view& rest) const {
    Node* found = nullptr;
    std::size_t length = 0;
    std::vector<std::string_view> names;
    for (Node& one : list.items) {
      const Node* const name = one.find("name");
      if (!name || name->text.empty()) continue;
      names.push_back(name->text);
      const std::size_t size = name->text.size();
      const bool is_it = rest.starts_with(name->text) && (rest.size() == size || rest[size] == '.' || rest[size] == '[');
      if (!is_it || size <= length) continue;
      found = &one;
      length = size;
    }
    if (!found && names.empty()) refuse_position(rest, list.items.size());
    if (!found) {
      const std::string_view word = rest.substr(0, rest.find_first_of(".["));
      refuse(so_far(rest) + " has no " + in_quotes(word) + suggest(word, names));
    }
    rest.remove_prefix(length);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    return *found;
  }

  void into_designs(Node& designs, std::string_view rest) const {
    if (rest.starts_with('[')) {
      Node& design = item(designs, rest);
      return into_design(design, rest);
    }
    std::vector<std::string_view> names;
    for (Node& design : designs.items) {
      const std::string_view name = design_name(design);
      if (name.empty()) continue;
      names.push_back(name);
      if (rest.starts_with(name) && rest.substr(name.size()).starts_with('.')) return into_design(design, rest.substr(name.size() + 1));
    }
    if (const std::size_t dot = rest.find('.'); dot != std::string_view::npos)
      refuse("the scenario has no design " + in_quotes(rest.substr(0, dot)) + suggest(rest.substr(0, dot), names));
    if (selected_.empty()) {
      for (Node& design : designs.items) into_design(design, rest);
    } else {
      into_selected(designs, rest);
    }
  }

  /// A named design that is selected and not among the scenario's joins them.
  void into_selected(Node& designs, std::string_view rest) const {
    for (const std::string& wanted : selected_) {
      auto design = std::ranges::find(designs.items, wanted, design_name);
      if (design == designs.items.end()) {
        if (std::ranges::find(named_designs(), wanted, &Design::name) == named_designs().end()) continue;
        add_named_design(designs, wanted, here_);
        design = std::prev(designs.items.end());
      }
      into_design(*design, rest);
    }
  }

  void into_design(Node& design, std::string_view rest) const {
    if (!rest.empty() && design.kind == Node::Kind::kText) make_map(design, true);
    descend(design, rest);
  }

  const std::string& text_;
  std::span<const std::string> selected_;
  std::string_view path_;
  SourceLocation here_;  ///< the negative line that Document::at knows
  Node value_;
};

}  // namespace

void apply_overrides(Document& document, std::span<const std::string> overrides, std::span<const std::string> selected) {
  for (const std::string& text : overrides) {
    document.overrides.push_back(text);
    apply_override(document, document.overrides.size() - 1, selected);
  }
}

std::string_view overridden_section(std::string_view text) { return text.substr(0, text.find_first_of(".[=")); }

void apply_override(Document& document, std::size_t position, std::span<const std::string> selected) {
  Override(document.overrides[position], static_cast<int>(position) + 1, selected).apply(document.root);
}

bool is_overridden_name(const Node& design) {
  const Node* name = design.find("name");
  const Node* from = design.find("from");
  return name && from && name->line == from->line && name->column == from->column && name->text == from->text;
}

std::string_view design_name(const Node& design) {
  const Node* name = design.kind == Node::Kind::kText ? &design : design.find("name");
  return name ? std::string_view(name->text) : std::string_view();
}

void add_named_design(Node& designs, const std::string& name, const SourceLocation& here) {
  place(designs.items.emplace_back(text_node(name)), here);
}

}  // namespace tasktwin::scenarios
