#include "verify/recordings/recorded_lines.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/recordings/recorded_values.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;
using scenarios::JsonPlace;

namespace {

constexpr std::int64_t kFormat = 2;

std::string line_text(const Json& json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n'; }

}  // namespace

RecordedLines::RecordedLines(const fs::path& path, std::string_view text) {
  const std::string file = path.string();
  for (std::size_t at = 0; at < text.size() || lines_.empty();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    // After as many empty lines, so that a message names this one.
    const std::string line = std::string(lines_.size(), '\n').append(text.substr(at, end - at));
    lines_.push_back({fmt::format("{}:{}", file, lines_.size() + 1), scenarios::parse_json(file, line)});
    at = end + 1;
  }
  const JsonPlace head = JsonPlace(lines_.front().place, lines_.front().value).object_of({"format", "axes"});
  head.at("format").whole(kFormat, kFormat);
  axes_from(head.at("axes"));
}

std::string RecordedLines::axes(const JsonPlace& place) const {
  axes_from(place);
  Json all = lines_.front().value["axes"];
  for (const auto& [axis, value] : place.value().items()) all[axis] = value;
  return all.dump();
}

RecordedLines read_recorded_lines(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  return {path, scenarios::read_whole_file(path.string(), kMaxFactsBytes)};
}

Json differing_axes(const std::string& axes) {
  const Json all = Json::parse(axes);
  const Json defaults = design_to_json(Design{});
  Json differing = Json::object();
  for (const auto& [axis, value] : all.items()) {
    if (!defaults.contains(axis) || defaults[axis] != value) differing[axis] = value;
  }
  return differing;
}

std::string recorded_lines_text(const std::vector<Json>& entries) {
  std::string text = line_text({{"format", kFormat}, {"axes", design_to_json(Design{})}});
  for (const Json& entry : entries) text += line_text(entry);
  return text;
}

FolderLock::FolderLock(const fs::path& folder) : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) == 0) return;
  const std::string why = std::error_code(errno, std::generic_category()).message();
  if (descriptor_ >= 0) ::close(descriptor_);
  throw RunError(fmt::format("cannot lock the folder '{}': {}", folder.string(), why));
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace tasktwin::verify
