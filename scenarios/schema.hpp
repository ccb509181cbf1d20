#pragma once

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "scenarios/document.hpp"

namespace tasktwin::scenarios {

/// A JSON Schema (draft 7), ready to check documents with valijson.
class Schema {
 public:
  explicit Schema(const nlohmann::json& json);
  ~Schema();

  /// Throws InputError for the first fault in the file's order: its line and column, its path in the document, what is wrong and
  /// what would be right.
  void check(const Document& document) const;
  const nlohmann::json& json() const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

/// The schemas of the files, made from the tables of axes, generators, task fields and constants when first asked for.
const Schema& scenario_schema();
const Schema& machine_schema();
/// Of a machine file that starts from another (`from`).
const Schema& derived_machine_schema();
const Schema& claim_schema();

}  // namespace tasktwin::scenarios
