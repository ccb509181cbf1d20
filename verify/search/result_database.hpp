#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tasktwin::verify {

class Statement;

/// An SQLite database in one file. Every failure is a RunError that names the file.
class Database {
 public:
  enum class Mode { kCreate, kOpen, kRead };

  /// Throws InputError where a file to open is no database, or has views or triggers that no search makes, or one to create is there
  /// already.
  Database(const std::string& file, Mode mode);

  void run(const std::string& sql);
  Statement prepare(const std::string& sql);
  const std::string& file() const { return file_; }

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* handle) const;
  };

  [[noreturn]] void fail() const;
  void refuse_programs();

  std::string file_;
  Mode mode_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Contract: does not outlive its database.
class Statement {
 public:
  Statement& bind(int position, std::int64_t value);
  Statement& bind(int position, std::string_view text);
  Statement& bind_null(int position);
  /// Whether there is a row. After the last one the statement is as before its first.
  bool step();

  std::int64_t integer(int column) const;
  std::string text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };

  Statement(const Database& database, const std::string& sql);
  void check(int code) const;

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// A name as SQL takes it, with any characters.
std::string sql_name(std::string_view name);

}  // namespace tasktwin::verify
