#pragma once

#include "scenarios/document.hpp"

namespace tasktwin::scenarios {

/// The checked-in JSON Schemas, built into the library.
extern const char* const kScenarioSchemaText;
extern const char* const kMachineSchemaText;
extern const char* const kClaimSchemaText;

/// Checks `document` against a JSON Schema (draft 7) with valijson. Throws InputError for the first fault in the file's
/// order: its line and column, its path in the document, what is wrong and what would be right.
void check_schema(const Document& document, const char* schema_text);

}  // namespace tasktwin::scenarios
