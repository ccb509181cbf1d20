#include "verify/report/page_text.hpp"

namespace tasktwin::verify {

std::optional<std::string_view> report_page() { return std::nullopt; }

}  // namespace tasktwin::verify
