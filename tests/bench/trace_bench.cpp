// How many events a second the reader of Kineto's JSON takes in: of five one is a kernel, one its launch, one their flow's two ends, and
// one an operator that nobody asks for, as PyTorch's profiler writes them.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scenarios/importers/importers.hpp"

namespace {

using namespace tasktwin;

std::string number(int value) { return std::to_string(value); }

void write_trace(const std::filesystem::path& path, int launches) {
  std::ofstream file(path);
  file
      << R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"card","numSms":132,"maxThreadsPerMultiprocessor":2048,)"
      << R"("regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":233472}],"baseTimeNanoseconds":1790857026000000000,"traceEvents":[)";
  for (int i = 1; i <= launches; ++i) {
    const std::string ts = "48143" + number(10'000'000 + 10 * i);
    file
        << (i == 1 ? "" : ",") << R"({"ph":"X","cat":"cpu_op","name":"aten::linear","pid":436,"tid":436,"ts":)" << ts
        << R"(.793,"dur":7.278,"args":{"External id":)" << i << R"(,"Record function id":0,"Ev Idx":3}},)"
        << R"({"ph":"X","cat":"kernel","name":"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast>","pid":0,"tid":7,"ts":)"
        << ts << R"(.912,"dur":3.616,"args":{"External id":)" << i << R"(,"queued":0,"device":0,"context":1,"stream":7,"correlation":)" << i
        << R"(,"registers per thread":32,"shared memory":0,"blocks per SM":7.757576,"warps per SM":31.030304,"grid":[1024,1,1],"block":[128,1,1],"est. achieved occupancy %":48}},)"
        << R"({"ph":"f","id":)" << i << R"(,"pid":0,"tid":7,"ts":)" << ts << R"(.912,"cat":"ac2g","name":"ac2g","bp":"e"},)"
        << R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":436,"tid":436,"ts":)" << ts
        << R"(.101,"dur":4.034,"args":{"External id":)" << i << R"(,"cbid":211,"correlation":)" << i << "}},"
        << R"({"ph":"s","id":)" << i << R"(,"pid":436,"tid":436,"ts":)" << ts << R"(.101,"cat":"ac2g","name":"ac2g"})";
  }
  file << "]}";
}

/// Argument: launches in the file.
void read_kineto(benchmark::State& state) {
  const int launches = static_cast<int>(state.range(0));
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("tasktwin_bench_" + number(launches) + ".json");
  write_trace(path, launches);
  for (auto _ : state) benchmark::DoNotOptimize(scenarios::import_file(path.string(), "kineto", {}));
  state.SetItemsProcessed(state.iterations() * 5 * launches);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
  state.SetLabel("events");
  std::filesystem::remove(path);
}
BENCHMARK(read_kineto)->Arg(20'000)->Arg(200'000)->Unit(benchmark::kMillisecond);

}  // namespace
