#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/timeline.hpp"

namespace tasktwin::verify {

/// A timeline as compact text: three tables, each headed by its name and number of rows. In `tasks`, in TaskId order, a
/// row's first observed phase is the difference from that of the row before, every further one from the phase before it
/// in its row; what was not observed is empty. Spans and queue samples are differences from the row before. All in ns.
/// The cores' types are not part of it: they stand among the facts.
std::string encode_timeline(const Timeline& timeline);

/// The inverse. `cores` are the timeline's cores. Throws InputError with line and column of `source`.
Timeline decode_timeline(std::string_view text, std::vector<CoreType> cores, const std::filesystem::path& source);

}  // namespace tasktwin::verify
