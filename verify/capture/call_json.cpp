#include "verify/capture/call_json.hpp"

namespace tasktwin::verify {

using spool::Op;

std::string_view copy_word(std::size_t kind) {
  static constexpr std::array<std::string_view, 11> kWords{"unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                                           "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
  return kWords[kind < kWords.size() ? kind : 0];
}

void write_three(JsonStream& out, std::string_view key, const std::array<std::uint32_t, 3>& of) {
  out.raw(R"(,"{}":[{},{},{}])", key, of[0], of[1], of[2]);
}

void write_kernel(JsonStream& out, const spool::KernelArguments& kernel, const std::vector<spool::PointerArgument>& pointers) {
  out.raw(R"(,"kernel":{})", kernel.function);
  write_three(out, "grid", kernel.grid);
  write_three(out, "block", kernel.block);
  out.raw(R"(,"shared memory":{})", kernel.dynamic_shared_bytes);
  if (kernel.cluster[0] != 0) write_three(out, "cluster", kernel.cluster);
  if (kernel.priority != 0) out.raw(R"(,"priority":{})", kernel.priority);
  if (pointers.empty()) return;
  out.raw(R"(,"pointers":[)");
  for (std::size_t i = 0; i < pointers.size(); ++i)
    out.raw("{}[{},{},{}]", i > 0 ? "," : "", pointers[i].parameter, pointers[i].offset, pointers[i].address);
  out.raw("]");
}

void write_arguments(JsonStream& out, const spool::CallRecord& call) {
  const spool::OtherArguments& a = arguments_of(call);
  switch (call.op) {
    case Op::kMemcpy:
      out.raw(R"(,"copy":"{}","bytes":{},"src":{},"dst":{})", copy_word(a.copy_kind), a.bytes, a.source, a.address);
      if (has(call, spool::kRowsApart)) out.raw(R"(,"rows_apart":true)");
      break;
    case Op::kMemset:
      out.raw(R"(,"bytes":{},"dst":{},"value":{})", a.bytes, a.address, a.value);
      if (has(call, spool::kRowsApart)) out.raw(R"(,"rows_apart":true)");
      break;
    case Op::kMalloc:
    case Op::kMallocAsync:
    case Op::kMallocHost:
    case Op::kMallocManaged:
    case Op::kHostRegister:
    case Op::kMemMap:
      out.raw(R"(,"address":{},"bytes":{})", a.address, a.bytes);
      break;
    case Op::kStreamWaitValue:
    case Op::kStreamWriteValue:
      out.raw(R"(,"address":{},"value":{})", a.address, a.value);
      break;
    case Op::kFree:
    case Op::kFreeAsync:
    case Op::kFreeHost:
    case Op::kHostUnregister:
    case Op::kMemUnmap:
    case Op::kHostFunction:
      out.raw(R"(,"address":{})", a.address);
      break;
    case Op::kGraphLaunch:
    case Op::kGraphUpload:
    case Op::kGraphInstantiate:
    case Op::kGraphUpdate:
      out.raw(R"(,"graph_exec":{})", a.object);
      break;
    case Op::kGraphAddNode:
      if (a.bytes != 0) out.raw(R"(,"bytes":{})", a.bytes);
      if (a.source != 0) out.raw(R"(,"src":{})", a.source);
      if (a.address != 0) out.raw(R"(,"{}":{})", a.bytes != 0 ? "dst" : "address", a.address);
      if (has(call, spool::kRowsApart)) out.raw(R"(,"rows_apart":true)");
      break;
    default:
      break;
  }
}

}  // namespace tasktwin::verify
