#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/error.hpp"
#include "verify/capture/captured_files.hpp"
#include "verify/capture/captured_run.hpp"
#include "verify/commands.hpp"
#include "verify/commands/options.hpp"
#include "verify/output/atomic_file.hpp"
#include "verify/output/output_paths.hpp"
#include "verify/output/terminal.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kDefaultLimitMb = 16'384;
constexpr std::uint64_t kMaxLimitMb = std::uint64_t{1} << 20;

/// A folder beside `output`, for as long as this lives.
class SpoolFolder {
 public:
  explicit SpoolFolder(const fs::path& output) : path_(output.string() + ".spool-XXXXXX") {
    if (!::mkdtemp(path_.data())) throw std::system_error(errno, std::generic_category(), "cannot make a folder beside " + output.string());
  }
  ~SpoolFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  SpoolFolder(const SpoolFolder&) = delete;
  SpoolFolder& operator=(const SpoolFolder&) = delete;

  fs::path part(const char* name) const {
    fs::path folder = fs::absolute(fs::path(path_) / name);
    fs::create_directory(folder);
    return folder;
  }

 private:
  std::string path_;
};

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
    add_whole(app, "--limit-mb", limit_mb_, 1, kMaxLimitMb,
              fmt::format("disk space for the records of a process while it runs, in MiB; {} by default", limit_mb_));
    app.add_option("COMMAND", command_, "the program to run, and its arguments, behind --")->type_name("")->required();
    app.footer(
        "Runs COMMAND unmodified and records every CUDA call that orders work, allocates or defines graphs, with its thread, stream and\n"
        "event, and every kernel, copy and memset with its times. Perfetto and HTA open the file, and 'scenario import' reads it.\n"
        "\n"
        "--pass kernels records calls and device in one run; host only calls, which disturbs the host least; both runs COMMAND twice, and\n"
        "gives each call of the second run the host's times of the first.\n"
        "\n"
        "Ends with COMMAND's exit code, or 128 and the number of the signal that ended it; what was recorded is written all the same.\n"
        "Exit 1: nothing was written: COMMAND did not use CUDA, CUPTI is not there or serves another tool, or --range was not entered\n"
        "Example: tasktwin capture -o train.json.gz -- python3 train.py    # on a GPU\n"
        "Example: tasktwin capture --range step --pass both -- ./solver input.dat    # on a GPU");
  }

  int run() override {
    const fs::path output(output_);
    OutputPlan("--output", output_, false, false).check(output, {});
    const fs::path library = capture_library();
    { const AtomicFile writable(output); }  // refused before the program runs, not behind it
    const SpoolFolder folder(output);
    CaptureFacts facts{.pass = pass_, .command = command_, .end = {}, .range = range_, .date = today()};
    CapturedRunOptions options{.library = library, .folder = {}, .range = range_, .limit_bytes = limit_mb_ * kMegabyte};
    fs::path host_folder;
    if (pass_ == CapturePass::kBoth) {
      options.folder = host_folder = folder.part("host");
      options.device_records = false;
      facts.end = run_captured(command_, options);
      if (facts.end.exit_code != 0) return failed(facts, "the first of two runs failed; nothing is written");
    }
    options.folder = folder.part("records");
    options.device_records = pass_ != CapturePass::kHost;
    facts.end = run_captured(command_, options);
    return write(facts, options.folder, host_folder, output);
  }

 private:
  static std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now())); }

  int failed(const CaptureFacts& facts, std::string_view what) const {
    const CommandEnd& end = facts.end;
    note(end.signal != 0 ? fmt::format("error: '{}' was ended by signal {}; {}", command_.front(), end.signal, what)
                         : fmt::format("error: '{}' ended with exit code {}; {}", command_.front(), end.exit_code, what));
    return end.exit_code;
  }

  int write(const CaptureFacts& facts, const fs::path& folder, const fs::path& host_folder, const fs::path& output) const {
    try {
      const std::vector<WrittenCapture> written = write_captures(folder, host_folder, output, facts);
      // The program's own output is on standard output: what is said of the capture goes beside it.
      if (!quiet()) note_all(captures_to_text(written, facts));
    } catch (const RunError& error) {
      if (facts.end.exit_code == 0) throw;
      return failed(facts, error.what());
    }
    return facts.end.exit_code == 0 ? 0 : failed(facts, "what it did up to then is written");
  }

  static void note_all(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    note(text);
  }

  std::string output_ = "capture.json.gz";
  std::string range_;
  CapturePass pass_ = CapturePass::kKernels;
  std::uint64_t limit_mb_ = kDefaultLimitMb;
  std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<Command> make_capture_command(CLI::App& app) { return std::make_unique<CaptureCommand>(app); }

}  // namespace tasktwin::verify
