#pragma once

#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "scenarios/document.hpp"

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

/// The schemas of the files, made from the tables of axes, generators, task fields and constants when first asked for.
const Schema& scenario_schema();
const Schema& machine_schema();
/// Of a machine file that starts from another (`from`).
const Schema& derived_machine_schema();
const Schema& claim_schema();
/// Of what 'calibrate --kernels' writes (scenarios/kernel_costs.hpp).
const Schema& kernel_costs_schema();

}  // namespace tasktwin::scenarios
