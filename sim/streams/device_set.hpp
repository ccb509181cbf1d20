#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/streams/device.hpp"

namespace tasktwin::sim {

/// The devices of a machine, each with the kernels that are its own; on a machine of one, Device itself.
class DeviceSet {
 public:
  /// Kernels are known by their place in `plan`.
  DeviceSet(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, std::span<const std::uint8_t> levels,
            Device::Listener& listener);

  void begin_again();
  CoreId core_of(std::uint32_t kernel) const;
  void leave_bandwidth(int device, double bandwidth, TimePoint now);
  void watch_memory(int device, MemoryBandwidth::Watcher& watcher);
  void watch(std::uint32_t kernel);
  void come(std::uint32_t kernel, TimePoint now);
  void arrive(std::uint32_t kernel, TimePoint now);
  /// Whether the ranks of collectives are among its kernels.
  bool takes_ranks() const { return takes_ranks_; }
  void give_back(std::uint32_t rank, TimePoint now);

 private:
  /// One of several, which knows its kernels by numbers of its own.
  class One final : private Device::Listener {
   public:
    One(const WiringInputs& inputs, std::vector<std::uint32_t> kernels, const std::vector<StreamLaunch>& plan,
        std::span<const std::uint8_t> levels, Device::Listener& listener, Meetings& meetings, int number);

    Device& device() { return device_; }

   private:
    void handed_over(std::uint32_t kernel, TimePoint now) override { listener_.handed_over(kernels_[kernel], now); }
    void kernel_ended(std::uint32_t kernel, TaskId task, TimePoint now) override { listener_.kernel_ended(kernels_[kernel], task, now); }
    void begun(std::uint32_t kernel, TimePoint now) override { listener_.begun(kernels_[kernel], now); }
    void placed(std::uint32_t rank, TimePoint now) override { listener_.placed(kernels_[rank], now); }
    void triggered(std::uint32_t kernel, TimePoint now) override { listener_.triggered(kernels_[kernel], now); }

    std::vector<std::uint32_t> kernels_;  ///< by its own numbers: in the plan
    Device::Listener& listener_;
    Device device_;
  };

  bool takes_ranks_;
  Meetings meetings_;  ///< before the devices that refer to it
  std::optional<Device> only_;
  std::vector<std::unique_ptr<One>> devices_;
  std::vector<std::uint32_t> device_of_;  ///< by place in the plan; these two empty where there is one device
  std::vector<std::uint32_t> own_number_;
};

}  // namespace tasktwin::sim
