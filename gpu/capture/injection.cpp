#include <cstdlib>
#include <vector>

#include "gpu/capture/device_records.hpp"
#include "gpu/capture/driver.hpp"
#include "gpu/capture/recorder.hpp"

namespace tasktwin::gpu::capture {

namespace {

/// Which calls are recorded, by domain and callback id.
struct CallTables {
  std::vector<RecordedCall> runtime;
  std::vector<RecordedCall> driver;
};

CallTables& tables() {
  static auto* const all = new CallTables;
  return *all;
}

std::uint64_t node_id(CUgraphNode node) {
  std::uint64_t id = 0;
  if (node) cuptiGetGraphNodeId(node, &id);
  return id;
}

std::uint32_t graph_id(CUgraph graph) {
  std::uint32_t id = 0;
  if (graph) cuptiGetGraphId(graph, &id);
  return id;
}

/// CUPTI's own `nodeType` is always 0.
std::uint32_t type_of(CUgraphNode node, ThreadState& thread) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  thread.busy = true;
  if (const auto ask = Driver::get().graph_node_get_type; ask && node) ask(node, &type);
  thread.busy = false;
  return static_cast<std::uint32_t>(type);
}

void note_graph(ThreadState& thread, CUpti_CallbackIdResource what, const CUpti_GraphData& data) {
  switch (what) {
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED: {
      const std::uint64_t node = node_id(data.node);
      thread.log.write(GraphNodeRecord{
          .head = {}, .time_ns = now_ns(), .node = node, .graph = graph_id(data.graph), .type = type_of(data.node, thread)});
      Recorder::note_node(node, thread);
      return;
    }
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
      thread.log.write(NodeCloneRecord{.head = {},
                                       .time_ns = now_ns(),
                                       .node = node_id(data.node),
                                       .original = node_id(data.originalNode),
                                       .graph = graph_id(data.graph),
                                       .original_graph = graph_id(data.originalGraph),
                                       .type = type_of(data.node, thread)});
      return;
    case CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED:
    case CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING:
      thread.log.write(EdgeRecord{.head = {},
                                  .time_ns = now_ns(),
                                  .from = node_id(data.dependency),
                                  .to = node_id(data.node),
                                  .graph = graph_id(data.graph),
                                  .removed = what == CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED ? 0U : 1U});
      return;
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED: {
      std::uint32_t exec = 0;
      cuptiGetGraphExecId(data.graphExec, &exec);
      thread.log.write(GraphExecRecord{.head = {}, .time_ns = now_ns(), .exec = exec, .graph = graph_id(data.graph)});
      return;
    }
    default:
      return;
  }
}

void note_resource(Recorder& recorder, ThreadState& thread, CUpti_CallbackId id, const CUpti_ResourceData& data) {
  const auto what = static_cast<CUpti_CallbackIdResource>(id);
  switch (what) {
    case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
      return recorder.note_device(data.context, thread);
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      thread.context = nullptr;
      return recorder.forget_streams();
    case CUPTI_CBID_RESOURCE_STREAM_CREATED:
    case CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING:
      return recorder.forget_streams();
    default:
      if (data.resourceDescriptor) note_graph(thread, what, *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
  }
}

void CUPTIAPI on_callback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  Recorder& recorder = *static_cast<Recorder*>(user);
  ThreadState* const thread = recorder.thread();
  if (!thread || thread->busy) return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) return note_resource(recorder, *thread, id, *static_cast<const CUpti_ResourceData*>(data));
  const bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
  const std::vector<RecordedCall>& table = driver ? tables().driver : tables().runtime;
  if (id >= table.size() || !table[id].recorded) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite == CUPTI_API_ENTER) {
    recorder.enter(table[id], *thread);
  } else {
    recorder.leave(table[id], call, id, driver, *thread);
  }
}

std::vector<RecordedCall> enable(Recorder& recorder, ThreadState& thread, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                 std::uint32_t ids, RecordedCall (*find)(const char*)) {
  std::vector<RecordedCall> table(ids);
  for (std::uint32_t id = 1; id < ids; ++id) {
    const char* name = nullptr;
    if (cuptiGetCallbackName(domain, id, &name) != CUPTI_SUCCESS || !name) continue;
    table[id] = find(name);
    if (!table[id].recorded) continue;
    recorder.check(cuptiEnableCallback(1, subscriber, domain, id), "cuptiEnableCallback");
    const std::string_view shown = table[id].name;
    const auto bytes = static_cast<std::uint32_t>(shown.size());
    thread.log.write(ApiNameRecord{{}, domain == CUPTI_CB_DOMAIN_DRIVER_API ? 1U : 0U, id, bytes}, shown);
  }
  return table;
}

void subscribe(Recorder& recorder, ThreadState& thread) {
  CUpti_SubscriberHandle subscriber = nullptr;
  if (!recorder.check(cuptiSubscribe(&subscriber, on_callback, &recorder), "cuptiSubscribe")) return;
  tables().runtime = enable(recorder, thread, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE, find_runtime_call);
  tables().driver = enable(recorder, thread, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE, find_driver_call);
  for (const auto id :
       {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, CUPTI_CBID_RESOURCE_STREAM_CREATED,
        CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
        CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING,
        CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED}) {
    recorder.check(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id), "cuptiEnableCallback");
  }
}

void finish() {
  Recorder* const recorder = Recorder::get();
  if (!recorder || !recorder->thread()) return;  // a forked child
  SpoolHead& head = recorder->spool().head();
  if (const auto version = Driver::get().driver_get_version) {
    int driver = 0;
    if (version(&driver) == CUDA_SUCCESS) head.driver_version = static_cast<std::uint32_t>(driver);
  }
  if (recorder->wants_device_records()) finish_device_records(*recorder);
  head.ended_normally = 1;
}

}  // namespace

/// CUDA calls this, once, in the library that CUDA_INJECTION64_PATH names, while cuInit is in flight. Returns whether it is to continue.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {  // NOLINT(readability-identifier-naming)
  Recorder* const recorder = Recorder::get();
  if (!recorder) return 1;
  SpoolHead& head = recorder->spool().head();
  if (head.cuda_loaded.exchange(1) != 0) return 1;
  std::uint32_t version = 0;
  cuptiGetVersion(&version);
  head.cupti_version = version;
  if (recorder->wants_device_records()) start_device_records(*recorder);
  if (ThreadState* const thread = recorder->thread()) subscribe(*recorder, *thread);
  std::atexit(finish);
  return 1;
}

}  // namespace tasktwin::gpu::capture
