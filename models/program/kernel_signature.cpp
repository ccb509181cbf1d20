#include "models/program/kernel_signature.hpp"

#include <cstddef>

namespace tasktwin {

namespace {

/// The text between the last parentheses that are in no other brackets; empty where there are none.
std::string_view parameter_text(std::string_view name) {
  if (!name.ends_with(')')) return {};
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return name.substr(i + 1, name.size() - i - 2);
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

ParameterUse use_of(std::string_view parameter) {
  constexpr std::string_view kRestrict = "__restrict__";
  parameter = trimmed(parameter);
  if (parameter.ends_with(kRestrict)) parameter = trimmed(parameter.substr(0, parameter.size() - kRestrict.size()));
  if (parameter.ends_with('&')) return ParameterUse::kNone;
  if (!parameter.ends_with('*')) return ParameterUse::kNone;
  return trimmed(parameter.substr(0, parameter.size() - 1)).ends_with("const") ? ParameterUse::kReadOnly : ParameterUse::kReadWrite;
}

/// PyTorch's kernels for whole families of operations (aten/src/ATen/native/cuda): Loops.cuh hands over an array of pointers, the result
/// before what is read; DistributionTemplates.h fills; of Reduce.cuh's ReduceOp `src` comes first, then results and what it adds up in;
/// Shape.cu's copies of several tensors into one and IndexKernelUtils.cu's gather have the result first.
struct StructuredKernel {
  std::string_view name;
  StructureUse use;
};
constexpr StructuredKernel kStructuredKernels[] = {
    {"at::native::vectorized_elementwise_kernel<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly}},
    {"at::native::unrolled_elementwise_kernel<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly}},
    {"at::native::elementwise_kernel<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly}},
    {"distribution_elementwise_grid_stride_kernel<", {ParameterUse::kReadWrite, ParameterUse::kReadWrite}},
    {"at::native::reduce_kernel<", {ParameterUse::kReadOnly, ParameterUse::kReadWrite}},
    {"at::native::vectorized_gather_kernel<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly}},
    {"CatArrayBatchedCopy<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly, {}, true}},
    {"CatArrayBatchedCopy_contig<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly, {}, true}},
    {"CatArrayBatchedCopy_vectorized<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly, {}, true}},
    {"CatArrayBatchedCopy_alignedK_contig<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly, {}, true}},
};

/// cuBLAS's products on Hopper cards have one structure, which says nothing of itself. In all that were looked at with `tasktwin rerun
/// --effects-out` (cuBLAS 13.0; with and without bias, split along the sum or not) the factors, and what describes them to the hardware,
/// stand at these places, and the bias; what else stands there counts as written.
constexpr std::string_view kCublasProduct = "nvjet_sm90_";
constexpr std::uint32_t kCublasFactors[] = {176, 240, 432, 496, 816, 880, 944, 1008, 1632, 1704, 1712};

}  // namespace

std::optional<StructureUse> structure_use(std::string_view demangled) {
  if (demangled.starts_with(kCublasProduct)) return StructureUse{ParameterUse::kReadWrite, ParameterUse::kReadWrite, kCublasFactors, true};
  const std::string_view head = demangled.substr(0, demangled.find('<') + 1);
  for (const StructuredKernel& kernel : kStructuredKernels) {
    if (head.ends_with(kernel.name)) return kernel.use;
  }
  return std::nullopt;
}

std::vector<ParameterUse> parameter_uses(std::string_view demangled) {
  std::vector<ParameterUse> uses;
  const std::string_view text = parameter_text(demangled);
  if (text.empty()) return uses;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      uses.push_back(use_of(text.substr(begin, i - begin)));
      begin = i + 1;
      continue;
    }
    if (text[i] == '(' || text[i] == '<' || text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '>' || text[i] == '}' || text[i] == ']') --depth;
  }
  return uses;
}

}  // namespace tasktwin
