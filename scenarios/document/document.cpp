#include "scenarios/document/document.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "scenarios/document/characters.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/document/yaml_hint.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/files/text_file.hpp"

namespace tasktwin::scenarios {

namespace {

/// An unclosed bracket looks to the parser like a key that is a list or a map.
constexpr const char* kNotAKey = "a key must be a word; or a bracket before it is not closed";

constexpr int one_based(int yaml_position) { return yaml_position + 1; }

/// Builds the tree from the parser's events, so that every limit holds before memory is spent.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(Document& document, std::string_view text) : document_(document), text_(text) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) fail(mark, "a second document begins here; a file holds one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(mark, {}); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    note(mark, "aliases (*name) are not supported; write the value out");
    add(mark, {});
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    check_characters(mark, value);
    if (value.size() > kMaxScalarBytes) fail(mark, "the text is longer than " + std::to_string(kMaxScalarBytes) + " bytes");
    // The parser takes a text that ends within quotes as if they were closed.
    if (tag == "!" && !quote_closes(text_, static_cast<std::size_t>(mark.pos))) fail(mark, "a quote opens here and never closes");
    if (expects_key()) {
      open_.back().keys.push_back({value, one_based(mark.line), one_based(mark.column)});
      return;
    }
    check_tag(mark, tag);
    Node node;
    try {
      node = tag == "!" ? text_node(value) : typed_scalar(value);
    } catch (const InputError& wrong) {
      note(mark, wrong.what());
    }
    add(mark, std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::kMap);
  }
  void OnMapEnd() override {
    drop_duplicates(open_.back());
    close();
  }

  int documents() const { return documents_; }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw InputError({document_.file, one_based(mark.line), one_based(mark.column)}, with_path(message));
  }

  /// A fault after which the parser can continue.
  void note(const YAML::Mark& mark, const std::string& message) {
    document_.faults.push_back({one_based(mark.line), one_based(mark.column), with_path(message)});
  }

  /// An escape in quotes can make any character; a terminal would obey some.
  void check_characters(const YAML::Mark& mark, const std::string& value) {
    if (has_control_character(value)) note(mark, std::string(kHasControlCharacter));
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") note(mark, "tags (" + tag + ") are not supported");
  }

  std::string with_path(const std::string& message) const {
    const std::string path = open_path();
    return path.empty() ? message : path + ": " + message;
  }

  std::string open_path() const {
    std::string path;
    for (const Node& node : open_) {
      if (node.kind == Node::Kind::kList) {
        path += "[" + std::to_string(node.items.size()) + "]";
      } else if (node.keys.size() > node.items.size()) {
        path += (path.empty() ? "" : ".") + node.keys.back().text;
      }
    }
    return path;
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().kind == Node::Kind::kMap && open_.back().keys.size() == open_.back().items.size();
  }

  void open(const YAML::Mark& mark, const std::string& tag, Node::Kind kind) {
    if (expects_key()) fail(mark, kNotAKey);
    check_tag(mark, tag);
    if (open_.size() >= kMaxDepth) fail(mark, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
    count(mark);
    Node node;
    node.kind = kind;
    place(node, mark);
    open_.push_back(std::move(node));
  }

  void close() {
    Node node = std::move(open_.back());
    open_.pop_back();
    attach(std::move(node));
  }

  void add(const YAML::Mark& mark, Node node) {
    if (expects_key()) fail(mark, kNotAKey);
    count(mark);
    place(node, mark);
    attach(std::move(node));
  }

  void attach(Node node) {
    if (open_.empty()) {
      document_.root = std::move(node);
    } else {
      open_.back().items.push_back(std::move(node));
    }
  }

  static void place(Node& node, const YAML::Mark& mark) {
    node.line = one_based(mark.line);
    node.column = one_based(mark.column);
  }

  void count(const YAML::Mark& mark) {
    if (++nodes_ > kMaxNodes) fail(mark, "more than " + std::to_string(kMaxNodes) + " values; a generator makes large graphs");
  }

  /// Of keys that occur twice the first counts.
  void drop_duplicates(Node& map) {
    std::vector<std::size_t> by_key(map.keys.size());
    std::iota(by_key.begin(), by_key.end(), std::size_t{0});
    std::ranges::sort(by_key, {}, [&map](std::size_t i) { return std::pair(std::string_view(map.keys[i].text), i); });
    std::vector<bool> again(map.keys.size());
    for (std::size_t first = 0, i = 1; i < by_key.size(); ++i) {
      const Node::Key& key = map.keys[by_key[i]];
      const Node::Key& before = map.keys[by_key[first]];
      if (key.text != before.text) {
        first = i;
        continue;
      }
      again[by_key[i]] = true;
      document_.faults.push_back(
          {key.line, key.column,
           "the key " + in_quotes(key.text) + " stands twice in one map (first in line " + std::to_string(before.line) + ")"});
    }
    if (std::ranges::find(again, true) == again.end()) return;
    std::size_t position = 0;
    std::erase_if(map.keys, [&](const Node::Key&) { return again[position++]; });
    position = 0;
    std::erase_if(map.items, [&](const Node&) { return again[position++]; });
  }

  Document& document_;
  std::string_view text_;
  std::vector<Node> open_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

}  // namespace

const Node::Key* Node::find_key(std::string_view key) const {
  const auto found = std::ranges::find(keys, key, &Key::text);
  return found == keys.end() ? nullptr : &*found;
}

const Node* Node::find(std::string_view key) const {
  const Key* found = find_key(key);
  return found ? &items[static_cast<std::size_t>(found - keys.data())] : nullptr;
}

SourceLocation Document::at(int line, int column) const {
  if (line >= 0) return {file, line, column};
  return {"override " + in_quotes(overrides.at(static_cast<std::size_t>(-line) - 1)), 0, 0};
}

Document read_document(const std::string& path) { return parse_document(path, read_text_file(path)); }

Document parse_document(const std::string& file, const std::string& text) {
  check_text(file, text);
  Document document{file, {}};
  TreeBuilder builder(document, text);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& wrong) {
    const bool placed = !wrong.mark.is_null();
    throw InputError({file, placed ? one_based(wrong.mark.line) : 0, placed ? one_based(wrong.mark.column) : 0},
                     "not valid YAML: " + wrong.msg + (placed ? yaml_hint(text, wrong.mark.line) : ""));
  }
  if (builder.documents() == 0) throw InputError({file}, "holds nothing but comments");
  return document;
}

}  // namespace tasktwin::scenarios
