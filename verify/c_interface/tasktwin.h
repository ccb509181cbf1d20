/* Estimates of how a task graph runs under a schedule design, without files, for compilers and runtimes. docs/estimate.md explains it.
 *
 * Functions that return a pointer return NULL, and those that return an int a negative number, where something was wrong; tasktwin_error()
 * then says what. Nothing is changed by a call that fails, but by tasktwin_edit(), which makes the edits before the wrong one. Objects
 * belong to the caller, and an estimate keeps no reference to what it was made of. Calls of several threads take turns; one estimate is for
 * one thread at a time. */
#ifndef TASKTWIN_H
#define TASKTWIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. A library of another one has other structures: compare it with tasktwin_abi() before anything else. */
#define TASKTWIN_ABI 1
#define TASKTWIN_API __attribute__((visibility("default")))

enum { TASKTWIN_WRONG_INPUT = -1, TASKTWIN_CANNOT_RUN = -2, TASKTWIN_FAULT = -3 }; /* the last is tasktwin's own */
enum { TASKTWIN_SM = 0, TASKTWIN_AIC = 1, TASKTWIN_AIV = 2 };                      /* types of cores */

typedef struct tasktwin_machine tasktwin_machine;
typedef struct tasktwin_graph tasktwin_graph;
typedef struct tasktwin_estimate tasktwin_estimate;

typedef struct tasktwin_task {
  int64_t time_ns;   /* of its body on one core */
  int64_t bytes;     /* that the body moves through the device's memory meanwhile; 0 for none */
  int32_t core_type; /* TASKTWIN_SM and so on */
  int32_t priority;  /* higher first, under order 'priority' */
  int32_t core;      /* under placement 'replay': in whose list it is, from 0; else unused */
  int32_t place;     /* and where: lists ascend by it */
} tasktwin_task;

typedef struct tasktwin_edge {
  uint32_t from, to; /* tasks, from 0 */
} tasktwin_edge;

enum {
  TASKTWIN_SET_TIME,     /* task, value: ns */
  TASKTWIN_SET_PRIORITY, /* task, value; under order 'priority' */
  TASKTWIN_ADD_EDGE,     /* task, other: from task to other */
  TASKTWIN_REMOVE_EDGE,  /* the same */
  TASKTWIN_MOVE          /* task, other: a core, value: the place in its list, from 0, as that is without the task */
};

typedef struct tasktwin_change {
  int32_t kind; /* TASKTWIN_SET_TIME and so on */
  uint32_t task;
  uint32_t other;
  int64_t value;
} tasktwin_change;

typedef struct tasktwin_result {
  int64_t makespan_ns;
  double low_ns, high_ns; /* between which 95 % of measurements of such predictions lie */
  int32_t recordings;     /* from how many that is learnt; 0 for none of this mechanism */
  double simulated;       /* the share of the run that was simulated for this result; 1 for all of it */
} tasktwin_result;

TASKTWIN_API int tasktwin_abi(void);
/* What was wrong with the last call of this thread that failed; valid until the next one that does. */
TASKTWIN_API const char* tasktwin_error(void);

/* `text`: a machine file's contents, or the name of a shipped machine ("nvidia-h200"), the one thing that is then read from a file. */
TASKTWIN_API tasktwin_machine* tasktwin_new_machine(const char* text);
TASKTWIN_API void tasktwin_free_machine(tasktwin_machine* machine);

TASKTWIN_API tasktwin_graph* tasktwin_new_graph(const tasktwin_task* tasks, size_t task_count, const tasktwin_edge* edges,
                                                size_t edge_count);
TASKTWIN_API void tasktwin_free_graph(tasktwin_graph* graph);

/* `design`: a named design ("static-queues"), or one in the form of scenario files: "{from: static-queues, mailbox_depth: 2}". */
TASKTWIN_API tasktwin_estimate* tasktwin_new_estimate(const tasktwin_graph* graph, const tasktwin_machine* machine, const char* design,
                                                      uint64_t seed);
TASKTWIN_API void tasktwin_free_estimate(tasktwin_estimate* estimate);

TASKTWIN_API int tasktwin_run(tasktwin_estimate* estimate, tasktwin_result* result);
/* The tasks whose bodies are on the observed critical path, first to last: writes at most `room` of them, returns how many there are. */
TASKTWIN_API int tasktwin_critical(tasktwin_estimate* estimate, uint32_t* tasks, size_t room);

/* Edits of what the next run is of. */
TASKTWIN_API int tasktwin_edit(tasktwin_estimate* estimate, const tasktwin_change* changes, size_t count);
/* Keeps the edits since the last settling, where `keep` is not 0, or takes them back. */
TASKTWIN_API int tasktwin_settle(tasktwin_estimate* estimate, int keep);

#ifdef __cplusplus
}
#endif

#endif
