#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "verify/capture/capture_session.hpp"
#include "verify/capture/captured_run.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/terminal.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kDefaultLimitMb = 16'384;
constexpr std::uint64_t kMaxLimitMb = std::uint64_t{1} << 20;

class CaptureCommand : public Command {
 public:
  explicit CaptureCommand(CLI::App& app) {
    const auto not_empty = [](const std::string& text) { return text.empty() ? std::string("names nothing") : std::string(); };
    app.add_option("-o,--output", output_, "the file to write; capture.json.gz by default, not compressed if it ends in .json")
        ->type_name("FILE")
        ->check(not_empty);
    app.add_option("--range", range_, "record only what is called while a range of this name is open on some thread (NVTX)")
        ->type_name("NAME")
        ->check(not_empty);
    add_words(app, "--pass", pass_, "what a run records; kernels by default");
    app.add_flag("--tensors", tensors_,
                 "run COMMAND once more before, with PyTorch's caching allocator off, so that each tensor has memory of its own: the file "
                 "then says which tensors work uses");
    add_whole(app, "--limit-mb", limit_mb_, 1, kMaxLimitMb,
              fmt::format("disk space for the records of a process while it runs, in MiB; {} by default", limit_mb_));
    app.add_option("COMMAND", command_, "the program to run, and its arguments, behind --")->type_name("")->required();
    app.footer(
        "Runs COMMAND unmodified and records every CUDA call that orders work, allocates or defines graphs, with its thread, stream and\n"
        "event, and every kernel, copy and memset with its times. Perfetto and HTA open the file, and 'scenario import' reads it.\n"
        "\n"
        "With --pass kernels one run records calls and device; host records only calls, which disturbs the host least; both runs COMMAND\n"
        "twice, and gives each call of the second run the host's times of the first.\n"
        "\n"
        "Ends with COMMAND's exit code, or 128 and the number of the signal that ended it; what was recorded is written all the same.\n"
        "Exit 1: nothing was written: COMMAND did not use CUDA, CUPTI is not there or serves another tool, or --range was not entered\n"
        "Example: tasktwin capture -o train.json.gz -- python3 train.py    # on a GPU\n"
        "Example: tasktwin capture --range step --pass both -- ./solver input.dat    # on a GPU");
  }

  int run() override {
    const std::filesystem::path output(output_);
    OutputPlan("--output", output_, false, false).check(output, {});
    if (const auto why = why_no_cuda()) throw RunError("no GPU: " + *why);
    const std::filesystem::path library = capture_library();
    { const AtomicFile writable(output); }  // refused before the program runs, not after it
    return capture_program({command_, output, range_, pass_, limit_mb_ * kMegabyte, library, tensors_});
  }

 private:
  std::string output_ = "capture.json.gz";
  std::string range_;
  CapturePass pass_ = CapturePass::kKernels;
  bool tensors_ = false;
  std::uint64_t limit_mb_ = kDefaultLimitMb;
  std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<Command> make_capture_command(CLI::App& app) { return std::make_unique<CaptureCommand>(app); }

}  // namespace tasktwin::verify
