#pragma once

#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// A JSON Schema (draft 7), ready to check documents with valijson.
class Schema {
 public:
  explicit Schema(const nlohmann::json& json);
  ~Schema();

  /// Throws InputFaults for the document's own faults and all that do not fit the schema, in the file's order: line and column,
  /// path in the document, what is wrong and what would be right.
  void check(const Document& document) const;
  const nlohmann::json& json() const;

 private:
  std::vector<Fault> faults_of(const Document& document) const;

  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace tasktwin::scenarios
