#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/importers/parts/imported.hpp"

namespace tasktwin::scenarios {

/// Those with the stricter recognisers come first.
std::span<const Importer> importers();

/// The one of that name, or, where `name` is empty, the first that recognises the file. Throws InputError with the valid names, or for a
/// file that is missing, empty or that none recognises.
const Importer& importer_of(const std::string& path, const std::string& name = {});

/// The first that recognises the file; null for none, also where the file cannot be read.
const Importer* recognised_importer(const std::string& path);

/// Reads `path`. Throws InputError as importer_of and the importer do, and for an option that the importer does not take.
Imported import_file(const std::string& path, const std::string& name, const ImportOptions& options);

/// Only the latter; `written`: how an option of that name is spelled where they were given.
void check_options(const std::string& path, const Importer& importer, const ImportOptions& options,
                   const std::function<std::string(std::string_view)>& written);

// The importers, one file each in scenarios/importers/ (csv_table.cpp, json_table.cpp; capture and kineto: kineto.cpp).
Importer capture_importer();
Importer kineto_importer();
Importer nsys_importer();
Importer chakra_importer();
Importer cuda_graph_dot_importer();
Importer dot_importer();
Importer wfformat_importer();
Importer stg_importer();
Importer starpu_importer();
Importer mpk_importer();
Importer pipeline_importer();
Importer csv_importer();
Importer json_importer();

}  // namespace tasktwin::scenarios
