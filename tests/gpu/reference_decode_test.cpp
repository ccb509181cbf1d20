#include "gpu/problems/reference_decode.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <Eigen/Core>

#include "gpu/bodies/hashed_values.hpp"
#include "gpu/problems/decode_numbers.hpp"
#include "tests/gpu/problem_graphs.hpp"

namespace tasktwin::gpu {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

Matrix hashed(HashedTensor tensor, std::int64_t skipped_rows, int rows, int columns, float scale) {
  return Matrix::NullaryExpr(rows, columns, [=](Eigen::Index row, Eigen::Index column) {
    return static_cast<double>(from_bf16(hashed_bf16(tensor, static_cast<std::uint64_t>((skipped_rows + row) * columns + column), scale)));
  });
}

Vector rms_norm(const Vector& x, int which) {
  const Vector weights = Vector::NullaryExpr(
      x.size(), [&](Eigen::Index i) { return static_cast<double>(hashed_norm_weight(static_cast<std::uint64_t>(which * x.size() + i))); });
  return (x / std::sqrt(x.squaredNorm() / static_cast<double>(x.size()) + 1e-5)).cwiseProduct(weights);
}

/// The rotation as a matrix.
Matrix rope(int dim, int position) {
  Matrix rotation = Matrix::Zero(dim, dim);
  for (int i = 0; i < dim / 2; ++i) {
    const double angle = position / std::pow(500000.0, 2.0 * i / dim);
    const int partner = i + dim / 2;
    rotation(i, i) = rotation(partner, partner) = std::cos(angle);
    rotation(i, partner) = -std::sin(angle);
    rotation(partner, i) = std::sin(angle);
  }
  return rotation;
}

Vector as_bf16(const Vector& x) {
  return x.unaryExpr([](double value) { return static_cast<double>(from_bf16(to_bf16(static_cast<float>(value)))); });
}

/// The decode step as whole matrices: gate and up by every second row, keys and values with the new row put in.
Vector plain_logits(const DecodeProblem& model) {
  const DecodeScales scales = decode_scales(model);
  const int dim = model.head_dim();
  const Matrix rotation = rope(dim, model.kv_length - 1);
  Vector x = Vector::NullaryExpr(model.hidden, [&](Eigen::Index i) {
    return static_cast<double>(hashed_unit(HashedTensor::kState, static_cast<std::uint64_t>(i)) * scales.state);
  });
  for (int layer = 0; layer < model.layers; ++layer) {
    const Vector qkv =
        hashed(HashedTensor::kQkv, std::int64_t{layer} * model.qkv_rows(), model.qkv_rows(), model.hidden, scales.hidden_weights) *
        rms_norm(x, 2 * layer);
    Vector attended(model.hidden);
    for (int head = 0; head < model.heads; ++head) {
      const int kv_head = head / (model.heads / model.kv_heads);
      const std::int64_t skipped = (std::int64_t{layer} * model.kv_heads + kv_head) * model.kv_length;
      Matrix keys = hashed(HashedTensor::kKeys, skipped, model.kv_length, dim, scales.keys);
      Matrix values = hashed(HashedTensor::kValues, skipped, model.kv_length, dim, scales.values);
      keys.row(model.kv_length - 1) = as_bf16(rotation * qkv.segment(model.hidden + kv_head * dim, dim)).transpose();
      values.row(model.kv_length - 1) = as_bf16(qkv.segment(model.hidden + (model.kv_heads + kv_head) * dim, dim)).transpose();
      const Vector weights = (keys * (rotation * qkv.segment(head * dim, dim)) / std::sqrt(dim)).array().exp();
      attended.segment(head * dim, dim) = values.transpose() * weights / weights.sum();
    }
    x += hashed(HashedTensor::kProject, std::int64_t{layer} * model.hidden, model.hidden, model.hidden, scales.hidden_weights) * attended;
    const Vector both =
        hashed(HashedTensor::kGateUp, std::int64_t{layer} * 2 * model.mlp, 2 * model.mlp, model.hidden, scales.hidden_weights) *
        rms_norm(x, 2 * layer + 1);
    const Eigen::ArrayXd gate = both(Eigen::seqN(0, model.mlp, 2));
    const Eigen::ArrayXd up = both(Eigen::seqN(1, model.mlp, 2));
    x += hashed(HashedTensor::kDown, std::int64_t{layer} * model.hidden, model.hidden, model.mlp, scales.mlp_weights) *
         (gate / (1 + (-gate).exp()) * up).matrix();
  }
  return hashed(HashedTensor::kHead, 0, model.vocabulary, model.hidden, scales.hidden_weights) * rms_norm(x, 2 * model.layers);
}

TEST(ReferenceDecode, IsThePlainMatrixFormula) {
  for (const DecodeProblem& model : kDecodeCases) {
    const std::vector<double> logits = reference_logits(model);
    const Vector plain = plain_logits(model);
    ASSERT_EQ(static_cast<Eigen::Index>(logits.size()), plain.size());
    const Vector difference = Eigen::Map<const Vector>(logits.data(), plain.size()) - plain;
    // the rope table is in FP32, which may turn the rounding of a new key around
    EXPECT_LT(difference.norm() / plain.norm(), 1e-5) << "hidden " << model.hidden << ", kv_length " << model.kv_length;
  }
}

TEST(ReferenceDecode, KeepsActivationsNearOne) {
  const DecodeProblem model{
      .layers = 8, .hidden = 256, .heads = 8, .kv_heads = 2, .mlp = 512, .vocabulary = 1000, .kv_length = 64, .slices = 4};
  const std::vector<double> logits = reference_logits(model);
  const double rms = Eigen::Map<const Vector>(logits.data(), static_cast<Eigen::Index>(logits.size())).norm() / std::sqrt(logits.size());
  EXPECT_GT(rms, 0.5);
  EXPECT_LT(rms, 2);
}

TEST(RelativeError, IsTheNormOfTheDifference) {
  const std::vector<double> reference{3, 4};
  EXPECT_DOUBLE_EQ(relative_error(std::vector<float>{3, 4}, reference), 0);
  EXPECT_DOUBLE_EQ(relative_error(std::vector<float>{3, 5}, reference), 0.2);
  EXPECT_TRUE(std::isinf(relative_error(std::vector<float>{3, std::numeric_limits<float>::quiet_NaN()}, reference)));
}

}  // namespace
}  // namespace tasktwin::gpu
