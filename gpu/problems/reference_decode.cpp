#include "gpu/problems/reference_decode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "gpu/bodies/decode_constants.hpp"
#include "gpu/bodies/hashed_values.hpp"
#include "gpu/problems/decode_numbers.hpp"

namespace tasktwin::gpu {
namespace {

using Vector = std::vector<double>;

/// Calls visit(row) for every row, spread over the host's cores.
template <class Visit>
void for_rows(int rows, Visit visit) {
  const int threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, std::max(rows / 16, 1));
  std::vector<std::jthread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([=] {
      for (int row = t; row < rows; row += threads) visit(row);
    });
  }
}

/// The dot product of x with the hashed row that starts at `first`.
double hashed_dot(HashedTensor tensor, std::uint64_t first, float scale, const Vector& x) {
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += static_cast<double>(from_bf16(hashed_bf16(tensor, first + c, scale))) * x[c];
  return sum;
}

class Step {
 public:
  explicit Step(const DecodeProblem& problem) : problem_(problem), scales_(decode_scales(problem)), rope_(rope_table(problem)) {
    for (int i = 0; i < problem.hidden; ++i) {
      state_.push_back(static_cast<double>(hashed_unit(HashedTensor::kState, static_cast<std::uint64_t>(i)) * scales_.state));
    }
  }

  Vector logits() {
    for (int layer = 0; layer < problem_.layers; ++layer) {
      const Vector qkv = multiply(HashedTensor::kQkv, layer, problem_.qkv_rows(), scales_.hidden_weights, norm(2 * layer));
      add_to_state(multiply(HashedTensor::kProject, layer, problem_.hidden, scales_.hidden_weights, attend(layer, qkv)));
      const Vector gates_and_ups = multiply(HashedTensor::kGateUp, layer, 2 * problem_.mlp, scales_.hidden_weights, norm(2 * layer + 1));
      Vector activated(static_cast<std::size_t>(problem_.mlp));
      for (std::size_t i = 0; i < activated.size(); ++i) {
        const double gate = gates_and_ups[2 * i];
        activated[i] = gate / (1 + std::exp(-gate)) * gates_and_ups[2 * i + 1];
      }
      add_to_state(multiply(HashedTensor::kDown, layer, problem_.hidden, scales_.mlp_weights, activated));
    }
    return multiply(HashedTensor::kHead, 0, problem_.vocabulary, scales_.hidden_weights, norm(2 * problem_.layers));
  }

 private:
  Vector norm(int which) const {
    double squares = 0;
    for (const double x : state_) squares += x * x;
    const double scale = 1 / std::sqrt(squares / problem_.hidden + static_cast<double>(kNormEpsilon));
    Vector normed(state_);
    for (std::size_t i = 0; i < normed.size(); ++i) {
      normed[i] *= scale * static_cast<double>(hashed_norm_weight(static_cast<std::uint64_t>(which) * normed.size() + i));
    }
    return normed;
  }

  static Vector multiply(HashedTensor tensor, int layer, int rows, float scale, const Vector& x) {
    Vector result(static_cast<std::size_t>(rows));
    for_rows(rows, [&, layer, rows, scale, tensor](int row) {
      const std::uint64_t first =
          (static_cast<std::uint64_t>(layer) * static_cast<std::uint64_t>(rows) + static_cast<std::uint64_t>(row)) * x.size();
      result[static_cast<std::size_t>(row)] = hashed_dot(tensor, first, scale, x);
    });
    return result;
  }

  void add_to_state(const Vector& change) {
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += change[i];
  }

  std::size_t dim() const { return static_cast<std::size_t>(problem_.head_dim()); }

  Vector rotated(const Vector& qkv, int head) const {
    const std::size_t half = dim() / 2;
    const double* x = qkv.data() + static_cast<std::size_t>(head) * dim();
    Vector turned(dim());
    for (std::size_t i = 0; i < half; ++i) {
      const double cosine = static_cast<double>(rope_.cosines[i]);
      const double sine = static_cast<double>(rope_.sines[i]);
      turned[i] = x[i] * cosine - x[i + half] * sine;
      turned[i + half] = x[i + half] * cosine + x[i] * sine;
    }
    return turned;
  }

  /// The cached vectors of one KV head, the new one appended.
  std::vector<Vector> cached(HashedTensor tensor, int layer, int kv_head, float scale, Vector newest) const {
    const std::uint64_t head =
        static_cast<std::uint64_t>(layer) * static_cast<std::uint64_t>(problem_.kv_heads) + static_cast<std::uint64_t>(kv_head);
    std::vector<Vector> rows;
    for (int p = 0; p + 1 < problem_.kv_length; ++p) {
      const std::uint64_t first = (head * static_cast<std::uint64_t>(problem_.kv_length) + static_cast<std::uint64_t>(p)) * dim();
      Vector row(dim());
      for (std::size_t d = 0; d < row.size(); ++d) row[d] = static_cast<double>(from_bf16(hashed_bf16(tensor, first + d, scale)));
      rows.push_back(std::move(row));
    }
    for (double& x : newest) x = static_cast<double>(from_bf16(to_bf16(static_cast<float>(x))));
    rows.push_back(std::move(newest));
    return rows;
  }

  Vector attend(int layer, const Vector& qkv) const {
    Vector attended(static_cast<std::size_t>(problem_.hidden));
    const int group = problem_.heads / problem_.kv_heads;
    for (int kv_head = 0; kv_head < problem_.kv_heads; ++kv_head) {
      const double* value = qkv.data() + static_cast<std::size_t>(problem_.heads + problem_.kv_heads + kv_head) * dim();
      const auto keys = cached(HashedTensor::kKeys, layer, kv_head, scales_.keys, rotated(qkv, problem_.heads + kv_head));
      const auto values = cached(HashedTensor::kValues, layer, kv_head, scales_.values, Vector(value, value + dim()));
      for (int head = kv_head * group; head < (kv_head + 1) * group; ++head) {
        attend_one(rotated(qkv, head), keys, values, attended.data() + static_cast<std::size_t>(head) * dim());
      }
    }
    return attended;
  }

  void attend_one(const Vector& query, const std::vector<Vector>& keys, const std::vector<Vector>& values, double* attended) const {
    Vector scores;
    for (const Vector& key : keys) {
      double score = 0;
      for (std::size_t d = 0; d < dim(); ++d) score += query[d] * key[d];
      scores.push_back(score / std::sqrt(static_cast<double>(dim())));
    }
    const double highest = *std::ranges::max_element(scores);
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - highest);
    for (std::size_t p = 0; p < scores.size(); ++p) {
      for (std::size_t d = 0; d < dim(); ++d) attended[d] += scores[p] / total * values[p][d];
    }
  }

  DecodeProblem problem_;
  DecodeScales scales_;
  RopeTable rope_;
  Vector state_;
};

}  // namespace

std::vector<double> reference_logits(const DecodeProblem& problem) { return Step(problem).logits(); }

double relative_error(std::span<const float> logits, std::span<const double> reference) {
  double squares = 0;
  double norm = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double difference = static_cast<double>(logits[i]) - reference[i];
    squares += difference * difference;
    norm += reference[i] * reference[i];
  }
  return std::isnan(squares) ? std::numeric_limits<double>::infinity() : std::sqrt(squares / norm);
}

}  // namespace tasktwin::gpu
