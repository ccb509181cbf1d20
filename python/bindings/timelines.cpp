#include "models/run/timeline.hpp"

#include <cstddef>

#include <pybind11/stl.h>

#include "models/base/error.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"

namespace tasktwin::python {

namespace py = pybind11;

namespace {

static_assert(sizeof(TimePoint) == sizeof(std::int64_t) && sizeof(CoreId) == sizeof(std::int32_t) && sizeof(Span) == 2 * sizeof(TimePoint));

struct Field {
  const char* name;
  const char* type;
  std::size_t offset;
};

/// The dtype of rows of `size` bytes. Ids are signed: −1, all bits of it set, for none.
py::dtype rows_of(std::initializer_list<Field> fields, std::size_t size) {
  py::list names;
  py::list formats;
  py::list offsets;
  for (const Field& field : fields) {
    names.append(field.name);
    formats.append(py::dtype(field.type));
    offsets.append(field.offset);
  }
  return {std::move(names), std::move(formats), std::move(offsets), static_cast<py::ssize_t>(size)};
}

const Timeline& timeline_of(const py::object& self) { return py::cast<const Timeline&>(self); }

template <class Row>
py::array rows(const py::object& self, const std::vector<Row>& values, std::initializer_list<Field> fields) {
  return view(rows_of(fields, sizeof(Row)), values.data(), values.size(), sizeof(Row), self);
}

py::array tasks(const py::object& self) {
  return rows(self, timeline_of(self).tasks,
              {{"ready_ns", "<i8", offsetof(TaskTimes, ready)},
               {"dispatched_ns", "<i8", offsetof(TaskTimes, dispatched)},
               {"received_ns", "<i8", offsetof(TaskTimes, received)},
               {"started_ns", "<i8", offsetof(TaskTimes, started)},
               {"ended_ns", "<i8", offsetof(TaskTimes, ended)},
               {"published_ns", "<i8", offsetof(TaskTimes, published)},
               {"core", "<i4", offsetof(TaskTimes, core)},
               {"dispatcher", "<i4", offsetof(TaskTimes, dispatcher)}});
}

template <auto Member>
py::array column(const py::object& self) {
  const std::vector<TaskTimes>& all = timeline_of(self).tasks;
  const auto type = sizeof(TaskTimes{}.*Member) == sizeof(std::int64_t) ? py::dtype::of<std::int64_t>() : py::dtype::of<std::int32_t>();
  return view(type, all.empty() ? nullptr : &(all.front().*Member), all.size(), sizeof(TaskTimes), self);
}

py::array blocks(const py::object& self) {
  return rows(self, timeline_of(self).blocks,
              {{"task", "<i4", offsetof(BlockTimes, task)},
               {"core", "<i4", offsetof(BlockTimes, core)},
               {"started_ns", "<i8", offsetof(BlockTimes, started)},
               {"ended_ns", "<i8", offsetof(BlockTimes, ended)},
               {"published_ns", "<i8", offsetof(BlockTimes, published)}});
}

py::array ready_queue(const py::object& self) {
  return rows(self, timeline_of(self).ready_queue,
              {{"time_ns", "<i8", offsetof(QueueSample, time)}, {"length", "<i4", offsetof(QueueSample, length)}});
}

py::array memory(const py::object& self) {
  return rows(self, timeline_of(self).memory,
              {{"time_ns", "<i8", offsetof(MemorySample, time)},
               {"used_bytes", "<i8", offsetof(MemorySample, used)},
               {"reserved_bytes", "<i8", offsetof(MemorySample, reserved)}});
}

py::list busy(const py::object& self) {
  py::list all;
  for (const std::vector<Span>& spans : timeline_of(self).dispatchers) {
    all.append(rows(self, spans, {{"begin_ns", "<i8", offsetof(Span, begin)}, {"end_ns", "<i8", offsetof(Span, end)}}));
  }
  return all;
}

/// `kind` is a place in StepKind's words.
py::list steps(const py::object& self) {
  py::list all;
  for (const std::vector<Step>& one : timeline_of(self).steps) {
    all.append(
        rows(self, one,
             {{"begin_ns", "<i8", offsetof(Step, begin)}, {"end_ns", "<i8", offsetof(Step, end)}, {"kind", "u1", offsetof(Step, kind)}}));
  }
  return all;
}

template <class E>
py::list words(const std::vector<E>& values) {
  py::list all;
  for (const E value : values) all.append(std::string(to_word(value)));
  return all;
}

py::object time_or_none(TimePoint time) { return is_present(time) ? py::object(py::int_(to_ns(time))) : py::object(py::none()); }

}  // namespace

void bind_timelines(py::module_& module) {
  module.attr("ABSENT") = to_ns(kAbsent);
  constexpr auto kSteps = all_words<StepKind>();
  module.attr("STEP_KINDS") = py::tuple(py::cast(std::vector<std::string>(kSteps.begin(), kSteps.end())));
  py::class_<Timeline>(module, "Timeline",
                       "What one run did. Arrays are read-only views of it, which keep it alive; times that were not observed are ABSENT.")
      .def_property_readonly("tasks", &tasks, "A row for each task, by its id.")
      .def_property_readonly("ready_ns", &column<&TaskTimes::ready>)
      .def_property_readonly("dispatched_ns", &column<&TaskTimes::dispatched>)
      .def_property_readonly("received_ns", &column<&TaskTimes::received>)
      .def_property_readonly("started_ns", &column<&TaskTimes::started>)
      .def_property_readonly("ended_ns", &column<&TaskTimes::ended>)
      .def_property_readonly("published_ns", &column<&TaskTimes::published>)
      .def_property_readonly("core", &column<&TaskTimes::core>, "The core, or the first of several; -1 for none.")
      .def_property_readonly("dispatcher", &column<&TaskTimes::dispatcher>, "-1 where the core took the task by itself.")
      .def_property_readonly("blocks", &blocks, "A row for each core of tasks on several.")
      .def_property_readonly("ready_queue", &ready_queue, "Tasks ready and not yet taken, at each change.")
      .def_property_readonly("memory", &memory, "Device memory, at each change.")
      .def_property_readonly("busy", &busy, "By control core: when it did anything but look.")
      .def_property_readonly("steps", &steps, "By control core: what it did (STEP_KINDS); empty where steps were not recorded.")
      .def_property_readonly(
          "roles", [](const Timeline& timeline) { return words(timeline.roles); }, "By control core.")
      .def_property_readonly(
          "cores", [](const Timeline& timeline) { return words(timeline.cores); }, "The types of the cores, or streams.")
      .def_property_readonly(
          "workers_per_core", [](const Timeline& timeline) { return timeline.workers_per_core; },
          "So many of the cores are workers of one core: the first worker of each core, then the second of each.")
      .def_property_readonly("makespan_ns", [](const Timeline& timeline) { return to_ns(timeline.makespan()); })
      .def_property_readonly("seen_ns", [](const Timeline& timeline) { return time_or_none(timeline.seen); })
      .def_property_readonly("stopped_ns", [](const Timeline& timeline) { return time_or_none(timeline.stopped); })
      .def("__len__", [](const Timeline& timeline) { return timeline.tasks.size(); });
}

}  // namespace tasktwin::python
