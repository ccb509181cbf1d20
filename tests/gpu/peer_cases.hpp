#pragma once

#include <string>
#include <vector>

#include "gpu/peers/plans/decode_shards.hpp"
#include "models/base/random.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {

/// So many devices as nvidia-h200 describes one.
inline Machine several_devices(int devices) {
  Machine machine = scenarios::load_machine("nvidia-h200");
  machine.name = "several";
  machine.devices.per_node = devices;
  // What plans need to be possible; how long anything takes plays no part.
  machine.peers.emplace();
  machine.peers->link_bandwidth = machine.peers->read_bandwidth = machine.peers->core_read_bandwidth = 1;
  machine.collectives.emplace();
  return machine;
}

/// Adds an operation of the group `devices`, one rank on each behind `before` of that device (none where it is empty); returns its ranks.
inline std::vector<TaskId> add_collective(TaskGraphBuilder& builder, Operation kind, int number, std::int64_t bytes, int devices,
                                          const std::vector<std::vector<TaskId>>& before, int root = 0) {
  std::vector<TaskId> ranks;
  for (int device = 0; device < devices; ++device) {
    Task task{.cost = {.bytes = {bytes}}, .kernel = Kernel::kEmpty, .operation = kind, .device = device};
    task.args = {0, number, has_root(kind) ? root : 0, 0};
    ranks.push_back(builder.add_task(std::string(to_word(kind)) + std::to_string(number) + "@" + std::to_string(device), task));
    for (const TaskId one : before[static_cast<std::size_t>(device)]) builder.add_edge(one, ranks.back());
  }
  return ranks;
}

/// `steps` steps of `width` kernels of up to 3 us on random devices, each behind up to three of the step before, wherever these are;
/// `bytes` on the edges between devices.
inline TaskGraph random_over_devices(int devices, int steps, int width, std::int64_t bytes, std::uint64_t seed) {
  Random random(seed);
  TaskGraphBuilder builder;
  std::vector<TaskId> last;
  std::vector<std::int32_t> device_of;
  for (int step = 0; step < steps; ++step) {
    std::vector<TaskId> now;
    for (int i = 0; i < width; ++i) {
      Task task{.cost = {.time = Duration{random.between(0, 3000)}}, .device = static_cast<std::int32_t>(random.between(0, devices - 1))};
      task.layer = step;
      now.push_back(builder.add_task("t" + std::to_string(step) + "." + std::to_string(i), task));
      device_of.push_back(task.device);
      for (std::int64_t edges = step == 0 ? 0 : random.between(1, 3); edges > 0; --edges) {
        const TaskId from = last[static_cast<std::size_t>(random.between(0, width - 1))];
        builder.add_edge(from, now.back(), Bytes{device_of[index(from)] == task.device ? 0 : bytes});
      }
    }
    last = now;
  }
  return std::move(builder).build();
}

/// A kernel on each device, a collective of each kind, a kernel on each device, and so on.
inline TaskGraph every_collective(int devices, std::int64_t bytes, int rounds) {
  TaskGraphBuilder builder;
  std::vector<std::vector<TaskId>> last(static_cast<std::size_t>(devices));
  int number = 0;
  const auto kernels = [&] {
    for (int device = 0; device < devices; ++device) {
      auto& mine = last[static_cast<std::size_t>(device)];
      const TaskId kernel = builder.add_task("kernel" + std::to_string(builder.size()),
                                             {.cost = {.time = std::chrono::microseconds{1 + 3 * device}}, .device = device});
      for (const TaskId before : mine) builder.add_edge(before, kernel);
      mine = {kernel};
    }
  };
  for (int round = 0; round < rounds; ++round) {
    for (const Operation kind : {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter, Operation::kAllToAll,
                                 Operation::kBroadcast, Operation::kSendRecv}) {
      if (kind == Operation::kSendRecv && devices != 2) continue;
      kernels();
      const std::vector<TaskId> ranks = add_collective(builder, kind, ++number, bytes, devices, last, round % devices);
      for (int device = 0; device < devices; ++device) last[static_cast<std::size_t>(device)] = {ranks[static_cast<std::size_t>(device)]};
    }
  }
  kernels();
  return std::move(builder).build();
}

/// One decode step split over devices: each has its heads and rows of the MLP, norms are repeated, and an all_reduce is behind the output
/// projection and behind the down projection of each layer. `tiles`: of a matrix on each device.
inline TaskGraph tensor_parallel_decode(const DecodeProblem& model, int devices, int tiles) {
  TaskGraphBuilder builder;
  builder.set_problem(model);
  std::vector<std::vector<TaskId>> last(static_cast<std::size_t>(devices));
  int number = 0;
  const auto on_each = [&](auto&& visit) {
    for (int device = 0; device < devices; ++device) {
      std::vector<TaskId>& before = last[static_cast<std::size_t>(device)];
      std::vector<TaskId> added;
      const auto add = [&](Kernel kernel, std::array<std::int32_t, 4> args) {
        const TaskId task = builder.add_task(std::string(to_word(kernel)) + std::to_string(builder.size()),
                                             {.args = args, .layer = args[0], .kernel = kernel, .device = device});
        for (const TaskId one : before) builder.add_edge(one, task);
        added.push_back(task);
      };
      visit(decode_shard(model, device, devices), add);
      before = added;
    }
  };
  const auto rows = [&](auto& add, Kernel kernel, int layer, int first, int count) {
    for (int tile = 0; tile < tiles; ++tile) {
      const int begin = first + count * tile / tiles;
      const int end = first + count * (tile + 1) / tiles;
      if (end > begin) add(kernel, {layer, begin, end - begin, 0});
    }
  };
  const auto sum = [&] {
    const std::vector<TaskId> ranks =
        add_collective(builder, Operation::kAllReduce, ++number, std::int64_t{4} * model.hidden, devices, last);
    for (int device = 0; device < devices; ++device) last[static_cast<std::size_t>(device)] = {ranks[static_cast<std::size_t>(device)]};
  };
  const int dim = model.head_dim();
  const int group = model.heads / model.kv_heads;
  for (int layer = 0; layer < model.layers; ++layer) {
    on_each([&](const DecodeShard&, auto& add) { add(Kernel::kRmsNorm, {layer, 0, 0, 0}); });
    on_each([&](const DecodeShard& shard, auto& add) {
      rows(add, Kernel::kQkv, layer, shard.first_kv_head * group * dim, shard.kv_heads * group * dim);
      rows(add, Kernel::kQkv, layer, model.hidden + shard.first_kv_head * dim, shard.kv_heads * dim);
      rows(add, Kernel::kQkv, layer, model.hidden + (model.kv_heads + shard.first_kv_head) * dim, shard.kv_heads * dim);
    });
    on_each([&](const DecodeShard& shard, auto& add) {
      for (int head = shard.first_kv_head; head < shard.first_kv_head + shard.kv_heads; ++head)
        add(Kernel::kAttention, {layer, head, 0, model.kv_length});
    });
    on_each([&](const DecodeShard& shard, auto& add) {
      for (int head = shard.first_kv_head; head < shard.first_kv_head + shard.kv_heads; ++head)
        add(Kernel::kAttentionMerge, {layer, head, model.slices, 0});
    });
    on_each([&](const DecodeShard&, auto& add) { rows(add, Kernel::kProject, layer, 0, model.hidden); });
    sum();
    on_each([&](const DecodeShard&, auto& add) { add(Kernel::kRmsNorm, {layer, 1, 0, 0}); });
    on_each([&](const DecodeShard& shard, auto& add) { rows(add, Kernel::kGateUp, layer, shard.first_activated, shard.activated); });
    on_each([&](const DecodeShard&, auto& add) { rows(add, Kernel::kDown, layer, 0, model.hidden); });
    sum();
  }
  on_each([&](const DecodeShard&, auto& add) { add(Kernel::kRmsNorm, {model.layers, 0, 0, 0}); });
  on_each([&](const DecodeShard& shard, auto& add) {
    const int begin = model.vocabulary * shard.rank / devices;
    rows(add, Kernel::kHead, 0, begin, model.vocabulary * (shard.rank + 1) / devices - begin);
  });
  return std::move(builder).build();
}

/// Small enough for the CPU to compute again.
inline DecodeProblem small_decode() {
  return {.layers = 3, .hidden = 512, .heads = 8, .kv_heads = 4, .mlp = 1024, .vocabulary = 2000, .kv_length = 96, .slices = 1};
}

}  // namespace tasktwin::gpu
