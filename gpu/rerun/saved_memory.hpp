#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <cuda.h>

namespace tasktwin::gpu::rerun {

struct Region {
  std::uint64_t base = 0;
  std::size_t bytes = 0;
};

/// Where memory is not what the original order leaves.
struct Differences {
  struct Place {
    std::size_t region;
    std::uint64_t address;  ///< of the chunk
    std::uint64_t bytes;    ///< that differ in it
  };
  std::uint64_t bytes = 0;
  std::uint64_t unreproducible_bytes = 0;  ///< in chunks that the original order does not leave alike either; not in `bytes`
  std::vector<Place> places{};             ///< one a chunk, the first few thousand
};

/// The program's memory as it was when the range was over, kept aside, on the device as far as there is room and on the host else; and
/// what the original order makes of it. Throws CudaError.
class SavedMemory {
 public:
  explicit SavedMemory(std::vector<Region> regions) : regions_(std::move(regions)) {}
  ~SavedMemory();
  SavedMemory(const SavedMemory&) = delete;
  SavedMemory& operator=(const SavedMemory&) = delete;

  /// Contract: before all else. Throws std::bad_alloc too, where neither device nor host has room.
  void save();
  /// Memory is now what the original order leaves: keeps it as what is expected.
  void expect();
  /// How many bytes of each chunk of 4 KiB differ from what is expected.
  std::vector<std::uint32_t> differing();
  /// The original order left these differences when it was run again: such chunks cannot be expected. Whether that is news.
  bool learn(const std::vector<std::uint32_t>& differing);
  /// What of these differences could be expected to be none, and what not.
  Differences differences(const std::vector<std::uint32_t>& differing) const;

  /// Puts back what the original order changes: enough after a run that left what is expected.
  void restore();
  void restore_everything();

  const std::vector<Region>& regions() const { return regions_; }
  std::uint64_t total_bytes() const { return total_bytes_; }
  std::uint64_t host_bytes() const { return host_bytes_; }        ///< of the copies that are on the host
  std::uint64_t changed_bytes() const { return changed_bytes_; }  ///< by the original order
  std::uint64_t unreproducible_bytes() const { return unreproducible_bytes_; }

 private:
  struct Copy {
    CUdeviceptr device = 0;
    std::unique_ptr<std::byte[]> host{};  // NOLINT(modernize-avoid-c-arrays): not filled with zeros, as a vector would be
    bool is_there() const { return device != 0 || host != nullptr; }
  };
  struct Piece {
    std::size_t region;
    CUdeviceptr live;
    std::size_t bytes;
    std::size_t first_chunk;
    std::size_t chunks;
    Copy saved{};
    Copy expected{};     ///< absent: as saved
    bool dirty = false;  ///< the original order changes something of it
  };

  void keep(const Piece& piece, Copy& copy);
  /// On the device, staged there where it is on the host.
  CUdeviceptr on_device(const Piece& piece, const Copy& copy);
  /// How many bytes of each chunk differ from the copies that `of` chooses.
  std::vector<std::uint32_t> count(const Copy& (*of)(const Piece&));
  void mark_changed();
  void launch(CUfunction function, const Piece& piece, CUdeviceptr first, CUdeviceptr second, CUdeviceptr words);

  std::vector<Region> regions_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> changed_;  ///< by chunk
  std::vector<bool> unreproducible_;    ///< by chunk
  std::size_t chunks_ = 0;
  std::uint64_t total_bytes_ = 0, host_bytes_ = 0, changed_bytes_ = 0, unreproducible_bytes_ = 0;
  CUmodule module_ = nullptr;
  CUfunction differing_ = nullptr, put_back_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr counts_ = 0, marks_ = 0, staging_ = 0;
};

}  // namespace tasktwin::gpu::rerun
