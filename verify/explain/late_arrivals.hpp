#pragma once

#include <string>
#include <vector>

#include "models/explain/observed_path.hpp"

namespace tasktwin::verify {

/// On a run's path, the time in which all others of collectives, or of tasks that meet, waited for the last of theirs.
struct LateWait {
  std::string last;     ///< that task, or the common part of several names
  std::string because;  ///< what took most of the path meanwhile, quoted if it is a task
  Duration time{};
  bool collective = false;
};

/// The longest first, five at most.
std::vector<LateWait> late_waits(const TaskGraph& graph, const ObservedPath& path);

/// "all other ranks wait 890.3 µs for 'sum@0', late because of 'slow'".
std::string in_words(const LateWait& wait);

}  // namespace tasktwin::verify
