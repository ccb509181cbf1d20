#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tasktwin::verify {

/// What the command line says about measurements of others.
struct RefereeOptions {
  std::string folder;                ///< that has the files, by owner, repository and path
  std::vector<std::string> sources;  ///< names; empty for all
  std::size_t jobs = 1;
  std::string format = "text";  ///< text, md or json
};

/// `tasktwin verify --public`: predicts what others measured, and prints how far off that is. Throws InputError for an unknown source, and
/// as read_public_sources and referee do.
int verify_public(const RefereeOptions& options);

}  // namespace tasktwin::verify
