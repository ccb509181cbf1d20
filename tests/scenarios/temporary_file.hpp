#pragma once

#include <filesystem>
#include <string>

namespace tasktwin::scenarios {

/// A file that lives as long as the object, in a folder of its own.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text, const std::string& name = "file.yaml");
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return (folder_ / name_).string(); }
  std::filesystem::path folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string name_;
};

/// What load_scenario refuses `text` with, the file's name left out ("4:9: graph.…"); "" if it does not.
std::string refusal(const std::string& text);

/// A scenario with this graph, which begins in line 4 with "graph: ".
std::string with_graph(const std::string& graph);

}  // namespace tasktwin::scenarios
