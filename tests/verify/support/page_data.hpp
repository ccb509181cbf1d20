#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "models/run/timeline.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/report/report_data.hpp"

namespace tasktwin::tests {

/// The bytes of base64 text (RFC 4648). Throws std::runtime_error for anything else.
std::string from_base64(std::string_view text);

/// A zlib stream (RFC 1950), unpacked. Throws std::runtime_error if it is damaged.
std::string inflated(std::string_view bytes);

/// The data of a design-review page, by its element with the id "report-data". Throws std::runtime_error if there is none.
nlohmann::json page_data(std::string_view html);

/// Everything of a timeline that RunData tells, read back from its columns; the rest as in `like`.
Timeline run_from(const nlohmann::json& run, const Timeline& like);

/// What `compare` would find.
verify::CompareOutcome compared(const scenarios::Scenario& scenario, const std::vector<Design>& designs, std::uint64_t runs = 1);

/// scenario_data() of that, through its text; measurements from `recordings`, none where that is empty.
nlohmann::json scenario_page(const scenarios::Scenario& scenario, const verify::CompareOutcome& outcome,
                             const std::filesystem::path& recordings = {});

}  // namespace tasktwin::tests
