#pragma once

#include <string>
#include <vector>

namespace tasktwin::verify {

/// What the command line says about claims.
struct ClaimOptions {
  std::vector<std::string> claims;  ///< ids of shipped ones, or files; empty for all shipped
  bool recorded = false;            ///< against recordings, even where there is a GPU
  bool live = false;                ///< on the GPU, and nothing else
  int repeats = 7;                  ///< plain runs of each side
  std::string record;               ///< a folder; empty for none
  bool strict = false;              ///< whether it fails if a comparison is not measured, or the prediction says otherwise
  bool json = false;
};

/// `tasktwin verify --claims`: holds every claim against measurements and predictions and prints one table. Returns 1 if a live run
/// failed, and under `strict` as said there. Throws InputError for a claim's file that is wrong.
int verify_claims(const ClaimOptions& options);

}  // namespace tasktwin::verify
