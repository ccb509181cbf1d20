#include "verify/search/result_database.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>

#include "models/base/error.hpp"
#include "scenarios/formats/sqlite_file.hpp"

namespace tasktwin::verify {

namespace {

/// Another process's reading or writing is waited for so long.
constexpr int kBusyMilliseconds = 10'000;

void check_there(const std::string& file, Database::Mode mode) {
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(file, ignored);
  if (mode == Database::Mode::kCreate && is_there)
    throw InputError({file}, "is there already; --resume goes on with it, or name another file");
  if (mode != Database::Mode::kCreate && !is_there) throw InputError({file}, "no such file");
  if (is_there && !std::filesystem::is_regular_file(file, ignored)) throw InputError({file}, "is not a regular file");
}

/// Without a log of changes beside it nobody is writing: reading leaves none there either.
std::string name_to_open(const std::string& file, Database::Mode mode) {
  std::error_code ignored;
  const bool alone = mode == Database::Mode::kRead && !std::filesystem::exists(file + "-wal", ignored);
  return alone ? scenarios::immutable_database(file) : std::filesystem::absolute(file).string();
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Database::Database(const std::string& file, Mode mode) : file_(file), mode_(mode) {
  check_there(file, mode);
  const int flags = mode == Mode::kRead   ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                    : mode == Mode::kOpen ? SQLITE_OPEN_READWRITE
                                          : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name_to_open(file, mode).c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail();
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  if (mode != Mode::kCreate) refuse_programs();
}

/// A view may have rows without end, a trigger may change what is written; a search makes one view, for its reader, and reads none.
void Database::refuse_programs() {
  Statement found = prepare("SELECT type, name FROM sqlite_master WHERE type = 'trigger' OR (type = 'view' AND name <> 'results')");
  if (found.step())
    throw InputError({file_}, fmt::format("has a {} '{}', as no results of 'tasktwin search' have", found.text(0), found.text(1)));
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Statement Database::prepare(const std::string& sql) { return Statement(*this, sql); }

void Database::fail() const {
  const int code = handle_ ? sqlite3_errcode(handle_.get()) : SQLITE_NOMEM;
  if (code == SQLITE_NOTADB) throw InputError({file_}, "is no SQLite database, so no results of 'tasktwin search'");
  // What this program asks of the tables of a search, these lack.
  if (code == SQLITE_ERROR && mode_ != Mode::kCreate)
    throw InputError({file_}, fmt::format("has not the tables of a search's results: {}", sqlite3_errmsg(handle_.get())));
  if (code == SQLITE_CORRUPT) throw InputError({file_}, "is damaged, or cut short, as an SQLite database");
  throw RunError(fmt::format("{}: {}", file_, handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code)));
}

void Statement::Finalize::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

Statement::Statement(const Database& database, const std::string& sql) : database_(&database) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(database.handle_.get(), sql.c_str(), static_cast<int>(sql.size()), &handle, nullptr);
  handle_.reset(handle);
  check(code);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_->fail();
}

Statement& Statement::bind(int position, std::int64_t value) {
  check(sqlite3_bind_int64(handle_.get(), position, value));
  return *this;
}

Statement& Statement::bind(int position, std::string_view text) {
  check(sqlite3_bind_text64(handle_.get(), position, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_null(int position) {
  check(sqlite3_bind_null(handle_.get(), position));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail();
  check(sqlite3_reset(handle_.get()));
  return false;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

std::string Statement::text(int column) const {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)));
}

std::string sql_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace tasktwin::verify
