#include "scenarios/importers/known_files.hpp"

#include <algorithm>
#include <array>

namespace tasktwin::scenarios {

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

struct KnownFile {
  bool (*is_one)(const FileHead& head);
  std::string_view what;
};

constexpr std::string_view kOwnFiles =
    " and not read back: the scenario that it is of is what can be simulated again, and 'placement: replay' of a design follows a "
    "--timeline";
constexpr std::string_view kOfModel = "what it runs is to be had by 'tasktwin capture', or by a profiler's trace";

constexpr std::array kKnown{
    KnownFile{
        [](const FileHead& head) { return head.extension == ".nsys-rep" || head.extension == ".qdrep" || head.extension == ".qdstrm"; },
        "is a report of Nsight Systems; 'nsys export --type sqlite FILE' makes the .sqlite file that is read"},
    KnownFile{[](const FileHead& head) { return head.extension == ".ncu-rep" || head.extension == ".ncu-repz"; },
              "is a report of Nsight Compute, which has counters of kernels but not when they ran: 'nsys profile', torch.profiler or "
              "'tasktwin capture' record that"},
    KnownFile{
        [](const FileHead& head) {
          return has(first_line(head.text), "Duration (ns)") && (has(head.text, "CorrId") || has(head.text, "Start (ns)"));
        },
        "is a table of 'nsys stats', which has no calls of the host and no events; 'nsys export --type sqlite' makes the .sqlite file "
        "that is read"},
    KnownFile{[](const FileHead& head) { return has(first_line(head.text), "Total Time (ns)") && has(first_line(head.text), "Avg (ns)"); },
              "is a summary of 'nsys stats', which has no single kernel; 'nsys export --type sqlite' makes the .sqlite file that is read"},
    KnownFile{
        [](const FileHead& head) { return has(head.text.substr(0, 400), "NVPROF is profiling") || head.extension == ".nvvp"; },
        "is of nvprof, which is not read; 'nsys profile' with 'nsys export --type sqlite', torch.profiler or 'tasktwin capture' record "
        "what is"},
    KnownFile{[](const FileHead& head) {
                return has(first_line(head.text), "KernelName") || has(first_line(head.text), "\"Kernel_Name\"") ||
                       has(first_line(head.text), "Start_Timestamp");
              },
              "is a table of rocprof, which is not read; a Kineto trace of PyTorch on the same device is, and a table of tasks with the "
              "columns name, time_ns and predecessors"},
    KnownFile{
        [](const FileHead& head) { return head.text.starts_with("task,name,kernel,core_type,ready_ns,"); },
        "is a timeline that tasktwin has written: a result, and no graph; 'placement: replay' with 'replay: FILE' in a design follows it"},
    KnownFile{[](const FileHead& head) {
                return has(head.text.substr(0, 400), "\"otherData\":{\"design\":") && has(head.text, "\"resolved_design\"");
              },
              "is a trace that tasktwin has written: a result, to be looked at in Perfetto,"},
    KnownFile{[](const FileHead& head) {
                const std::string_view begin = head.text.substr(0, 200);
                return begin.starts_with("{") && has(begin, "\"format\": \"tasktwin/");
              },
              "is what --format json has written: a result,"},
    KnownFile{
        [](const FileHead& head) { return has(head.text.substr(0, 400), "\"chip_swimlane_level\""); },
        "is a record of Ascend's runtime; 'tasktwin scenario import swimlane RECORDS DEPS' reads it, with the deps.json of the same run"},
    KnownFile{[](const FileHead& head) { return has(head.text.substr(0, 400), "\"kernel_ids\""); },
              "is the deps.json of Ascend's runtime; 'tasktwin scenario import swimlane RECORDS DEPS' reads it, behind the "
              "chip_swimlane_records.json of the same run"},
    KnownFile{[](const FileHead& head) {
                return has(head.text, "nccl-tests") || has(head.text.substr(0, 2000), "busbw") ||
                       first_line(head.text).starts_with("nccl,collective,");
              },
              "is a table of NCCL's times, which go into `collectives` of a machine file"},
    KnownFile{[](const FileHead& head) { return head.text.starts_with("machine:"); },
              "is a machine file; 'tasktwin machine validate' and --machine read it"},
    KnownFile{[](const FileHead& head) {
                return has(head.text, "\"traceEvents\"") && !has(head.text, "cuda_runtime") &&
                       (has(head.text, "\"hlo_module\"") || has(head.text, "\"/device:GPU:"));
              },
              "is a trace of XLA (JAX or TensorFlow), which has no calls of the host that launch, and no streams: 'nsys profile' or "
              "'tasktwin capture' of the same program record them"},
    KnownFile{
        [](const FileHead& head) { return head.extension == ".pb" && !head.text.starts_with("\x08"); },
        "is a profile of TensorFlow or JAX (XPlane), which is not read: 'nsys profile' or 'tasktwin capture' of the same program record "
        "what is"},
    KnownFile{[](const FileHead& head) { return head.extension == ".pftrace" || head.extension == ".perfetto-trace"; },
              "is a trace of Perfetto, which is not read; of a profiler that writes one too, its Chrome trace (JSON) may be"},
    KnownFile{
        [](const FileHead& head) { return has(head.text, "viztracer_metadata"); },
        "is a trace of VizTracer, which has functions of Python and nothing of the device; torch.profiler, 'nsys profile' or 'tasktwin "
        "capture' record that"},
    KnownFile{[](const FileHead& head) { return head.text.starts_with("PERFILE2"); },
              "is a file of 'perf record', which has nothing of the device; 'nsys profile' or 'tasktwin capture' record that"},
    KnownFile{[](const FileHead& head) { return head.extension == ".prv" || head.text.starts_with("#Paraver"); },
              "is a trace of Paraver, which is not read; a table of tasks with the columns name, time_ns and predecessors is"},
    KnownFile{[](const FileHead& head) { return head.extension == ".graphml" || has(head.text.substr(0, 400), "<graphml"); },
              "is GraphML, which is not read; DOT is, and a table of tasks with the columns name, time_ns and predecessors"},
    KnownFile{[](const FileHead& head) {
                return head.extension == ".mmd" || head.text.starts_with("graph LR") || head.text.starts_with("graph TD");
              },
              "is a drawing of Mermaid, which is not read; DOT is, and a table of tasks with the columns name, time_ns and predecessors"},
    KnownFile{[](const FileHead& head) { return head.extension == ".onnx"; }, "is a model (ONNX), which has no times; "},
    KnownFile{[](const FileHead& head) { return head.text.starts_with("HloModule"); }, "is a module of XLA, which has no times; "},
    KnownFile{[](const FileHead& head) { return head.extension == ".pt" || head.extension == ".pth" || head.extension == ".safetensors"; },
              "holds tensors or a model, and no times; "},
    KnownFile{[](const FileHead& head) { return head.extension == ".raw" && head.text.starts_with("[["); },
              "is a memory timeline of PyTorch (export_memory_timeline), which has no work; the Kineto trace of the same run is read"},
    KnownFile{[](const FileHead& head) { return head.extension == ".pickle" || head.extension == ".pkl"; },
              "is a pickle, as a snapshot of PyTorch's memory, and no times of work; "},
    KnownFile{[](const FileHead& head) {
                return head.extension == ".html" || head.text.starts_with("<!doctype html") || head.text.starts_with("<html");
              },
              "is a page; what it was made of may be read, as a trace or a table"},
    KnownFile{[](const FileHead& head) { return head.text.starts_with("PK\x03\x04"); },
              "is a ZIP archive: unpack it, and import what is in it"},
    KnownFile{[](const FileHead& head) { return head.text.starts_with("\x28\xb5\x2f\xfd"); },
              "is packed with Zstandard: unpack it ('zstd -d'); gzip is read as it is"},
    KnownFile{[](const FileHead& head) {
                return head.text.starts_with(
                           "\xfd"
                           "7zXZ") ||
                       head.text.starts_with("BZh");
              },
              "is packed: unpack it; gzip is read as it is"},
};

}  // namespace

std::string known_file(const FileHead& head) {
  const auto found = std::ranges::find_if(kKnown, [&head](const KnownFile& one) { return one.is_one(head); });
  if (found == kKnown.end()) return "";
  std::string what(found->what);
  if (what.ends_with(',')) return what.substr(0, what.size() - 1) + std::string(kOwnFiles);
  return what.ends_with(' ') ? what + std::string(kOfModel) : what;
}

}  // namespace tasktwin::scenarios
