#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// `graph.draws`: numbers that differ from run to run together, such as the tokens of each expert, in named tables with a row for each
/// draw. `graph.draw` says which row counts, in all of them the same; the first where it is left out.
class DrawnTables {
 public:
  /// Throws InputError at what is wrong with them in the graph of `document`. Contract: the document has passed the schema, and outlives
  /// this.
  explicit DrawnTables(const Document& document);

  /// The number at `place`, from 0, of the row that counts of the table `name`; nullopt where no table is called so. Throws InputError
  /// without location for a place that the row has not.
  std::optional<double> value(std::string_view name, double place) const;

  /// Throws InputError at the first table of which value() was never asked. Contract: `document` is that of the constructor.
  void require_asked(const Document& document) const;

  /// How many draws a document has; 0 where it has none.
  static std::size_t count(const Document& document);

 private:
  struct Table {
    std::string name;
    const Node* row = nullptr;
    mutable bool asked = false;
  };
  std::vector<Table> tables_;
};

}  // namespace tasktwin::scenarios
