// How many tasks a second the importers read, each from a file of 100 000 tasks with two predecessors.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "scenarios/importers/importers.hpp"

namespace {

using namespace tasktwin;

constexpr int kTasks = 100'000;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}

std::string number(int field, std::uint64_t value) { return varint(static_cast<std::uint64_t>(field) << 3) + varint(value); }

std::string bytes_of(int field, const std::string& value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(value.size()) + value;
}

std::string record(const std::string& message) { return varint(message.size()) + message; }

/// A task's entry in a file, by its number.
using Entry = std::function<std::string(int task)>;

std::string file_of(const std::string& head, const Entry& entry, const std::string& tail = "") {
  std::string text = head;
  for (int i = 0; i < kTasks; ++i) text += entry(i);
  return text + tail;
}

std::string text_of(const std::string& format) {
  const auto word = [](int task) { return std::to_string(task); };
  const auto first = [](int task) { return std::max(task - 1, 0); };
  const auto second = [](int task) { return std::max(task - 132, 0); };
  if (format == "dot") {
    return file_of(
        "digraph G {\n",
        [&](int i) {
          return "t" + word(i) + " [size=\"1e9\"];\n" + (i == 0 ? "" : "t" + word(first(i)) + " -> t" + word(i) + " [size=\"4096\"];\n") +
                 (i < 132 ? "" : "t" + word(second(i)) + " -> t" + word(i) + ";\n");
        },
        "}\n");
  }
  if (format == "stg") {
    return file_of(word(kTasks - 2) + "\n",
                   [&](int i) { return i == 0 ? "0 0 0\n" : word(i) + " 7 2 " + word(first(i)) + ' ' + word(second(i)) + '\n'; });
  }
  if (format == "csv") {
    return file_of("name,time_us,predecessors\n", [&](int i) {
      return "t" + word(i) + ",2.5," + (i == 0 ? "" : "t" + word(first(i)) + (i < 132 ? "" : ";t" + word(second(i)))) + '\n';
    });
  }
  if (format == "starpu") {
    return file_of("", [&](int i) {
      return "Name: k\nJobId: " + word(i) + "\nDependsOn: " + (i == 0 ? "" : word(first(i)) + (i < 132 ? "" : ' ' + word(second(i)))) +
             "\nStartTime: 1.5\nEndTime: 1.625\n\n";
    });
  }
  if (format == "wfformat") {
    return file_of(R"({"workflow": {"tasks": [)",
                   [&](int i) {
                     return std::string(i == 0 ? "" : ",\n") + R"({"name": "t)" + word(i) + R"(", "runtime": 1.5, "parents": [)" +
                            (i == 0 ? "" : "\"t" + word(first(i)) + '"') + (i < 132 ? "" : ", \"t" + word(second(i)) + '"') + "]}";
                   },
                   "]}}");
  }
  return file_of(record(bytes_of(1, "0.0.4")), [&](int i) {
    return record(
        number(1, static_cast<std::uint64_t>(i)) + bytes_of(2, "void kernel" + word(i)) + number(3, 4) +
        (i == 0 ? "" : bytes_of(5, varint(static_cast<std::uint64_t>(first(i))) + varint(static_cast<std::uint64_t>(second(i))))) +
        number(7, 12) + bytes_of(10, bytes_of(1, "is_cpu_op") + number(27, 0)));
  });
}

void import(benchmark::State& state, const std::string& format) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("tasktwin-import-bench." + format);
  const std::string text = text_of(format);
  std::ofstream(path, std::ios::binary) << text;
  for (auto _ : state) benchmark::DoNotOptimize(scenarios::import_file(path.string(), format, {}));
  state.SetItemsProcessed(state.iterations() * kTasks);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  std::filesystem::remove(path);
}

}  // namespace

BENCHMARK_CAPTURE(import, dot, "dot")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(import, stg, "stg")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(import, csv, "csv")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(import, starpu, "starpu")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(import, wfformat, "wfformat")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(import, chakra, "chakra")->Unit(benchmark::kMillisecond);
