/* A compiler's plug-in: in which order a host should launch the kernels of a graph onto streams, found by estimates (docs/estimate.md).
 * order_launches.py hands it a captured PyTorch program. cc -shared -fPIC order_launches.c -ltasktwin */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasktwin.h"

typedef struct {
  const tasktwin_task* tasks;
  const tasktwin_edge* edges;
  size_t task_count, edge_count;
  const tasktwin_machine* machine;
  const char* design;
} program;

static void* room(size_t count, size_t size) {
  void* const memory = calloc(count + 1, size);
  if (memory == NULL) abort();
  return memory;
}

/* The makespan where tasks are launched in `order`; negative where something was wrong. The host launches in the order of a graph's tasks,
 * so each candidate is the same graph with the tasks in another order. Where `critical` is given, it gets the program's tasks on the
 * critical path, and `*critical_count` how many they are. */
static int64_t makespan_of(const program* of, const uint32_t* order, uint32_t* critical, size_t* critical_count) {
  tasktwin_task* const tasks = room(of->task_count, sizeof *tasks);
  tasktwin_edge* const edges = room(of->edge_count, sizeof *edges);
  uint32_t* const place = room(of->task_count, sizeof *place);
  for (size_t i = 0; i < of->task_count; ++i) {
    tasks[i] = of->tasks[order[i]];
    place[order[i]] = (uint32_t)i;
  }
  for (size_t i = 0; i < of->edge_count; ++i) {
    edges[i].from = place[of->edges[i].from];
    edges[i].to = place[of->edges[i].to];
  }
  tasktwin_graph* const graph = tasktwin_new_graph(tasks, of->task_count, edges, of->edge_count);
  tasktwin_estimate* const estimate = graph ? tasktwin_new_estimate(graph, of->machine, of->design, 1) : NULL;
  tasktwin_result result = {-1, 0, 0, 0, 0};
  if (estimate == NULL || tasktwin_run(estimate, &result) != 0) result.makespan_ns = -1;
  if (result.makespan_ns >= 0 && critical != NULL) {
    const int count = tasktwin_critical(estimate, critical, of->task_count);
    *critical_count = count < 0 ? 0 : (size_t)count;
    for (size_t i = 0; i < *critical_count; ++i) critical[i] = order[critical[i]];
  }
  tasktwin_free_estimate(estimate);
  tasktwin_free_graph(graph);
  free(place);
  free(edges);
  free(tasks);
  return result.makespan_ns;
}

/* Where each task's successors begin in `next`, which holds them task by task. */
static void successors_of(const program* of, size_t* begin, uint32_t* next) {
  for (size_t i = 0; i < of->edge_count; ++i) ++begin[of->edges[i].from + 1];
  for (size_t i = 0; i < of->task_count; ++i) begin[i + 1] += begin[i];
  size_t* const at = room(of->task_count, sizeof *at);
  memcpy(at, begin, of->task_count * sizeof *at);
  for (size_t i = 0; i < of->edge_count; ++i) next[at[of->edges[i].from]++] = of->edges[i].to;
  free(at);
}

/* An order in which each task comes after what it waits for and, of those that may come, the one of the highest rank does. Returns how many
 * tasks it has: fewer where they wait for each other. */
static size_t ordered_by(const program* of, const int64_t* rank, uint32_t* order) {
  size_t* const begin = room(of->task_count + 1, sizeof *begin);
  uint32_t* const next = room(of->edge_count, sizeof *next);
  uint32_t* const waits = room(of->task_count, sizeof *waits);
  char* const done = room(of->task_count, 1);
  successors_of(of, begin, next);
  for (size_t i = 0; i < of->edge_count; ++i) ++waits[of->edges[i].to];
  size_t count = 0;
  for (; count < of->task_count; ++count) {
    size_t best = of->task_count;
    for (size_t i = 0; i < of->task_count; ++i) {
      if (!done[i] && waits[i] == 0 && (best == of->task_count || rank[i] > rank[best])) best = i;
    }
    if (best == of->task_count) break;
    done[best] = 1;
    order[count] = (uint32_t)best;
    for (size_t i = begin[best]; i < begin[best + 1]; ++i) --waits[next[i]];
  }
  free(done);
  free(waits);
  free(next);
  free(begin);
  return count;
}

/* By task: its own time and the longest way behind it. */
static void ways_to_the_end(const program* of, const uint32_t* order, int64_t* way) {
  size_t* const begin = room(of->task_count + 1, sizeof *begin);
  uint32_t* const next = room(of->edge_count, sizeof *next);
  successors_of(of, begin, next);
  for (size_t i = of->task_count; i-- > 0;) {
    const uint32_t task = order[i];
    int64_t behind = 0;
    for (size_t at = begin[task]; at < begin[task + 1]; ++at) behind = way[next[at]] > behind ? way[next[at]] : behind;
    way[task] = of->tasks[task].time_ns + behind;
  }
  free(next);
  free(begin);
}

/* While it helps: tasks on the critical path are launched earlier. `rank` and `order` are the best so far, and become the best found. */
static int64_t improve(const program* of, int64_t* rank, uint32_t* order, int64_t best, int most) {
  uint32_t* const critical = room(of->task_count, sizeof *critical);
  uint32_t* const tried = room(of->task_count, sizeof *tried);
  int64_t* const ranks = room(of->task_count, sizeof *ranks);
  size_t count = 0;
  makespan_of(of, order, critical, &count);
  for (size_t i = 0; i < count && most > 0; ++i, --most) {
    memcpy(ranks, rank, of->task_count * sizeof *ranks);
    for (size_t at = 0; at <= i; ++at) ranks[critical[at]] = INT64_MAX - (int64_t)at; /* with what it waits for */
    ordered_by(of, ranks, tried);
    size_t then = 0;
    uint32_t* const path = room(of->task_count, sizeof *path);
    const int64_t makespan = makespan_of(of, tried, path, &then);
    if (makespan >= 0 && makespan < best) {
      best = makespan;
      memcpy(rank, ranks, of->task_count * sizeof *rank);
      memcpy(order, tried, of->task_count * sizeof *order);
      memcpy(critical, path, of->task_count * sizeof *critical);
      count = then;
      i = (size_t)-1; /* along the new path from its beginning */
    }
    free(path);
  }
  free(ranks);
  free(tried);
  free(critical);
  return best;
}

/* The best order found of launching these tasks onto so many streams of a machine, with at most `most` estimates. Returns 0, or -1 with a
 * message on stderr. `makespans`: as given, the longest way first, and of `order`, in ns. */
TASKTWIN_API int order_launches(const char* machine, int streams, const tasktwin_task* tasks, size_t task_count, const tasktwin_edge* edges,
                                size_t edge_count, int most, uint32_t* order, int64_t makespans[3]) {
  if (tasktwin_abi() != TASKTWIN_ABI) {
    fprintf(stderr, "libtasktwin is of interface %d, this of %d\n", tasktwin_abi(), TASKTWIN_ABI);
    return -1;
  }
  char design[64];
  snprintf(design, sizeof design, "{from: cuda-streams, streams: %d}", streams);
  tasktwin_machine* const on = tasktwin_new_machine(machine);
  program of = {tasks, edges, task_count, edge_count, on, design};
  int64_t* const rank = room(task_count, sizeof *rank);
  int64_t* const way = room(task_count, sizeof *way);
  uint32_t* const by_way = room(task_count, sizeof *by_way);
  int status = -1;
  for (size_t i = 0; i < task_count; ++i) rank[i] = -(int64_t)i;
  if (on != NULL && ordered_by(&of, rank, order) == task_count) {
    makespans[0] = makespan_of(&of, order, NULL, NULL);
    ways_to_the_end(&of, order, way);
    ordered_by(&of, way, by_way);
    makespans[1] = makespan_of(&of, by_way, NULL, NULL);
    makespans[2] = makespans[0];
    if (makespans[0] >= 0 && makespans[1] >= 0) {
      if (makespans[1] < makespans[0]) {
        memcpy(order, by_way, task_count * sizeof *order);
        memcpy(rank, way, task_count * sizeof *rank);
        makespans[2] = makespans[1];
      }
      makespans[2] = improve(&of, rank, order, makespans[2], most);
      status = 0;
    }
  }
  if (status != 0) fprintf(stderr, "order_launches: %s\n", on == NULL || *tasktwin_error() ? tasktwin_error() : "the tasks wait for each other");
  free(by_way);
  free(way);
  free(rank);
  tasktwin_free_machine(on);
  return status;
}
