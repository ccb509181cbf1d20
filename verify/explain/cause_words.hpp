#pragma once

#include <string_view>

#include "models/explain/idle_time.hpp"
#include "models/explain/observed_path.hpp"

namespace tasktwin::verify {

/// As sentences have it: what makes up a path, and what was so while a core ran no body.
std::string_view in_words(PathCause cause);
std::string_view in_words(IdleCause cause);

}  // namespace tasktwin::verify
