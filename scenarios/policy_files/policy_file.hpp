#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "models/policies/plug_in.hpp"

namespace tasktwin::scenarios {

/// The policies that the shared object `path` defines (models/policies/plug_in.hpp). It is loaded in a process of its own first, which it
/// may end, and then here, where it stays until this process ends; a file that has not changed is loaded once.
/// Throws InputError, which begins with the path, if there is none, if it cannot be loaded, if it is no object with policies, or of another
/// version of their interface; RunError if it ends the process that it is tried in.
std::shared_ptr<const PolicyTable> load_policies(const std::string& path);

/// The one of `table` named `name`, or the only one where that is empty, for the axis of a design. Throws InputError, with what there is.
std::shared_ptr<const PolicyEntry> find_policy(const std::shared_ptr<const PolicyTable>& table, std::string_view axis,
                                               std::string_view name);

}  // namespace tasktwin::scenarios
