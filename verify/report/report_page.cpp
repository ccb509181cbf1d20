#include "verify/report/report_page.hpp"

#include <cassert>

#include "models/base/error.hpp"
#include "verify/output/files/compressed.hpp"
#include "verify/report/page_text.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::string_view kTitle = "<title>";

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&bytes, i](std::size_t k) { return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u; };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    text += digits[group >> 18];
    text += digits[group >> 12 & 63];
    text += i + 1 < bytes.size() ? digits[group >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? digits[group & 63] : '=';
  }
  return text;
}

}  // namespace

void require_report_page() {
  if (!report_page()) {
    throw InputError("--report: this tasktwin was built without the design-review page: " + std::string(why_no_report_page()) +
                     "; cure that and build again");
  }
}

std::string report_page_with(const Json& data) {
  require_report_page();
  return fill_page(*report_page(), data);
}

std::string fill_page(std::string_view page, const Json& data) {
  const std::size_t marker = page.find(kReportDataMarker);
  assert(marker != std::string_view::npos);
  std::string head(page.substr(0, marker));
  if (const std::size_t title = head.find(kTitle); title != std::string::npos) {
    const std::size_t begin = title + kTitle.size();
    head.replace(begin, head.find("</title>", begin) - begin, html_text(data.at("title").get<std::string>()));
  }
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  return head + base64(zlib_deflate(text)) + std::string(page.substr(marker + kReportDataMarker.size()));
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace tasktwin::verify
