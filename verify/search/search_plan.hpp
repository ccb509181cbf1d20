#pragma once

#include <string>
#include <vector>

#include "verify/output/text/json.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/search/design_search.hpp"

namespace tasktwin::verify {

/// The request of a search, as in its command line; the file of its results contains it.
struct SearchPlan {
  std::vector<std::string> scenarios = {};
  std::string designs = {};            ///< "a,b"; empty for those of the first scenario's file
  std::vector<std::string> vary = {};  ///< "path=v1,v2,…"
  SearchSettings settings = {};
};

/// With a hash of each scenario's file.
Json to_json(const SearchPlan& plan);

/// Throws InputError, said of `file`, for what to_json cannot have written, or where a scenario's file is no longer what it was.
SearchPlan plan_from(const Json& json, const std::string& file);

SearchSpace space_of(const SearchPlan& plan);

/// Whether `file` is an SQLite database, by its first bytes.
bool is_database(const std::string& file);

/// The best point of each design of the search whose results are in `file`, as designs named "design#point", on its scenarios. Only those
/// of `designs` ("a,b") where that is not empty; a remark says of which designs no point ran. Throws InputError where the search varies
/// more than designs: its points are no designs then.
std::vector<Selection> best_of_search(const std::string& file, const std::string& designs);

}  // namespace tasktwin::verify
