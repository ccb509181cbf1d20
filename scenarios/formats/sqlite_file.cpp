#include "scenarios/formats/sqlite_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "models/base/error.hpp"

namespace tasktwin::scenarios {

namespace {

struct Finalise {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalise>;

sqlite3_stmt* raw(void* statement) { return static_cast<sqlite3_stmt*>(statement); }

/// As a name in SQL.
std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

}  // namespace

struct SqliteFile::Handle {
  sqlite3* database = nullptr;
  ~Handle() { sqlite3_close(database); }

  Statement prepare(const std::string& query) const {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, query.c_str(), static_cast<int>(query.size()), &statement, nullptr);
    return Statement(statement);
  }
};

bool SqliteRow::has(std::size_t column) const {
  return places_[column] >= 0 && sqlite3_column_type(raw(statement_), places_[column]) != SQLITE_NULL;
}

bool SqliteRow::is_integer(std::size_t column) const {
  return places_[column] >= 0 && sqlite3_column_type(raw(statement_), places_[column]) == SQLITE_INTEGER;
}

std::int64_t SqliteRow::integer(std::size_t column) const {
  return places_[column] < 0 ? 0 : sqlite3_column_int64(raw(statement_), places_[column]);
}

std::string_view SqliteRow::text(std::size_t column) const {
  const unsigned char* text = places_[column] < 0 ? nullptr : sqlite3_column_text(raw(statement_), places_[column]);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(sqlite3_column_bytes(raw(statement_), places_[column]))};
}

std::string immutable_database(const std::string& path) {
  std::string uri = "file:";
  constexpr std::string_view kPlain = "/._-";
  for (const char c : std::filesystem::absolute(path).string()) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return uri + "?immutable=1";
}

SqliteFile::SqliteFile(std::string path) : path_(std::move(path)), handle_(std::make_unique<Handle>()) {
  std::error_code failure;
  const auto status = std::filesystem::status(path_, failure);
  if (!std::filesystem::exists(status)) throw InputError({path_}, "no such file");
  if (!std::filesystem::is_regular_file(status)) throw InputError({path_}, "is no regular file");
  std::error_code none;
  if (std::filesystem::file_size(path_ + "-wal", none) > 0 && !none)
    throw InputError({path_}, "has changes in '" + path_ +
                                  "-wal' that are not in it yet: sqlite3 FILE 'pragma wal_checkpoint(truncate)' brings "
                                  "them in");
  const std::string uri = immutable_database(path_);
  if (sqlite3_open_v2(uri.c_str(), &handle_->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) != SQLITE_OK)
    refuse("cannot be opened");
  sqlite3_db_config(handle_->database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (!handle_->prepare("SELECT name FROM sqlite_master")) refuse("is no SQLite database");
}

SqliteFile::~SqliteFile() = default;

void SqliteFile::refuse_row(const std::string& table, const std::string& what) const {
  throw InputError({path_}, "table " + table + ", row " + std::to_string(row_) + ": " + what);
}

void SqliteFile::refuse(const std::string& what) const { throw InputError({path_}, what + ": " + sqlite3_errmsg(handle_->database)); }

bool SqliteFile::has_table(const std::string& table) const {
  const Statement statement = handle_->prepare("SELECT type = 'view' FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?");
  if (!statement) refuse("is no SQLite database");
  sqlite3_bind_text(statement.get(), 1, table.c_str(), static_cast<int>(table.size()), SQLITE_TRANSIENT);
  const int step = sqlite3_step(statement.get());
  if (step != SQLITE_ROW && step != SQLITE_DONE) refuse("cannot be read");
  if (step == SQLITE_ROW && sqlite3_column_int(statement.get(), 0) != 0)
    throw InputError({path_}, table + " is a view, which may have rows without end; it is to be a table");
  return step == SQLITE_ROW;
}

void SqliteFile::rows(const std::string& table, const std::vector<std::string_view>& columns,
                      const std::function<void(const SqliteRow&)>& each, std::size_t needed) const {
  if (!has_table(table)) return;
  const Statement statement = handle_->prepare("SELECT * FROM " + sql_name(table));
  if (!statement) refuse("table " + table + " cannot be read");
  std::vector<int> places(columns.size(), -1);
  for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
    const auto wanted = std::ranges::find(columns, std::string_view(sqlite3_column_name(statement.get(), i)));
    if (wanted != columns.end()) places[static_cast<std::size_t>(wanted - columns.begin())] = i;
  }
  for (std::size_t i = 0; i < needed; ++i) {
    if (places[i] < 0) throw InputError({path_}, "table " + table + " has no column '" + std::string(columns[i]) + "'");
  }
  int step = SQLITE_ROW;
  for (row_ = 1; (step = sqlite3_step(statement.get())) == SQLITE_ROW; ++row_) {
    const SqliteRow row(statement.get(), places);
    for (std::size_t i = 0; i < needed; ++i) {
      if (!row.is_integer(i)) refuse_row(table, "'" + std::string(columns[i]) + "' is no whole number");
    }
    each(row);
  }
  if (step != SQLITE_DONE) refuse("table " + table + " cannot be read to its end");
}

}  // namespace tasktwin::scenarios
