#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// Of all operators of a graph.
inline constexpr std::size_t kMostPieces = 300'000;

/// Of an operator, and how it is cut along it.
struct Dimension {
  std::string name;
  std::int64_t extent = 1;
  std::int64_t piece = 1;  ///< the last one may be smaller

  std::size_t pieces() const { return static_cast<std::size_t>((extent + piece - 1) / piece); }
  std::int64_t first(std::size_t place) const { return static_cast<std::int64_t>(place) * piece; }
  std::int64_t size(std::size_t place) const;
};

/// The pieces of an operator: all combinations of its dimensions' pieces, the last dimension the quickest.
class Pieces {
 public:
  /// Throws InputError at the place of what is wrong in `extents` and `cut`, maps of `document` or null; `path` is the operator's.
  Pieces(const Document& document, const Node* extents, const Node* cut, const std::string& path);

  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  std::optional<std::size_t> find(std::string_view dimension) const;
  /// That `word` is none, and which there are.
  std::string no_dimension(std::string_view word) const;
  /// How many there are.
  std::size_t count() const { return count_; }
  /// The place of the piece along each dimension.
  std::vector<std::size_t> places(std::size_t piece) const;
  std::size_t at(const std::vector<std::size_t>& places) const;
  /// ".1.0": its places along the dimensions that are cut; nothing where none is.
  std::string suffix(std::size_t piece) const;
  /// The value of `D` (its size along D), `D.first`, `D.index`, `D.pieces` or `D.extent` of a piece; nullopt for other names.
  std::optional<double> value(std::string_view name, const std::vector<std::size_t>& places) const;
  /// Without the dimensions of those names.
  Pieces without(const std::vector<std::string>& names) const;

 private:
  Pieces() = default;
  std::vector<Dimension> dimensions_;
  std::size_t count_ = 1;
};

}  // namespace tasktwin::scenarios
