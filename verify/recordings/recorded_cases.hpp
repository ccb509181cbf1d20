#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {

/// The file with the cases recorded on a machine.
std::filesystem::path cases_path(const std::filesystem::path& folder, std::string_view machine);
/// The file beside it with a case's timeline.
std::filesystem::path timeline_path(const std::filesystem::path& cases, std::string_view scenario, std::string_view design);

/// Makes the folder that write_recording will write to. Throws RunError if it cannot be made or written to.
void prepare_recording_folder(const std::filesystem::path& folder, std::string_view machine);

/// Puts the case into the machine's file under `folder`, in place of what that has of it, and its timeline beside it, or removes the one
/// that is there. The file is replaced as a whole: if the process is killed, every other case stays. Returns the file's path. Throws
/// RunError if they cannot be written, and as read_recordings does.
std::filesystem::path write_recording(const std::filesystem::path& folder, const RecordedCase& recorded);

/// A recording of which the timeline is still to be read.
struct RecordingFacts {
  RecordedCase recorded;                     ///< without its timeline
  std::filesystem::path timeline;            ///< its file
  std::optional<std::string> timeline_hash;  ///< absent where the facts hold `starts`
  std::vector<CoreType> cores;
};

/// The cases of a machine's file; none where there is no such file. Throws InputError naming file, line and field if something is missing,
/// unknown, damaged or cannot be, and for a case that is there twice.
std::vector<RecordingFacts> read_recordings(const std::filesystem::path& cases);

/// The same of a file that is read already.
std::vector<RecordingFacts> recordings_from(const std::filesystem::path& cases, std::string_view text);

/// Reads the timeline beside the facts, of `tasks` tasks, if there is to be one. Throws InputError naming file, line and column if it is
/// damaged, not the one that the facts describe or not in order; what could not be of that many tasks is refused before it is unpacked.
RecordedCase with_timeline(RecordingFacts facts, std::size_t tasks);

/// The files of cases of every machine under `folder`, sorted; empty if there is no such folder.
std::vector<std::filesystem::path> list_recordings(const std::filesystem::path& folder);

/// The recordings under a folder; each machine's file is read once.
class Recordings {
 public:
  explicit Recordings(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path cases(std::string_view machine) const { return cases_path(folder_, machine); }
  /// nullptr where the case is not recorded. Throws as read_recordings does.
  const RecordingFacts* find(std::string_view machine, std::string_view scenario, std::string_view design);

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::vector<RecordingFacts>> read_;
};

}  // namespace tasktwin::verify
