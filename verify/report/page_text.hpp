#pragma once

#include <optional>
#include <string_view>

namespace tasktwin::verify {

/// Where the page's data go, in base64. Occurs once in the page before any script.
inline constexpr std::string_view kReportDataMarker = "@TASKTWIN_REPORT_DATA@";

/// The design-review page without its data: one HTML text with its scripts and styles inside, bundled when this was built.
/// nullopt where it was built without the page.
std::optional<std::string_view> report_page();
/// What was missing then; empty where there is a page.
std::string_view why_no_report_page();

}  // namespace tasktwin::verify
