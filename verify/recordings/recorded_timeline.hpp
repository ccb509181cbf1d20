#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/run/timeline.hpp"

namespace tasktwin::verify {

/// A timeline as compact text: three tables, each headed by its name and number of rows. In `tasks`, in TaskId order, a
/// row's first observed phase is the difference from that of the row before, every further one from the phase before it
/// in its row; what was not observed is empty. Spans and queue samples are differences from the row before. All in ns.
/// The cores' types are not part of it: they are among the facts.
std::string encode_timeline(const Timeline& timeline);

/// The most text that a timeline of `tasks` tasks makes.
std::size_t most_timeline_bytes(std::size_t tasks);

/// The text of a timeline that was compressed by gzip. Throws InputError naming `source` as soon as it is not of `tasks` tasks, longer than
/// theirs can be, or damaged.
std::string unpack_timeline(std::string_view bytes, std::size_t tasks, const std::filesystem::path& source);

/// The inverse of encode_timeline. `cores` are the timeline's cores. Throws InputError with line and column of `source`, for
/// times out of order, too, and for those whose sums could overflow.
Timeline decode_timeline(std::string_view text, std::vector<CoreType> cores, const std::filesystem::path& source);

}  // namespace tasktwin::verify
