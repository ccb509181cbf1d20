#pragma once

#include <string>

#include "models/base/error.hpp"

namespace tasktwin::scenarios {

/// Every fault of `error` as a message of its own, "error: " in front of each, and how many more there are where they are too many to tell.
std::string fault_messages(const InputError& error);

}  // namespace tasktwin::scenarios
