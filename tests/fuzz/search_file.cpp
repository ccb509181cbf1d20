// Changes, as statements of SQL, to the file of a search: it is refused, or what is read has as many runs as each point can have.
#include <sqlite3.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "verify/search/search_results.hpp"

using namespace tasktwin;
using verify::SearchSpace;

namespace {

const SearchSpace& space() {
  static const SearchSpace made(
      {"central-dispatcher", "shared-queue"},
      {{.path = "designs.mailbox_depth", .values = {"1", "2"}, .ordered = true}, {.path = "designs.order", .values = {"fifo", "lifo"}}});
  return made;
}

/// A folder in memory of this process's own, gone at its end.
class Folder {
 public:
  Folder() : path_("/dev/shm/tasktwin-fuzz-" + std::to_string(getpid())) { std::filesystem::create_directories(path_); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_whole(const std::string& file) {
  verify::ResultFile made(file, space(), verify::Json::object());
  for (std::uint64_t point = 0; point < space().size(); ++point)
    made.write(space(), point, {.random = point > 3, .cores = 132, .makespans = {{1000.0 + static_cast<double>(point), 1010}}}, 0);
}

/// Statements may do anything to this file, and nothing to others or for long.
void change(const std::string& file, const std::string& statements) {
  sqlite3* handle = nullptr;
  fuzz::expect(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 20);
  constexpr int kSteps = 1000;
  int left = 50;
  sqlite3_progress_handler(
      handle, kSteps, [](void* steps) { return --*static_cast<int*>(steps) < 0 ? 1 : 0; }, &left);
  sqlite3_set_authorizer(
      handle,
      [](void*, int action, const char*, const char*, const char*, const char*) {
        return action == SQLITE_ATTACH || action == SQLITE_PRAGMA || action == SQLITE_FUNCTION ? SQLITE_DENY : SQLITE_OK;
      },
      nullptr);
  sqlite3_exec(handle, statements.c_str(), nullptr, nullptr, nullptr);
  sqlite3_close_v2(handle);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  static const std::string whole = [] {
    write_whole(folder.file("whole.db"));
    return folder.file("whole.db");
  }();
  const std::string file = folder.file("changed.db");
  for (const char* const beside : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(file + beside);
  std::filesystem::copy_file(whole, file);
  change(file, std::string(fuzz::text_of(data, size)));
  fuzz::may_refuse([&] {
    verify::ResultFile opened(file, verify::Database::Mode::kRead);
    for (const auto& [point, result] : opened.read(space(), 1)) {
      fuzz::expect(point < space().numbers());
      fuzz::expect(result.outcome != verify::TrialOutcome::kRan || result.makespans.size() == 1);
      fuzz::planted_bug(result.cores == 7);
    }
  });
  return 0;
}
