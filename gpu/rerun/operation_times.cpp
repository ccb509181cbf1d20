#include "gpu/rerun/operation_times.hpp"

#include <array>
#include <cstdlib>
#include <utility>

namespace tasktwin::gpu::rerun {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 8;
constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

std::mutex spans_mutex;
std::vector<DeviceSpan> spans;

DeviceSpan span_of(const auto& activity) { return {activity.correlationId, activity.graphNodeId, activity.start, activity.end}; }

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer ? kBufferBytes : 0;
  *records = 0;
}

void CUPTIAPI take_buffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer, std::size_t /*bytes*/, std::size_t valid) {
  const std::lock_guard lock(spans_mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      spans.push_back(span_of(*reinterpret_cast<const CUpti_ActivityKernel10*>(record)));
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) spans.push_back(span_of(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(record)));
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) spans.push_back(span_of(*reinterpret_cast<const CUpti_ActivityMemset4*>(record)));
  }
  std::free(buffer);
}

}  // namespace

NodeClones::NodeClones() {
  if (cuptiSubscribe(&subscriber_, take, this) != CUPTI_SUCCESS) subscriber_ = nullptr;
  if (subscriber_) cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
}

NodeClones::~NodeClones() {
  if (subscriber_) cuptiUnsubscribe(subscriber_);
}

void NodeClones::take(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) return;
  const auto* const graph = static_cast<const CUpti_GraphData*>(static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
  if (graph) static_cast<NodeClones*>(user)->originals_[number_of(graph->node)] = number_of(graph->originalNode);
}

std::uint64_t NodeClones::original(std::uint64_t node) const {
  const auto found = originals_.find(node);
  return found == originals_.end() ? node : found->second;
}

std::uint64_t NodeClones::number_of(CUgraphNode node) {
  std::uint64_t number = 0;
  if (node) cuptiGetGraphNodeId(node, &number);
  return number;
}

bool OperationTimes::start() {
  if (cuptiActivityRegisterCallbacks(give_buffer, take_buffer) != CUPTI_SUCCESS) return false;
  for (const CUpti_ActivityKind kind : kKinds) {
    if (cuptiActivityEnable(kind) != CUPTI_SUCCESS) return false;
  }
  const std::lock_guard lock(spans_mutex);
  spans.clear();
  return true;
}

std::vector<DeviceSpan> OperationTimes::stop() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  for (const CUpti_ActivityKind kind : kKinds) cuptiActivityDisable(kind);
  const std::lock_guard lock(spans_mutex);
  return std::move(spans);
}

}  // namespace tasktwin::gpu::rerun
