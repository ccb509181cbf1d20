#include <gmock/gmock.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "models/base/error.hpp"
#include "scenarios/importers/importers.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// A database made by `statements`.
class Database {
 public:
  explicit Database(const std::string& statements) : file_("", "export.sqlite") {
    std::filesystem::remove(file_.path());
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(file_.path().c_str(), &database), SQLITE_OK);
    char* why = nullptr;
    EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &why), SQLITE_OK) << (why == nullptr ? "" : why);
    sqlite3_close(database);
  }
  std::string path() const { return file_.path(); }

 private:
  TemporaryFile file_;
};

const std::string kStrings =
    "CREATE TABLE EXPORT_META_DATA (name TEXT, value TEXT);"
    "CREATE TABLE StringIds (id INTEGER, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'saxpy'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaEventRecord_v3020'),"
    " (4, 'cudaStreamWaitEvent_v3020'), (5, 'cudaDeviceSynchronize_v3020');";

const std::string kRuntime =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);";

const std::string kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
    "shortName "
    "INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
    " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);";

/// A kernel in stream 7, a record, a wait of stream 8, a kernel there, and a synchronisation.
const std::string kTwoStreams =
    kStrings + kRuntime + kKernels +
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1100, 33, 1, 2), (1200, 1210, 33, 2, 3), (1300, 1310, 33, 3, 4),"
    " (1400, 1500, 33, 4, 2), (1600, 9000, 33, 5, 5);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3000, 5000, 0, 7, 1, 1, 32, 2, 1, 1, 128, 1, 1, 0, 0),"
    " (6000, 8000, 0, 8, 4, 1, 32, 2, 1, 1, 128, 1, 1, 0, 0);";

Imported imported(const std::string& statements) {
  const Database database(statements);
  return import_file(database.path(), "", {});
}

std::string refused(const std::string& path) {
  try {
    import_file(path, "", {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NsysImport, CorrelationOfACallThatLaunchesNothingAndOfKernelsIsRefused) {
  std::string twice = kTwoStreams;
  for (const char* const kernel : {"0, 7, 1, 1, 32", "0, 8, 4, 1, 32"}) {
    std::string changed = kernel;
    changed[6] = '3';
    twice.replace(twice.find(kernel), changed.size(), changed);
  }
  const Database database(twice);
  EXPECT_THAT(
      refused(database.path()),
      HasSubstr("correlation 3 is of a call of 'cudaStreamWaitEvent_v3020', which launches nothing, and of 2 tasks on the device, the "
                "first of them 'saxpy'"));
}

TEST(NsysImport, AViewInPlaceOfATableIsRefused) {
  const Database database(kTwoStreams +
                          std::string("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO K2; CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS "
                                      "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT K2.* FROM K2, r;"));
  EXPECT_THAT(refused(database.path()), HasSubstr("CUPTI_ACTIVITY_KIND_KERNEL is a view, which may have rows without end"));
}

TEST(NsysImport, KernelsAndCallsAreRead) {
  const Imported run = imported(kTwoStreams);
  ASSERT_EQ(run.graph.size(), 2u);
  EXPECT_EQ(run.graph.name(task_id(0)), "saxpy#0");
  EXPECT_EQ(to_ns(run.captured.tasks[1].started), 5000);
  ASSERT_EQ(run.program->threads.size(), 1u);
  EXPECT_EQ(run.program->threads[0].name, "33");
  EXPECT_EQ(run.program->threads[0].calls.size(), 5u);
  EXPECT_EQ(to_ns(run.program->threads[0].calls[4].call), 1000);  // 8000 is the last end
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 of 1 stream wait is for an event whose record the file does not name")));
}

TEST(NsysImport, WaitsFindTheirRecordsByEventOrBySyncId) {
  const std::string events = "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (streamId INTEGER, correlationId INTEGER, eventId INTEGER";
  const std::string syncs =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (streamId INTEGER, correlationId INTEGER, syncType INTEGER, eventId INTEGER";
  const std::string older = events + "); INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (7, 2, 40);" + syncs +
                            "); INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (8, 3, 2, 40);";
  const std::string newer = events + ", eventSyncId INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (7, 2, 41, 900);" + syncs +
                            ", eventSyncId INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (8, 3, 2, 40, 900);";
  for (const std::string& tables : {older, newer}) {
    const Imported run = imported(kTwoStreams + tables);
    EXPECT_THAT(std::vector<TaskId>(run.graph.successors(task_id(0)).begin(), run.graph.successors(task_id(0)).end()),
                ElementsAre(task_id(1)));
    EXPECT_THAT(run.counts, Contains(Pair("stream waits", 1)));
  }
}

TEST(NsysImport, MigrationsOfPagesAreCopiesThatKeepTheirPlace) {
  const Imported run =
      imported(kTwoStreams +
               "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId "
               "INTEGER, bytes "
               "INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
               "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (3500, 4000, 0, 0, 0, 4096, 11, 0, 7), (9100, 9200, 0, 0, 0, 8192, 12, 7, 0),"
               " (9300, 9400, 0, 0, 0, 100, 13, 7, 7);"
               "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (9500, 9600, 33, 6, 2);"
               "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (9700, 9800, 0, 7, 6, 1, 32, 2, 1, 1, 128, 1, 1, 0, 0);");
  ASSERT_EQ(run.graph.size(), 6u);
  std::vector<std::string> operations;
  std::vector<std::string> edges;
  for (std::size_t i = 0; i < run.graph.size(); ++i) {
    operations.emplace_back(to_word(run.graph[task_id(i)].operation));
    for (const TaskId next : run.graph.successors(task_id(i)))
      edges.push_back(std::string(run.graph.name(task_id(i))) + '>' + std::string(run.graph.name(next)));
  }
  EXPECT_THAT(operations, ElementsAre("kernel", "kernel", "copy_h2d", "copy_d2h", "copy_p2p", "kernel"));
  EXPECT_THAT(edges, ::testing::UnorderedElementsAre(
                         "saxpy#0>saxpy#1", "saxpy#0>saxpy#5", "saxpy#1>saxpy#5", "saxpy#0>Page migration DtoH#3",
                         "saxpy#1>Page migration DtoH#3", "saxpy#0>Page migration PtoP#4", "saxpy#1>Page migration PtoP#4",
                         "Page migration HtoD#2>saxpy#5", "Page migration DtoH#3>saxpy#5", "Page migration PtoP#4>saxpy#5"));
  EXPECT_THAT(run.counts, ::testing::IsSupersetOf(
                              {Pair(std::string("copies"), 3), Pair(std::string("streams"), 2), Pair(std::string("host threads"), 1)}));
  EXPECT_THAT(run.remarks,
              Contains(HasSubstr(
                  "3 migrations of pages of unified memory, 1 to the device (4096 bytes), 1 to the host (8192 "
                  "bytes), 1 between devices (100 bytes): copies over the host's link and those between devices that no call launched")));
  EXPECT_THAT(run.remarks, ::testing::Not(Contains(HasSubstr("have no launching call"))));
}

TEST(NsysImport, CopiesOfEachKindGoWhereTheyGo) {
  std::string statements = kStrings + kRuntime +
                           "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
                           "correlationId INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);";
  for (int kind = 1; kind <= 11; ++kind) {
    const int number = kind == 11 ? 99 : kind;
    const std::string correlation = std::to_string(kind);
    statements += "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + std::to_string(1000 * kind) + ", " +
                  std::to_string(1000 * kind + 50) + ", 33, " + correlation + ", 2);";
    statements += "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (" + std::to_string(1000 * kind + 100) + ", " +
                  std::to_string(1000 * kind + 900) + ", 0, 7, " + correlation + ", 4096, " + std::to_string(number) + ", 1, 1);";
  }
  const Imported run = imported(statements);
  std::vector<std::pair<std::string, std::string>> copies;
  for (std::size_t i = 0; i < run.graph.size(); ++i) {
    const std::string name(run.graph.name(task_id(i)));
    copies.emplace_back(name.substr(0, name.find('#')), to_word(run.graph[task_id(i)].operation));
  }
  EXPECT_THAT(copies, ElementsAre(Pair("Memcpy HtoD", "copy_h2d"), Pair("Memcpy DtoH", "copy_d2h"), Pair("Memcpy HtoA", "copy_h2d"),
                                  Pair("Memcpy AtoH", "copy_d2h"), Pair("Memcpy AtoA", "kernel"), Pair("Memcpy AtoD", "kernel"),
                                  Pair("Memcpy DtoA", "kernel"), Pair("Memcpy DtoD", "kernel"), Pair("Memcpy HtoH", "host"),
                                  Pair("Memcpy PtoP", "copy_p2p"), Pair("Memcpy of unknown kind", "kernel")));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 copy has a copyKind that is unknown: taken to be within the device")));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 copy is within the host's memory")));
}

TEST(NsysImport, TablesThatAreNotThereAreNotMissed) {
  const Imported run = imported(kStrings + kKernels +
                                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3000, 5000, 0, 7, 1, 1, 32, 2, 1, 1, 128, 1, 1, 0, 0);");
  EXPECT_EQ(run.graph.size(), 1u);
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 task has no launching call in the file")));
}

TEST(NsysImport, SaysWhatItLacks) {
  EXPECT_THAT(refused(Database(kStrings + kRuntime).path()),
              HasSubstr("it has no kernel, copy or memset (tables CUPTI_ACTIVITY_KIND_KERNEL, MEMCPY, MEMSET)"));
  EXPECT_THAT(
      refused(
          Database(kStrings +
                   "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1);")
              .path()),
      HasSubstr("1 graph launches are recorded without their nodes: profile with --cuda-graph-trace=node"));
  EXPECT_THAT(refused(Database("CREATE TABLE x (y INTEGER);").path()), HasSubstr("is an SQLite database, but no export of Nsight Systems"));
}

TEST(NsysImport, RowsThatCannotBeAreRefusedWithTheirPlace) {
  const std::string kernel = "CUPTI_ACTIVITY_KIND_KERNEL";
  const auto changed = [&](const std::string& change) { return refused(Database(kTwoStreams + change).path()); };
  EXPECT_THAT(changed("ALTER TABLE " + kernel + " RENAME COLUMN end TO x;"), HasSubstr("table " + kernel + " has no column 'end'"));
  EXPECT_THAT(changed("UPDATE " + kernel + " SET end = start - 1 WHERE correlationId = 4;"),
              HasSubstr("table " + kernel + ", row 2: ends 1 ns before it starts"));
  EXPECT_THAT(changed("UPDATE " + kernel + " SET end = NULL;"), HasSubstr("row 1: 'end' is no whole number"));
  EXPECT_THAT(changed("UPDATE " + kernel + " SET streamId = 4294967303;"), HasSubstr("row 1: stream 4294967303 is none"));
  EXPECT_THAT(changed("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = 0;"), HasSubstr("RUNTIME, row 1: ends 1000 ns before it starts"));
  EXPECT_THAT(changed("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, bytes "
                      "INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1, 2, 0, 7, -5);"),
              HasSubstr("MEMSET, row 1: 'bytes' is no whole number from 0 on"));
}

TEST(NsysImport, AFileWhoseChangesAreElsewhereIsRefused) {
  const Database whole(kTwoStreams);
  std::ofstream(whole.path() + "-wal") << "changes";
  EXPECT_THAT(refused(whole.path()), HasSubstr("-wal' that are not in it yet"));
  std::filesystem::remove(whole.path() + "-wal");
  EXPECT_EQ(refused(whole.path()), "");
}

TEST(NsysImport, DamagedFilesAreRefused) {
  const Database whole(kTwoStreams);
  std::ifstream stream(whole.path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  const TemporaryFile half(bytes.substr(0, bytes.size() / 2), "half.sqlite");
  EXPECT_THAT(refused(half.path()), HasSubstr("half.sqlite: "));
  const TemporaryFile head("SQLite format 3" + std::string(1, '\0') + "nonsense", "head.sqlite");
  EXPECT_THAT(refused(head.path()), HasSubstr("head.sqlite: is no SQLite database"));
}

}  // namespace
}  // namespace tasktwin::scenarios
