#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tasktwin::scenarios {

/// A row of a query: values by the query's columns. A column that the table does not have is absent.
class SqliteRow {
 public:
  explicit SqliteRow(void* statement, const std::vector<int>& places) : statement_(statement), places_(places) {}
  bool has(std::size_t column) const;
  bool is_integer(std::size_t column) const;
  /// 0 where it is absent or NULL.
  std::int64_t integer(std::size_t column) const;
  std::string_view text(std::size_t column) const;

 private:
  void* statement_;
  const std::vector<int>& places_;
};

/// What sqlite3_open_v2 is given with SQLITE_OPEN_URI, to read a database that nobody changes: one that another program left open needs
/// neither its journal nor a right to write, and no file comes to stand beside it.
std::string immutable_database(const std::string& path);

/// A SQLite database of another program, opened to be read alone. Throws InputError naming the file for what is none, is damaged or cannot
/// be read.
class SqliteFile {
 public:
  explicit SqliteFile(std::string path);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  /// Throws InputError where it is a view.
  bool has_table(const std::string& table) const;
  /// Calls `each` for every row of `table`, in the order of the table; none where there is no such table. The first `needed`
  /// columns must be there, and have a whole number in each row.
  void rows(const std::string& table, const std::vector<std::string_view>& columns, const std::function<void(const SqliteRow&)>& each,
            std::size_t needed = 0) const;
  /// Throws InputError for the row that was reached last.
  [[noreturn]] void refuse_row(const std::string& table, const std::string& what) const;

 private:
  struct Handle;
  [[noreturn]] void refuse(const std::string& what) const;

  std::string path_;
  std::unique_ptr<Handle> handle_;
  mutable std::int64_t row_ = 0;  ///< of the table that is read, from 1
};

}  // namespace tasktwin::scenarios
