#include "scenarios/operators/pieces.hpp"

#include <algorithm>

#include "models/base/names.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/operators/expression.hpp"

namespace tasktwin::scenarios {

std::int64_t Dimension::size(std::size_t place) const { return std::min(piece, extent - first(place)); }

Pieces::Pieces(const Document& document, const Node* extents, const Node* cut, const std::string& path) {
  for (std::size_t i = 0; extents && i < extents->keys.size(); ++i) {
    const Node::Key& key = extents->keys[i];
    if (!may_be_named(key.text))
      throw InputError(
          document.at(key),
          path + ".extents: the name of a dimension is letters, digits and '_', and not min or max; this is " + in_quotes(key.text));
    dimensions_.push_back({key.text, extents->items[i].integer, extents->items[i].integer});
  }
  for (std::size_t i = 0; cut && i < cut->keys.size(); ++i) {
    const Node::Key& key = cut->keys[i];
    const auto dimension = std::ranges::find(dimensions_, key.text, &Dimension::name);
    if (dimension == dimensions_.end()) throw InputError(document.at(key), path + ".cut: " + no_dimension(key.text));
    dimension->piece = cut->items[i].integer;
    if (dimension->piece > dimension->extent)
      throw InputError(document.at(cut->items[i]), path + ".cut." + key.text + ": is " + std::to_string(dimension->piece) +
                                                       ", but the whole has " + std::to_string(dimension->extent));
  }
  for (const Dimension& dimension : dimensions_) {
    if (dimension.pieces() > kMostPieces / count_)
      throw InputError(document.at(*cut),
                       path + ".cut: it has more than " + std::to_string(kMostPieces) + " pieces; cut it into larger ones");
    count_ *= dimension.pieces();
  }
}

std::optional<std::size_t> Pieces::find(std::string_view dimension) const {
  const auto found = std::ranges::find(dimensions_, dimension, &Dimension::name);
  if (found == dimensions_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - dimensions_.begin());
}

std::string Pieces::no_dimension(std::string_view word) const {
  std::vector<std::string_view> names;
  names.reserve(dimensions_.size());
  for (const Dimension& one : dimensions_) names.push_back(one.name);
  return "there is no dimension " + in_quotes(word) + (names.empty() ? "; 'extents' names none" : suggest(word, names));
}

std::vector<std::size_t> Pieces::places(std::size_t piece) const {
  std::vector<std::size_t> places(dimensions_.size());
  for (std::size_t d = dimensions_.size(); d-- > 0;) {
    places[d] = piece % dimensions_[d].pieces();
    piece /= dimensions_[d].pieces();
  }
  return places;
}

std::size_t Pieces::at(const std::vector<std::size_t>& places) const {
  std::size_t piece = 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) piece = piece * dimensions_[d].pieces() + places[d];
  return piece;
}

std::string Pieces::suffix(std::size_t piece) const {
  const std::vector<std::size_t> at = places(piece);
  std::string text;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (dimensions_[d].pieces() > 1) text += "." + std::to_string(at[d]);
  }
  return text;
}

std::optional<double> Pieces::value(std::string_view name, const std::vector<std::size_t>& places) const {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const auto d = find(name.substr(0, dot));
  if (!d) return std::nullopt;
  const Dimension& dimension = dimensions_[*d];
  const std::string_view what = name.substr(dot);
  if (what.empty()) return static_cast<double>(dimension.size(places[*d]));
  if (what == ".first") return static_cast<double>(dimension.first(places[*d]));
  if (what == ".index") return static_cast<double>(places[*d]);
  if (what == ".pieces") return static_cast<double>(dimension.pieces());
  if (what == ".extent") return static_cast<double>(dimension.extent);
  return std::nullopt;
}

Pieces Pieces::without(const std::vector<std::string>& names) const {
  Pieces rest;
  for (const Dimension& dimension : dimensions_) {
    if (std::ranges::find(names, dimension.name) != names.end()) continue;
    rest.dimensions_.push_back(dimension);
    rest.count_ *= dimension.pieces();
  }
  return rest;
}

}  // namespace tasktwin::scenarios
