#pragma once

#include <string>
#include <string_view>

#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// Throws InputError that says what is missing, if this build cannot write design-review pages.
void require_report_page();

/// The design-review page with `data` (ReportData of page/src/data.ts) inside, deflated and in base64: the same data give the
/// same bytes. Throws InputError as require_report_page() does.
std::string report_page_with(const Json& data);

/// `page` with its title and data in place. Contract: `page` has kReportDataMarker.
std::string fill_page(std::string_view page, const Json& data);

/// `text` as the content of an HTML element.
std::string html_text(std::string_view text);

}  // namespace tasktwin::verify
