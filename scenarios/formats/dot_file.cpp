#include "scenarios/formats/dot_file.hpp"

#include <algorithm>
#include <cctype>
#include <ranges>
#include <unordered_map>

#include "models/base/error.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

/// As many as values of a JSON file, about: a graph of two subgraphs may have far more edges than its file has bytes.
constexpr std::size_t kMostDotEdges = 10'000'000;

constexpr int kDeepest = 200;  ///< subgraphs within each other

struct Token {
  enum class Kind : std::uint8_t { kId, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
  bool quoted = false;  ///< it is no keyword
  int line = 1;
  int column = 1;
};

bool is_letter(char c) { return (std::isalpha(static_cast<unsigned char>(c)) != 0) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  Token next() {
    skip_blanks();
    Token token{Token::Kind::kEnd, {}, false, line_, column()};
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    token.kind = Token::Kind::kId;
    if (c == '"') {
      token.quoted = true;
      take_quoted(token);
    } else if (c == '<') {
      token.quoted = true;
      take_html(token);
    } else if (is_letter(c)) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) token.text += text_[at_++];
    } else if (is_digit(c) || c == '.' || (c == '-' && (is_digit(peek(1)) || peek(1) == '.'))) {
      token.text += text_[at_++];
      while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) token.text += text_[at_++];
      if (at_ < text_.size() && is_letter(text_[at_]))
        refuse(token, "the number " + in_quotes(token.text) + " runs into what follows; quotes make it one word");
    } else {
      token.kind = Token::Kind::kSign;
      take_sign(token);
    }
    return token;
  }

  [[noreturn]] void refuse(const Token& at, const std::string& why) const { throw InputError({file_, at.line, at.column}, why); }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  int column() const { return static_cast<int>(at_ - line_start_) + 1; }
  void step() {
    if (text_[at_++] != '\n') return;
    ++line_;
    line_start_ = at_;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        step();
      } else if ((c == '/' && peek(1) == '/') || (c == '#' && column() == 1)) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const Token open{Token::Kind::kSign, "/*", false, line_, column()};
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) refuse(open, "the comment that opens here is not closed");
        while (at_ < end + 2) step();
      } else {
        return;
      }
    }
  }

  /// Strings that '+' joins are one.
  void take_quoted(Token& token) {
    while (true) {
      const Token open{Token::Kind::kId, {}, true, line_, column()};
      for (++at_; at_ < text_.size() && text_[at_] != '"'; step()) {
        if (text_[at_] == '\\' && peek(1) == '\n') {
          step();
          continue;
        }
        if (text_[at_] == '\\' && peek(1) == '"')
          ++at_;
        else if (text_[at_] == '\\' && peek(1) == '\\')
          token.text += text_[at_++];
        token.text += text_[at_];
      }
      if (at_ == text_.size()) refuse(open, "the quote that opens here is not closed");
      ++at_;
      skip_blanks();
      if (peek(0) != '+') return;
      ++at_;
      skip_blanks();
      if (peek(0) != '"') refuse({Token::Kind::kSign, {}, false, line_, column()}, "a string in quotes must follow '+'");
    }
  }

  void take_html(Token& token) {
    const Token open = token;
    int depth = 0;
    do {
      if (at_ == text_.size()) refuse(open, "the '<' that opens here is not closed");
      depth += text_[at_] == '<' ? 1 : text_[at_] == '>' ? -1 : 0;
      token.text += text_[at_];
      step();
    } while (depth > 0);
  }

  void take_sign(Token& token) {
    constexpr std::string_view kSigns = "{}[]=;,:";
    const char c = text_[at_];
    if (c == '-' && (peek(1) == '>' || peek(1) == '-')) {
      token.text = text_.substr(at_, 2);
      at_ += 2;
    } else if (kSigns.find(c) != std::string_view::npos) {
      token.text = c;
      ++at_;
    } else {
      refuse(token, in_quotes(std::string(1, c)) + " does not belong in a graph in the DOT language");
    }
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

class Parser {
 public:
  Parser(const std::string& file, std::string_view text) : lexer_(file, text) { advance(); }

  DotGraph parse() {
    if (is_word("strict")) advance();
    if (is_word("graph")) lexer_.refuse(token_, "the graph is undirected; dependencies need a 'digraph'");
    if (!is_word("digraph")) lexer_.refuse(token_, "must begin with 'digraph', not " + seen());
    advance();
    if (token_.kind == Token::Kind::kId) advance();
    expect("{");
    statements(0);
    if (token_.kind != Token::Kind::kEnd) lexer_.refuse(token_, "only one graph is read; " + seen() + " stands behind its end");
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) add_defaults(graph_.nodes[i].attributes, defaults_[i]);
    return std::move(graph_);
  }

 private:
  using Ends = std::vector<std::uint32_t>;

  struct Scope {
    DotGraph::Attributes node;
    DotGraph::Attributes edge;
  };

  void advance() { token_ = lexer_.next(); }
  std::string seen() const { return token_.kind == Token::Kind::kEnd ? "the end of the file" : in_quotes(token_.text); }
  bool is_sign(std::string_view sign) const { return token_.kind == Token::Kind::kSign && token_.text == sign; }
  bool is_arrow() const { return is_sign("->") || is_sign("--"); }
  bool is_word(std::string_view word) const {
    return token_.kind == Token::Kind::kId && !token_.quoted &&
           std::ranges::equal(token_.text, word, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  }
  void expect(std::string_view sign) {
    if (!is_sign(sign)) lexer_.refuse(token_, "'" + std::string(sign) + "' must stand here, not " + seen());
    advance();
  }
  std::string take_id() {
    if (token_.kind != Token::Kind::kId) lexer_.refuse(token_, "a name must stand here, not " + seen());
    std::string text = std::move(token_.text);
    advance();
    return text;
  }

  /// Up to the '}' that ends them, which is taken.
  Ends statements(int depth) {
    if (depth > kDeepest) lexer_.refuse(token_, "subgraphs are nested deeper than " + std::to_string(kDeepest) + " levels");
    Ends members;
    while (!is_sign("}")) {
      if (token_.kind == Token::Kind::kEnd) lexer_.refuse(token_, "a '}' is missing: the file ends within the graph");
      statement(members, depth);
      if (is_sign(";") || is_sign(",")) advance();
    }
    advance();
    return members;
  }

  void statement(Ends& members, int depth) {
    for (const auto& [word, defaults] : {std::pair{"node", &scope_.node}, std::pair{"edge", &scope_.edge}, std::pair{"graph", &unused_}}) {
      if (!is_word(word)) continue;
      advance();
      while (is_sign("[")) attributes(*defaults);
      return;
    }
    const Token start = token_;
    Ends left = ends(depth);
    if (is_sign("=")) {  // of the graph itself; the name before it made a node, which goes again
      advance();
      take_id();
      if (left.size() == 1 && last_made_ == left.front()) unmake();
      return;
    }
    members.insert(members.end(), left.begin(), left.end());
    if (is_arrow()) {
      edges(std::move(left), members, depth, start.line);
      return;
    }
    DotGraph::Attributes given;
    while (is_sign("[")) attributes(given);
    for (const std::uint32_t node : left) {
      auto& all = graph_.nodes[node].attributes;
      all.insert(all.end(), given.begin(), given.end());
    }
  }

  void edges(Ends left, Ends& members, int depth, int line) {
    std::vector<Ends> chain;
    chain.push_back(std::move(left));
    while (is_arrow()) {
      if (is_sign("--")) lexer_.refuse(token_, "'--' is an edge without direction; dependencies need '->'");
      advance();
      chain.push_back(ends(depth));
      members.insert(members.end(), chain.back().begin(), chain.back().end());
    }
    DotGraph::Attributes given;
    while (is_sign("[")) attributes(given);
    add_defaults(given, scope_.edge);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      if (chain[i].size() * chain[i + 1].size() > kMostDotEdges - std::min(kMostDotEdges, graph_.edges.size()))
        lexer_.refuse(token_, "the edges up to here are more than " + std::to_string(kMostDotEdges));
      for (const std::uint32_t from : chain[i]) {
        for (const std::uint32_t to : chain[i + 1]) graph_.edges.push_back({from, to, given, line});
      }
    }
  }

  /// One end of an edge: a node, or all those of a subgraph.
  Ends ends(int depth) {
    last_made_ = kNone;
    if (is_word("subgraph")) {
      advance();
      if (token_.kind == Token::Kind::kId) advance();
      if (!is_sign("{")) lexer_.refuse(token_, "a subgraph's body must begin here, with '{'");
    }
    if (is_sign("{")) {
      advance();
      const Scope outer = scope_;
      Ends members = statements(depth + 1);
      scope_ = outer;
      last_made_ = kNone;
      std::ranges::sort(members);
      const auto repeated = std::ranges::unique(members);
      members.erase(repeated.begin(), repeated.end());
      return members;
    }
    const int line = token_.line;
    const std::uint32_t node = node_called(take_id(), line);
    for (int part = 0; part < 2 && is_sign(":"); ++part) {  // a port, a point of the compass
      advance();
      take_id();
    }
    return {node};
  }

  std::uint32_t node_called(const std::string& id, int line) {
    const auto [found, is_new] = by_id_.emplace(id, static_cast<std::uint32_t>(graph_.nodes.size()));
    if (is_new) {
      graph_.nodes.push_back({id, {}, line});
      defaults_.push_back(scope_.node);
      last_made_ = found->second;
    }
    return found->second;
  }

  void unmake() {
    by_id_.erase(graph_.nodes.back().id);
    graph_.nodes.pop_back();
    defaults_.pop_back();
  }

  /// Those that the node or edge has not stated itself; of several of one name the last.
  static void add_defaults(DotGraph::Attributes& given, const DotGraph::Attributes& defaults) {
    DotGraph::Attributes all;
    const auto states = [](const DotGraph::Attributes& attributes, const std::string& name) {
      return std::ranges::any_of(attributes, [&name](const auto& other) { return other.first == name; });
    };
    for (const auto& one : defaults | std::views::reverse) {
      if (!states(given, one.first) && !states(all, one.first)) all.push_back(one);
    }
    std::ranges::reverse(all);
    all.insert(all.end(), given.begin(), given.end());
    given = std::move(all);
  }

  void attributes(DotGraph::Attributes& into) {
    expect("[");
    while (!is_sign("]")) {
      std::string key = take_id();
      std::string value = "true";
      if (is_sign("=")) {
        advance();
        value = take_id();
      }
      into.emplace_back(std::move(key), std::move(value));
      if (is_sign(",") || is_sign(";")) advance();
    }
    advance();
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  Lexer lexer_;
  Token token_;
  DotGraph graph_;
  std::unordered_map<std::string, std::uint32_t> by_id_;
  Scope scope_;
  std::vector<DotGraph::Attributes> defaults_;  ///< by node: those that held where it was named first
  DotGraph::Attributes unused_;
  std::uint32_t last_made_ = kNone;
};

}  // namespace

DotGraph parse_dot(const std::string& file, std::string_view text) { return Parser(file, text).parse(); }

}  // namespace tasktwin::scenarios
