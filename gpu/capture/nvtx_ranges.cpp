#include <atomic>
#include <cwchar>
#include <string>
#include <string_view>

#include <nvtx3/nvToolsExt.h>

#include "gpu/capture/range_sink.hpp"

/// NVTX's functions, in place of those that do nothing: ranges go to the library's sink, all else still does nothing.
namespace tasktwin::gpu::capture {

namespace {

/// What belongs to the handle of a registered string or a domain; it lives as long as the process.
struct Registered {
  std::string text;
};

std::string narrow(const wchar_t* wide) {
  std::string text;
  for (; wide && *wide != L'\0'; ++wide) text += *wide < 128 ? static_cast<char>(*wide) : '?';
  return text;
}

std::string message_of(const nvtxEventAttributes_t* attributes) {
  if (!attributes) return {};
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return attributes->message.ascii ? attributes->message.ascii : "";
    case NVTX_MESSAGE_TYPE_UNICODE:
      return narrow(attributes->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      const auto* const known = reinterpret_cast<const Registered*>(attributes->message.registered);
      return known ? known->text : "";
    }
    default:
      return {};
  }
}

std::uint64_t number(nvtxDomainHandle_t domain) { return reinterpret_cast<std::uint64_t>(domain); }

int push(std::string_view name, std::uint64_t domain) {
  if (RangeSink* const sink = RangeSink::of_process()) return sink->begin_range(name, 0, domain);
  return 0;
}

int pop(std::uint64_t domain) {
  if (RangeSink* const sink = RangeSink::of_process()) return sink->end_range(0, domain);
  return 0;
}

nvtxRangeId_t start(std::string_view name, std::uint64_t domain) {
  static std::atomic<std::uint64_t> next = 1;
  const std::uint64_t id = next++;
  if (RangeSink* const sink = RangeSink::of_process()) sink->begin_range(name, id, domain);
  return id;
}

void end(nvtxRangeId_t id, std::uint64_t domain) {
  if (RangeSink* const sink = RangeSink::of_process()) sink->end_range(id, domain);
}

nvtxStringHandle_t registered(std::string text) { return reinterpret_cast<nvtxStringHandle_t>(new Registered{std::move(text)}); }

nvtxDomainHandle_t new_domain(std::string name) { return reinterpret_cast<nvtxDomainHandle_t>(new Registered{std::move(name)}); }

template <class Function>
void put(NvtxFunctionTable table, unsigned int size, unsigned int id, Function function) {
  if (id < size && table[id]) *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

std::string_view shown(const char* name) { return name ? name : ""; }

void take_core(NvtxFunctionTable table, unsigned int size) {
  put(
      table, size, NVTX_CBID_CORE_RangePushA, +[](const char* name) { return push(shown(name), 0); });
  put(
      table, size, NVTX_CBID_CORE_RangePushW, +[](const wchar_t* name) { return push(narrow(name), 0); });
  put(
      table, size, NVTX_CBID_CORE_RangePushEx, +[](const nvtxEventAttributes_t* of) { return push(message_of(of), 0); });
  put(
      table, size, NVTX_CBID_CORE_RangePop, +[] { return pop(0); });
  put(
      table, size, NVTX_CBID_CORE_RangeStartA, +[](const char* name) { return start(shown(name), 0); });
  put(
      table, size, NVTX_CBID_CORE_RangeStartW, +[](const wchar_t* name) { return start(narrow(name), 0); });
  put(
      table, size, NVTX_CBID_CORE_RangeStartEx, +[](const nvtxEventAttributes_t* of) { return start(message_of(of), 0); });
  put(
      table, size, NVTX_CBID_CORE_RangeEnd, +[](nvtxRangeId_t id) { end(id, 0); });
}

void take_domains(NvtxFunctionTable table, unsigned int size) {
  put(
      table, size, NVTX_CBID_CORE2_DomainCreateA, +[](const char* name) { return new_domain(std::string(shown(name))); });
  put(
      table, size, NVTX_CBID_CORE2_DomainCreateW, +[](const wchar_t* name) { return new_domain(narrow(name)); });
  put(
      table, size, NVTX_CBID_CORE2_DomainRegisterStringA,
      +[](nvtxDomainHandle_t, const char* text) { return registered(std::string(shown(text))); });
  put(
      table, size, NVTX_CBID_CORE2_DomainRegisterStringW,
      +[](nvtxDomainHandle_t, const wchar_t* text) { return registered(narrow(text)); });
  put(
      table, size, NVTX_CBID_CORE2_DomainRangePushEx,
      +[](nvtxDomainHandle_t domain, const nvtxEventAttributes_t* of) { return push(message_of(of), number(domain)); });
  put(
      table, size, NVTX_CBID_CORE2_DomainRangePop, +[](nvtxDomainHandle_t domain) { return pop(number(domain)); });
  put(
      table, size, NVTX_CBID_CORE2_DomainRangeStartEx,
      +[](nvtxDomainHandle_t domain, const nvtxEventAttributes_t* of) { return start(message_of(of), number(domain)); });
  put(
      table, size, NVTX_CBID_CORE2_DomainRangeEnd, +[](nvtxDomainHandle_t domain, nvtxRangeId_t id) { end(id, number(domain)); });
}

}  // namespace

/// NVTX calls this in the library that NVTX_INJECTION64_PATH names. Returns whether it is to stay.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(  // NOLINT(readability-identifier-naming)
    NvtxGetExportTableFunc_t table_of) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(table_of(NVTX_ETID_CALLBACKS));
  if (!callbacks || !callbacks->GetModuleFunctionTable || !RangeSink::of_process()) return 0;
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0 || !table) return 0;
  take_core(table, size);
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) != 0 && table) take_domains(table, size);
  return 1;
}

}  // namespace tasktwin::gpu::capture
