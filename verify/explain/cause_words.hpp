#pragma once

#include <string_view>

#include "models/explain/idle_time.hpp"
#include "models/explain/observed_path.hpp"

namespace tasktwin::verify {

/// Each cause in the words of a sentence: what a path consists of, and what held while a core ran no body. docs/concepts.md defines them.
std::string_view in_words(PathCause cause);
std::string_view in_words(IdleCause cause);

}  // namespace tasktwin::verify
