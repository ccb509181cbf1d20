#include "gpu/rerun/report.hpp"

#include <array>

#include <unistd.h>

namespace tasktwin::gpu::rerun {

namespace {

constexpr std::size_t kMaxRanges = 100;

/// A file of its own, also where the process has become another program, which keeps its number.
std::FILE* open_report(const std::string& folder) {
  constexpr int kMostPrograms = 100;
  for (int i = 0; i < kMostPrograms; ++i) {
    const std::string path = folder + "/" + std::to_string(::getpid()) + "-" + std::to_string(i) + kReportExtension;
    if (std::FILE* const file = std::fopen(path.c_str(), "wxe")) return file;
  }
  return nullptr;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
      out += escaped.data();
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string list_of(const std::vector<std::string>& objects) {
  std::string text = "[";
  for (const std::string& one : objects) text += (text.size() > 1 ? "," : "") + one;
  return text + "]";
}

void Fields::begin(std::string_view key) {
  if (!text_.empty()) text_ += ',';
  text_ += quoted(key) + ':';
}

Fields& Fields::text(std::string_view key, std::string_view value) { return json(key, quoted(value)); }

Fields& Fields::number(std::string_view key, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return json(key, text.data());
}

Fields& Fields::count(std::string_view key, std::uint64_t value) { return json(key, std::to_string(value)); }
Fields& Fields::integer(std::string_view key, std::int64_t value) { return json(key, std::to_string(value)); }
Fields& Fields::flag(std::string_view key, bool value) { return json(key, value ? "true" : "false"); }

Fields& Fields::numbers(std::string_view key, const std::vector<int>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const int value : values) texts.push_back(std::to_string(value));
  return json(key, list_of(texts));
}

Fields& Fields::json(std::string_view key, std::string_view value) {
  begin(key);
  text_ += value;
  return *this;
}

Report::Report(const std::string& folder) : process_(::getpid()), file_(open_report(folder)) {}

Report::~Report() {
  if (file_) std::fclose(file_);
}

void Report::line(std::string_view about, const std::string& json) {
  const std::lock_guard lock(mutex_);
  if (!file_ || ::getpid() != process_) return;
  const std::string text = "{" + quoted(about) + ":" + json + "}\n";
  std::fwrite(text.data(), 1, text.size(), file_);
  std::fflush(file_);
}

void Report::range_seen(std::string_view name) {
  {
    const std::lock_guard lock(mutex_);
    if (ranges_.size() >= kMaxRanges || !ranges_.emplace(name).second) return;
  }
  line("range", quoted(name));
}

}  // namespace tasktwin::gpu::rerun
