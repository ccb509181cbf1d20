#include "gpu/problems/own_data.hpp"

#include <algorithm>

#include "gpu/cuda/cuda_error.hpp"
#include "gpu/problems/fill_buffer.hpp"

namespace tasktwin::gpu {

namespace {

/// Each in memory of its own, so that what writes beyond one is found by tools that look for that (compute-sanitizer).
std::vector<DeviceBuffer<std::byte>> allocated(const OwnKernels& own) {
  std::vector<DeviceBuffer<std::byte>> buffers;
  for (const OwnBuffer& buffer : own.buffers)
    buffers.emplace_back(static_cast<std::size_t>(buffer.bytes()), "buffer '" + buffer.name + "'");
  return buffers;
}

std::vector<void*> addresses(const std::vector<DeviceBuffer<std::byte>>& buffers) {
  std::vector<void*> all;
  for (const DeviceBuffer<std::byte>& buffer : buffers) all.push_back(buffer.data());
  return all;
}

/// What it holds when a run begins: of `given` where that has it.
void put_contents(std::byte* data, const OwnBuffer& buffer, std::size_t number, const std::map<std::string, std::vector<std::byte>>* given,
                  cudaStream_t stream) {
  if (given == nullptr || !given->contains(buffer.name)) return fill_buffer(data, buffer, number, stream);
  const std::vector<std::byte>& contents = given->at(buffer.name);
  check(cudaMemcpyAsync(data, contents.data(), contents.size(), cudaMemcpyHostToDevice, stream), "filling buffer '" + buffer.name + "'");
}

}  // namespace

OwnData::OwnData(const TaskGraph& graph, const RunOptions& options)
    : SyntheticData(graph),
      own_(std::get<OwnKernels>(graph.problem())),
      kept_buffers_(options.kept_buffers),
      first_contents_(options.first_contents),
      buffers_(allocated(own_)),
      linked_(own_, addresses(buffers_)) {}

BodyContext OwnData::context() const {
  BodyContext context = SyntheticData::context();
  context.linked = &linked_;
  return context;
}

void OwnData::reset(cudaStream_t stream) {
  SyntheticData::reset(stream);
  for (std::size_t i = 0; i < buffers_.size(); ++i) put_contents(buffers_[i].data(), own_.buffers[i], i, first_contents_, stream);
}

std::optional<Residual> OwnData::check() const {
  for (std::size_t i = 0; kept_buffers_ && i < buffers_.size(); ++i)
    (*kept_buffers_)[own_.buffers[i].name] = buffers_[i].to_host("buffer '" + own_.buffers[i].name + "'");
  return std::nullopt;
}

}  // namespace tasktwin::gpu
