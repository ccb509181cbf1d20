#pragma once

#include <nlohmann/json.hpp>

namespace tasktwin::scenarios::schema {

/// The list `graph.operators`: operators that are cut into pieces, which become the tasks.
nlohmann::json operators();

/// `graph.draws` and `graph.draw`.
nlohmann::json draws();
nlohmann::json draw();

}  // namespace tasktwin::scenarios::schema
