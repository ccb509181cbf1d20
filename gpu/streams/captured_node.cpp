#include "gpu/streams/captured_node.hpp"

#include "gpu/cuda/cuda_error.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {

namespace {

/// The node that what comes next into the stream would wait for.
cudaGraphNode_t last_node(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
  check(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, nullptr, &count), "asking for a captured node");
  if (count != 1) throw RunError("capturing a kernel gave " + std::to_string(count) + " nodes");
  return nodes[0];
}

}  // namespace

cudaGraphNode_t add_captured_node(cudaGraph_t graph, std::span<const cudaGraphNode_t> after, cudaStream_t stream,
                                  const std::function<void()>& launch) {
  check(cudaStreamBeginCaptureToGraph(stream, graph, after.data(), nullptr, after.size(), cudaStreamCaptureModeThreadLocal),
        "beginning to capture a node");
  cudaGraph_t same = nullptr;
  cudaGraphNode_t node = nullptr;
  try {
    launch();
    check(cudaGetLastError(), "launching a task");
    node = last_node(stream);
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &same));
    throw;
  }
  check(cudaStreamEndCapture(stream, &same), "ending the capture of a node");
  return node;
}

}  // namespace tasktwin::gpu
