#include "gpu/own/own_sources.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "models/base/error.hpp"

namespace tasktwin::gpu {

namespace {

std::optional<std::string> text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

/// In a string literal of C.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// The texts of what `text` includes by `#include "…"` from `folder`, and of what those include.
std::string included(const std::string& text, const std::filesystem::path& folder, std::set<std::string>& met) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#' || line.find("include") == std::string::npos) continue;
    const std::size_t begin = line.find('"');
    const std::size_t end = line.rfind('"');
    if (begin == std::string::npos || end == begin) continue;
    const std::filesystem::path path = folder / line.substr(begin + 1, end - begin - 1);
    if (!met.insert(path.lexically_normal().string()).second) continue;
    if (const auto found = text_of(path)) all += *found + included(*found, path.parent_path(), met);
  }
  return all;
}

std::string buffers_declaration(const OwnKernels& own) {
  return "extern \"C\" __constant__ unsigned char* " + std::string(kBuffersName) + "[" +
         std::to_string(std::max<std::size_t>(1, own.buffers.size())) + "];\n";
}

std::string body_name(std::size_t kernel) { return "tasktwin_body_" + std::to_string(kernel); }
/// Under 'run --sanitize' a body stays a function of its own: what the sanitizer finds is then named by its line, not by that of the kernel
/// which it would be compiled into.
std::string body_head(std::size_t kernel) {
  const char* const apart = std::getenv(kBodiesApart) ? "__noinline__ " : "";
  return "extern \"C\" __device__ " + std::string(apart) + "void " + body_name(kernel) +
         "(const unsigned* words, unsigned index, unsigned char* shared)";
}

/// The first word is how many blocks the task has.
std::string argument(const OwnKernel::Parameter& parameter, std::size_t place) {
  const std::string word = "words[" + std::to_string(1 + place) + "]";
  switch (parameter.type) {
    case ArgumentType::kInteger:
      return "static_cast<int>(" + word + ")";
    case ArgumentType::kFloat:
      return "__uint_as_float(" + word + ")";
    default:
      return "tasktwin_pointer{" + std::string(kBuffersName) + "[" + word + "]}";
  }
}

/// "index, count" of a body's block. Of a task that is a block of a grid the last two words say it.
std::string block_number(const OwnKernel& kernel) {
  if (!kernel.split) return "index, words[0]";
  const std::string number = "words[" + std::to_string(1 + kMostSplitArguments) + "]";
  const std::string count = "words[" + std::to_string(2 + kMostSplitArguments) + "]";
  return count + " != 0 ? " + number + " : index, " + count + " != 0 ? " + count + " : words[0]";
}

std::string body_text(const OwnKernel& kernel, std::size_t number) {
  const std::string threads = std::to_string(kernel.threads);
  std::string text = body_head(number) + " {\n  if (threadIdx.x >= " + threads + "u) return;\n  const tasktwin::Block block{" +
                     block_number(kernel) + ", threadIdx.x, " + threads + "u, shared};\n#line " + std::to_string(kernel.stated_line) + " " +
                     quoted(kernel.stated_in) + "\n  " + kernel.entry + "(block";
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) text += ", " + argument(kernel.parameters[i], i);
  return text + ");\n}\n";
}

/// A buffer's address, as a pointer to whatever the entry takes.
constexpr const char* kPointer = R"(
struct tasktwin_pointer {
  unsigned char* address;
  template <class T>
  __device__ operator T*() const { return reinterpret_cast<T*>(address); }
};
)";

}  // namespace

std::vector<KernelSource> body_sources(const OwnKernels& own) {
  std::vector<KernelSource> sources;
  for (std::size_t i = 0; i < own.kernels.size(); ++i) {
    const OwnKernel& kernel = own.kernels[i];
    auto found = std::ranges::find(sources, kernel.source, &KernelSource::name);
    if (found == sources.end()) {
      const auto text = text_of(kernel.source);
      if (!text) throw InputError({kernel.source}, "cannot be read; it is the source of kernel '" + kernel.name + "'");
      const std::filesystem::path folder = std::filesystem::path(kernel.source).parent_path();
      std::set<std::string> met;
      sources.push_back({.name = kernel.source,
                         .text = "#include <tasktwin/kernel.hpp>\n#line 1 " + quoted(kernel.source) + "\n" + *text +
                                 "\n#line 1 \"tasktwin's calls of it\"\n" + buffers_declaration(own) + kPointer,
                         .folders = {folder.empty() ? "." : folder.string()},
                         .includes = included(*text, folder, met)});
      found = sources.end() - 1;
    }
    found->text += body_text(kernel, i);
  }
  return sources;
}

KernelSource dispatch_source(const OwnKernels& own, std::optional<std::size_t> only) {
  std::string text = buffers_declaration(own).substr(std::string("extern \"C\" ").size());
  text = "extern \"C\" {\n" + text + "}\n";
  std::string cases;
  for (std::size_t i = 0; i < own.kernels.size(); ++i) {
    if (only && *only != i) continue;
    text += body_head(i) + ";\n";
    cases += "    case " + std::to_string(kKernelCount + i) + ":\n      return " + body_name(i) + "(words, index, shared);\n";
  }
  text +=
      "extern \"C\" __device__ void tasktwin_body(unsigned kernel, const unsigned* words, unsigned index, unsigned char* shared) {\n"
      "  switch (kernel) {\n" +
      cases + "  }\n}\n";
  return {.name = "tasktwin's choice of the body", .text = std::move(text)};
}

}  // namespace tasktwin::gpu
