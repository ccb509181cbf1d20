#pragma once

#include <filesystem>

namespace tasktwin::scenarios {

/// From here on the process keeps in mind which files it reads. A library leaves that to the program that uses it.
void remember_files_read();

/// `path` is about to be read.
void note_read(const std::filesystem::path& path);

/// Whether `path`, by whatever name or link, is a file that was read since remember_files_read().
bool was_read(const std::filesystem::path& path);

}  // namespace tasktwin::scenarios
