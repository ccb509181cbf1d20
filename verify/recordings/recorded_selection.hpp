#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verify/predict/prediction.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {

/// A case that cannot be verified, and why.
struct LeftOut {
  std::string scenario;
  std::string design;
  std::string reason;
};

/// Scenarios with a recording for each of their selected designs, in the same order.
struct RecordedSelections {
  std::vector<Selection> selections;
  std::vector<std::vector<RecordedCase>> measured;
  std::vector<std::filesystem::path> files;  ///< every file read
  std::vector<LeftOut> left_out;
};

/// The recordings of `selections` under `folder`. A design without one is left out, or refused by InputError where
/// `designs_named`; so is a scenario without any.
RecordedSelections find_recordings(std::vector<Selection> selections, bool designs_named, const std::filesystem::path& folder);

/// Every case recorded under `folder`, limited to the designs in `designs` ("a,b") unless that is empty; predicted for `machine` where
/// that is given, else for the machine that it was recorded on. Throws InputError if there is none.
RecordedSelections all_recordings(const std::filesystem::path& folder, const std::string& designs, const std::string& machine,
                                  Progress& progress);

}  // namespace tasktwin::verify
