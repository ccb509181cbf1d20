#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tasktwin::scenarios {

/// A directed graph in Graphviz's DOT language, by what it says and not by how it is drawn.
struct DotGraph {
  /// In the order written; defaults of `node [...]` and `edge [...]` come first.
  using Attributes = std::vector<std::pair<std::string, std::string>>;
  struct Node {
    std::string id;
    Attributes attributes;
    int line = 0;  ///< its first place
  };
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Attributes attributes;
    int line = 0;
  };
  std::vector<Node> nodes;  ///< in the order in which they first occur
  std::vector<Edge> edges;
};

/// Reads the whole language: quoted and HTML strings, ports, chains of edges, defaults, subgraphs as ends of edges. Strings keep their
/// escapes but \". Throws InputError with line and column for a syntax error, an undirected graph and a second graph.
DotGraph parse_dot(const std::string& file, std::string_view text);

}  // namespace tasktwin::scenarios
