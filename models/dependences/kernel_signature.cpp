#include "models/dependences/kernel_signature.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

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

constexpr std::string_view kConst = "const";

/// PyTorch hands tensors over as structures that begin with the pointer; their elements' type is among the template's own arguments.
ParameterUse use_of_tensor(std::string_view parameter) {
  const std::size_t open = parameter.find('<');
  const std::string_view name = parameter.substr(0, open);
  if (!name.ends_with("::TensorInfo") && !name.ends_with("PackedTensorAccessor")) return ParameterUse::kNone;
  int depth = 0;
  for (std::size_t i = open; i < parameter.size(); ++i) {
    if (parameter[i] == '<') ++depth;
    if (parameter[i] == '>') --depth;
    const bool ends = depth == 1 && parameter[i] == ',';
    if (ends && parameter.substr(0, i).ends_with(" const")) return ParameterUse::kReadOnly;
  }
  return ParameterUse::kReadWrite;
}

ParameterUse use_of(std::string_view parameter) {
  constexpr std::string_view kRestrict = "__restrict__";
  parameter = trimmed(parameter);
  if (parameter.ends_with(kRestrict)) parameter = trimmed(parameter.substr(0, parameter.size() - kRestrict.size()));
  if (parameter == "unsigned long long") return ParameterUse::kHandle;
  if (parameter.ends_with('>')) return use_of_tensor(parameter);
  if (!parameter.ends_with('*')) return ParameterUse::kNone;
  std::string_view pointee = trimmed(parameter.substr(0, parameter.size() - 1));
  const bool is_const = pointee.ends_with("const");
  if (is_const) pointee = trimmed(pointee.substr(0, pointee.size() - kConst.size()));
  if (pointee.ends_with('*')) return ParameterUse::kAnything;
  return is_const ? ParameterUse::kReadOnly : ParameterUse::kReadWrite;
}

/// The parameters of a demangled name.
std::vector<std::string_view> parameters_of(std::string_view demangled) {
  std::vector<std::string_view> parameters;
  const std::string_view text = parameter_text(demangled);
  if (text.empty()) return parameters;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parameters.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
      continue;
    }
    if (text[i] == '(' || text[i] == '<' || text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '>' || text[i] == '}' || text[i] == ']') --depth;
  }
  return parameters;
}

/// PyTorch's kernels for whole families of operations (aten/src/ATen/native/cuda): Loops.cuh hands over an array of pointers, the result
/// before what is read, in a parameter of its own, or, of operands with strides, behind an OffsetCalculator of as many operands, which
/// has words that nobody has filled; DistributionTemplates.h fills; of Reduce.cuh's ReduceOp `src` comes first behind two such
/// calculators, then results and what it adds up in; Shape.cu's copies of several tensors into one and IndexKernelUtils.cu's gather have
/// the result first.
constexpr std::uint32_t calculator_bytes(std::uint32_t operands) { return 4 + 25 * 12 + 25 * 4 * operands; }
constexpr std::uint32_t behind_calculator(std::uint32_t operands) { return (calculator_bytes(operands) + 7) / 8 * 8; }
constexpr std::uint32_t kStridedResults[] = {behind_calculator(1), behind_calculator(2), behind_calculator(3), behind_calculator(4),
                                             behind_calculator(5), behind_calculator(6), behind_calculator(7), behind_calculator(8)};
struct StructuredKernel {
  std::string_view name;
  StructureUse use;
  bool in_array = false;  ///< its operands are the array of pointers among its parameters
};
constexpr StructuredKernel kStructuredKernels[] = {
    {"at::native::vectorized_elementwise_kernel<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly}, true},
    {"at::native::unrolled_elementwise_kernel<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly}, true},
    {"at::native::elementwise_kernel<",
     {.first = ParameterUse::kReadOnly, .others = ParameterUse::kReadOnly, .written = kStridedResults, .partly_filled = true}},
    {"distribution_elementwise_grid_stride_kernel<", {ParameterUse::kReadWrite, ParameterUse::kReadWrite}},
    {"at::native::reduce_kernel<",
     {.first = ParameterUse::kReadOnly, .others = ParameterUse::kReadWrite, .from = calculator_bytes(1) + calculator_bytes(2)}},
    {"at::native::vectorized_gather_kernel<", {ParameterUse::kReadWrite, ParameterUse::kReadOnly}},
    {"CatArrayBatchedCopy<", {.first = ParameterUse::kReadWrite, .others = ParameterUse::kReadOnly, .partly_filled = true}},
    {"CatArrayBatchedCopy_contig<", {.first = ParameterUse::kReadWrite, .others = ParameterUse::kReadOnly, .partly_filled = true}},
    {"CatArrayBatchedCopy_vectorized<", {.first = ParameterUse::kReadWrite, .others = ParameterUse::kReadOnly, .partly_filled = true}},
    {"CatArrayBatchedCopy_alignedK_contig<", {.first = ParameterUse::kReadWrite, .others = ParameterUse::kReadOnly, .partly_filled = true}},
};

/// The functor of this operation writes through a pointer of its own (AmpKernels.cu).
constexpr std::string_view kWritingFunctor = "_amp_non_finite_check_and_unscale";

constexpr StructureUse kAnyUse{.first = ParameterUse::kReadWrite, .others = ParameterUse::kReadWrite, .partly_filled = true};

/// The structure, with the place of its array; one that has none is not understood.
StructureUse with_array(StructureUse use, std::string_view demangled) {
  const std::vector<std::string_view> parameters = parameters_of(demangled);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].starts_with("std::array<char*") && !parameters[i].starts_with("at::detail::Array<char*")) continue;
    use.array = static_cast<std::uint32_t>(i);
    return use;
  }
  return kAnyUse;
}

/// Kernels of libraries whose structure says nothing of itself: what they only read, and what describes it to the hardware, stands at
/// these places in all that were looked at with `tasktwin rerun --effects-out` (cuBLAS 13.0, cuDNN 9, cuFFT 12 on an H200), and in the
/// sources of attention (flash.h: q, k and v begin the structure; kernel_forward.h, kernel_backward.h: what is read comes before what is
/// written); what else stands there counts as written. Results stand at several places, none of which is here.
struct LibraryKernel {
  std::string_view begin;   ///< of its name
  std::string_view within;  ///< also in its name
  std::span<const std::uint32_t> read;
};
constexpr std::uint32_t kNvjet[] = {176, 240, 432, 496, 816, 880, 944, 1008, 1632, 1704, 1712};  // factors and bias
constexpr std::uint32_t kFirstTwo[] = {0, 8};
constexpr std::uint32_t kFirst[] = {0};
constexpr std::uint32_t kWarpgroupProduct[] = {232, 240, 1216, 1280};
constexpr std::uint32_t kCutlassProduct[] = {280, 288};
constexpr std::uint32_t kCutlassDoubleProduct[] = {312, 320};
constexpr std::uint32_t kCutlassByteProduct[] = {304, 312};
constexpr std::uint32_t kVectorProduct[] = {0, 16};
constexpr std::uint32_t kCutlassConvolution[] = {184, 240};
constexpr std::uint32_t kCutlassPartialSums[] = {24};
constexpr std::uint32_t kQueriesKeysValues[] = {0, 8, 16};
constexpr std::uint32_t kQueries[] = {0};
constexpr std::uint32_t kFirstSeven[] = {0, 8, 16, 24, 32, 40, 48};
constexpr LibraryKernel kLibraryKernels[] = {
    {"nvjet_sm90_", "", kNvjet},
    {"sm90_xmma_gemm_", "_warpgroupsize", kWarpgroupProduct},
    {"sm80_xmma_gemm_", "__5x_cublas", kFirstTwo},
    {"sm90_xmma_gemm_f64f64_", "__5x_cublas", kFirstTwo},
    {"sm80_xmma_fprop_implicit_gemm_", "__5x_cudnn", kFirstTwo},
    {"sm80_xmma_dgrad_implicit_gemm_", "__5x_cudnn", kFirstTwo},
    {"sm80_xmma_wgrad_implicit_gemm_", "__5x_cudnn", kFirstTwo},
    {"sm90_xmma_fprop_implicit_gemm_", "__5x_cudnn", kFirstTwo},
    {"sm90_xmma_dgrad_implicit_gemm_", "__5x_cudnn", kFirstTwo},
    {"sm90_xmma_wgrad_indexed_implicit_gemm_", "__5x_cudnn", kFirstTwo},
    {"void cutlass::Kernel2<cutlass_", "_s1688gemm_", kCutlassProduct},
    {"void cutlass::Kernel2<cutlass_", "_s161616gemm_", kCutlassProduct},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_", "", kCutlassProduct},
    {"void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_", "", kCutlassDoubleProduct},
    {"void cutlass::Kernel2<cutlass_", "_i161616gemm_", kCutlassByteProduct},
    {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_", "fprop_optimized_", kCutlassConvolution},
    {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_", "dgrad_optimized_", kCutlassConvolution},
    {"void cutlass__5x_cudnn::Kernel<cutlass__5x_cudnn::reduction::kernel::ReduceSplitK<", "", kCutlassPartialSums},
    {"std::enable_if<!(false), void>::type internal::gemvx::kernel<", "", kVectorProduct},
    {"void dot_kernel<", "cublasDotParams<", kFirstTwo},
    {"void vector_fft_", "(kernel_arguments_t<", kFirst},
    {"void regular_fft_r2c<", "(kernel_arguments_t<", kFirst},
    {"fmha_cutlassF_", "AttentionKernel<", kFirstSeven},
    {"fmha_cutlassB_", "AttentionBackwardKernel<", kFirstSeven},
    {"void pytorch_flash::flash_fwd_kernel<", "(pytorch_flash::Flash_fwd_params)", kQueriesKeysValues},
    {"void flash::flash_fwd_kernel<", "(flash::Flash_fwd_params)", kQueriesKeysValues},
    {"void pytorch_flash::flash_fwd_splitkv_kernel<", "false>(pytorch_flash::Flash_fwd_params)", kQueriesKeysValues},
    {"void flash::flash_fwd_splitkv_kernel<", "false>(flash::Flash_fwd_params)", kQueriesKeysValues},
    {"void pytorch_flash::flash_fwd_splitkv_kernel<", "(pytorch_flash::Flash_fwd_params)", kQueries},  // it may append to keys and values
    {"void flash::flash_fwd_splitkv_kernel<", "(flash::Flash_fwd_params)", kQueries},
    {"void pytorch_flash::flash_bwd_", "(pytorch_flash::Flash_bwd_params)", kQueriesKeysValues},
    {"void flash::flash_bwd_", "(flash::Flash_bwd_params)", kQueriesKeysValues},
};

}  // namespace

std::optional<StructureUse> structure_use(std::string_view demangled) {
  for (const LibraryKernel& kernel : kLibraryKernels) {
    if (demangled.starts_with(kernel.begin) && demangled.find(kernel.within) != std::string_view::npos)
      return StructureUse{
          .first = ParameterUse::kReadWrite, .others = ParameterUse::kReadWrite, .read = kernel.read, .partly_filled = true};
  }
  const std::string_view head = demangled.substr(0, demangled.find('<') + 1);
  for (const StructuredKernel& kernel : kStructuredKernels) {
    if (!head.ends_with(kernel.name)) continue;
    const bool known = kernel.use.written.empty() || demangled.find("gpu_kernel_impl") != std::string_view::npos;
    if (!known || demangled.find(kWritingFunctor) != std::string_view::npos) return kAnyUse;
    return kernel.in_array ? with_array(kernel.use, demangled) : kernel.use;
  }
  return std::nullopt;
}

std::vector<PointerUse> pointer_uses(const StructureUse& structure, std::span<const ParameterWord> pointers) {
  const auto is_among = [](std::span<const std::uint32_t> offsets, const ParameterWord& word) {
    return std::ranges::find(offsets, word.offset) != offsets.end();
  };
  const bool has_result = std::ranges::any_of(pointers, [&](const ParameterWord& one) { return is_among(structure.written, one); });
  bool seen = false;
  std::vector<PointerUse> uses;
  for (const ParameterWord& one : pointers) {
    PointerUse& made = uses.emplace_back();
    made.operand = one.offset >= structure.from && (!structure.array || *structure.array == one.parameter) &&
                   (structure.written.empty() || has_result);
    if (!made.operand) continue;
    const bool first = structure.array ? one.offset == 0 : !std::exchange(seen, true);
    if (is_among(structure.read, one)) {
      made.use = ParameterUse::kReadOnly;
    } else if (!is_among(structure.written, one)) {
      made.use = first ? structure.first : structure.others;
    }
  }
  return uses;
}

std::uint32_t collective_work(std::string_view demangled) {
  constexpr std::uint32_t kHead = 48;  // of ncclDevKernelArgs (src/include/device.h), with a channel's batch behind it
  if (demangled.starts_with("ncclDevKernel_")) return kHead;
  return demangled.starts_with("nccl") ? ~std::uint32_t{0} : 0;  // older ones, and those of symmetric memory, have it in memory
}

std::vector<ParameterUse> parameter_uses(std::string_view demangled) {
  std::vector<ParameterUse> uses;
  for (const std::string_view parameter : parameters_of(demangled)) uses.push_back(use_of(parameter));
  return uses;
}

}  // namespace tasktwin
