#include "verify/capture/spool/kernel_names.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verify/capture/spool/demangled.hpp"
#include "verify/capture/spool/triton_signature.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kExtension = ".ttir";
constexpr std::string_view kDiffers = "?";
constexpr std::uintmax_t kLargest = std::uintmax_t{16} << 20U;
/// Triton shortens long names of files.
constexpr std::size_t kNameThatFilesKeep = 100;

/// One position of kernels of one name.
std::string one_of_both(const std::string& one, const std::string& other) {
  if (one == other) return one;
  const bool pointers = one.ends_with('*') && other.ends_with('*');
  if (!pointers) return std::string(kDiffers);
  for (const std::string& side : {one, other}) {
    if (side.ends_with("**")) return side;
  }
  return one.ends_with("const*") ? other : one;
}

void add_parameters(std::vector<std::string>& known, const std::vector<std::string>& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i < known.size()) {
      known[i] = one_of_both(known[i], found[i]);
    } else {
      known.push_back(found[i]);
    }
  }
}

/// Whether a file of this name may hold one of the kernels.
bool may_hold(const std::string& stem, const std::set<std::string>& wanted) {
  const auto next = wanted.lower_bound(stem);
  if (next == wanted.end()) return false;
  return *next == stem || (stem.size() >= kNameThatFilesKeep && next->starts_with(stem));
}

class Signatures {
 public:
  explicit Signatures(std::set<std::string> wanted) : wanted_(std::move(wanted)) {}

  void look_in(const fs::path& cache) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(cache, fs::directory_options::skip_permission_denied, error), end; !error && at != end;
         at.increment(error)) {
      const fs::path& path = at->path();
      if (path.extension() == kExtension && may_hold(path.stem().string(), wanted_)) read(path);
    }
  }

  /// Of a kernel that the caches do not know, its name alone.
  std::string named(const std::string& name) const {
    const auto found = parameters_.find(name);
    if (found == parameters_.end() || unclear_.contains(name)) return name;
    return fmt::format("{}({})", name, fmt::join(found->second, ", "));
  }

 private:
  void read(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (error || bytes > kLargest) return;
    std::ifstream stream(path);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    const TritonKernel kernel = read_triton_kernel(text);
    if (!wanted_.contains(kernel.name)) return;
    if (!kernel.parameters) {
      unclear_.insert(kernel.name);
      return;
    }
    add_parameters(parameters_[kernel.name], *kernel.parameters);
  }

  std::set<std::string> wanted_;
  std::set<std::string> unclear_;
  std::map<std::string, std::vector<std::string>> parameters_;
};

std::string environment_value(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::vector<fs::path> usual_caches() {
  std::vector<fs::path> caches;
  const std::string own = environment_value("TRITON_CACHE_DIR");
  if (!own.empty()) caches.emplace_back(own);
  if (const std::string home = environment_value("HOME"); !home.empty() && own.empty())
    caches.push_back(fs::path(home) / ".triton" / "cache");
  const std::string inductor = environment_value("TORCHINDUCTOR_CACHE_DIR");
  std::error_code error;
  const std::string user = environment_value("USER").empty() ? "root" : environment_value("USER");
  const fs::path folder = inductor.empty() ? fs::temp_directory_path(error) / ("torchinductor_" + user) : fs::path(inductor);
  if (!error) caches.push_back(folder / "triton");
  return caches;
}

}  // namespace

std::vector<std::string> kernel_names(const std::vector<std::string>& functions, const std::vector<fs::path>& caches) {
  std::vector<std::string> names;
  std::set<std::string> plain;
  for (const std::string& function : functions) {
    names.push_back(demangled(function));
    if (names.back() == function) plain.insert(function);
  }
  if (plain.empty()) return names;
  Signatures signatures(plain);
  for (const fs::path& cache : caches) signatures.look_in(cache);
  for (std::string& name : names) {
    if (plain.contains(name)) name = signatures.named(name);
  }
  return names;
}

std::vector<std::string> kernel_names(const std::vector<std::string>& functions) { return kernel_names(functions, usual_caches()); }

}  // namespace tasktwin::verify
