#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/document/document.hpp"
#include "scenarios/operators/pieces.hpp"

namespace tasktwin::scenarios {

/// Dimensions of an operator with those of another that they are the same as.
using Same = std::vector<std::pair<std::size_t, std::size_t>>;

/// An operator that is waited for, or done along with a piece.
struct Wait {
  const Node* at = nullptr;  ///< the entry of `after`
  std::size_t before = 0;    ///< the operator
  Same same = {};
};

/// An entry of `graph.operators`.
struct Operator {
  const Node& node;
  std::string path;
  std::string name;
  Pieces pieces;
  std::vector<std::string> summed = {};  ///< dimensions that it sums over
  std::optional<Pieces> sums = {};       ///< the tasks that do so, where it is cut along one of them
  bool fused = false;                    ///< the pieces that wait for it do it themselves, each for its own part
  std::vector<Wait> waits = {};          ///< for none that is fused
  std::vector<Wait> along = {};          ///< fused operators that its pieces do

  /// What others wait for.
  const Pieces& result() const { return sums ? *sums : pieces; }
  std::string result_name(std::size_t piece) const { return name + (sums ? ".sum" : "") + result().suffix(piece); }
};

/// Throws InputFaults, each at its place, for names that are not there or twice and sizes that contradict each other.
std::vector<Operator> read_operators(const Document& document, const Node& list);

}  // namespace tasktwin::scenarios
