#include "gpu/problems/decode_data.hpp"

#include "gpu/bodies/hashed_values.hpp"
#include "gpu/problems/decode_numbers.hpp"
#include "gpu/problems/hash_fill.hpp"
#include "gpu/problems/reference_decode.hpp"

namespace tasktwin::gpu {
namespace {

/// Every byte so: not a number, in FP32 and in BF16.
constexpr int kSpoiled = 0xff;

DeviceBuffer<Bf16> hashed(std::uint64_t count, HashedTensor tensor, float scale, const char* what) {
  DeviceBuffer<Bf16> buffer(count, what);
  fill_hashed(buffer.data(), buffer.size(), tensor, scale, nullptr);
  return buffer;
}

DeviceBuffer<float> activation(std::int64_t count) { return DeviceBuffer<float>(static_cast<std::size_t>(count), "the activations"); }

std::vector<float> norm_weights(const DecodeProblem& problem) {
  std::vector<float> weights(decode_sizes(problem).norm_weights);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = hashed_norm_weight(i);
  return weights;
}

std::vector<float> initial_state(const DecodeProblem& problem) {
  std::vector<float> state(static_cast<std::size_t>(problem.hidden));
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = hashed_unit(HashedTensor::kState, i) * decode_scales(problem).state;
  return state;
}

}  // namespace

DecodeData::DecodeData(const TaskGraph& graph) : SyntheticData(graph), problem_(std::get<DecodeProblem>(graph.problem())) {
  const DecodeSizes sizes = decode_sizes(problem_);
  const DecodeScales scales = decode_scales(problem_);
  qkv_weights_ = hashed(sizes.qkv_weights, HashedTensor::kQkv, scales.hidden_weights, "the q, k, v weights");
  project_weights_ = hashed(sizes.project_weights, HashedTensor::kProject, scales.hidden_weights, "the output projection's weights");
  gate_up_weights_ = hashed(sizes.gate_up_weights, HashedTensor::kGateUp, scales.hidden_weights, "the gate and up weights");
  down_weights_ = hashed(sizes.down_weights, HashedTensor::kDown, scales.mlp_weights, "the down weights");
  head_weights_ = hashed(sizes.head_weights, HashedTensor::kHead, scales.hidden_weights, "the head's weights");
  keys_ = hashed(sizes.cache, HashedTensor::kKeys, scales.keys, "the key cache");
  values_ = hashed(sizes.cache, HashedTensor::kValues, scales.values, "the value cache");
  norm_weights_ = {std::span<const float>(norm_weights(problem_)), "the norms' weights"};
  const RopeTable rope = rope_table(problem_);
  rope_cos_ = {std::span<const float>(rope.cosines), "the rotations"};
  rope_sin_ = {std::span<const float>(rope.sines), "the rotations"};
  initial_state_ = {std::span<const float>(initial_state(problem_)), "the state"};
  const std::int64_t partials = std::int64_t{problem_.heads} * problem_.slices;
  state_ = activation(problem_.hidden);
  normed_ = activation(problem_.hidden);
  qkv_ = activation(problem_.qkv_rows());
  partial_sums_ = activation(partials * problem_.head_dim());
  partial_scales_ = activation(partials * 2);
  attended_ = activation(problem_.hidden);
  activated_ = activation(problem_.mlp);
  logits_ = activation(problem_.vocabulary);
  gpu::check(cudaDeviceSynchronize(), "generating weights");
}

BodyContext DecodeData::context() const {
  BodyContext context = SyntheticData::context();
  context.decode = {.layers = problem_.layers,
                    .hidden = problem_.hidden,
                    .heads = problem_.heads,
                    .kv_heads = problem_.kv_heads,
                    .head_dim = problem_.head_dim(),
                    .mlp = problem_.mlp,
                    .vocabulary = problem_.vocabulary,
                    .kv_length = problem_.kv_length,
                    .slices = problem_.slices,
                    .qkv_weights = qkv_weights_.data(),
                    .project_weights = project_weights_.data(),
                    .gate_up_weights = gate_up_weights_.data(),
                    .down_weights = down_weights_.data(),
                    .head_weights = head_weights_.data(),
                    .norm_weights = norm_weights_.data(),
                    .rope_cos = rope_cos_.data(),
                    .rope_sin = rope_sin_.data(),
                    .keys = keys_.data(),
                    .values = values_.data(),
                    .state = state_.data(),
                    .normed = normed_.data(),
                    .qkv = qkv_.data(),
                    .partial_sums = partial_sums_.data(),
                    .partial_scales = partial_scales_.data(),
                    .attended = attended_.data(),
                    .activated = activated_.data(),
                    .logits = logits_.data()};
  return context;
}

void DecodeData::reset(cudaStream_t stream) {
  SyntheticData::reset(stream);
  const char* const what = "resetting the decode step";
  gpu::check(cudaMemcpyAsync(state_.data(), initial_state_.data(), state_.bytes(), cudaMemcpyDeviceToDevice, stream), what);
  for (const DeviceBuffer<float>* buffer : {&normed_, &qkv_, &partial_sums_, &partial_scales_, &attended_, &activated_, &logits_}) {
    gpu::check(cudaMemsetAsync(buffer->data(), kSpoiled, buffer->bytes(), stream), what);
  }
  const std::size_t row_bytes = static_cast<std::size_t>(problem_.head_dim()) * sizeof(Bf16);
  const std::size_t newest = static_cast<std::size_t>(problem_.kv_length - 1) * static_cast<std::size_t>(problem_.head_dim());
  const std::size_t cache_heads = static_cast<std::size_t>(problem_.layers) * static_cast<std::size_t>(problem_.kv_heads);
  for (Bf16* const cache : {keys_.data(), values_.data()}) {
    gpu::check(cudaMemset2DAsync(cache + newest, static_cast<std::size_t>(problem_.kv_length) * row_bytes, kSpoiled, row_bytes, cache_heads,
                                 stream),
               what);
  }
}

std::optional<Residual> DecodeData::check() const {
  return Residual{relative_error(logits_.to_host("the logits"), reference_logits(problem_)), kDecodeErrorLimit};
}

}  // namespace tasktwin::gpu
