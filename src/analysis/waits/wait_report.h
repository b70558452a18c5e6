// SPDX-License-Identifier: BSD-3-Clause
// The results of `wperf waits`, with names. Times are nanoseconds.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/waits/thread_times.h"
#include "analysis/waits/wait_classes.h"
#include "base/ints.h"
#include "model/stacks/python_samples.h"

namespace wperf::waits {

// Printed instead of the thread that ended a wait, if the waiting thread never got what it waited for.
inline constexpr std::string_view kNotEnded = "not ended";

struct ThreadRow {
  std::string name;
  u32 process = 0, thread = 0;
  ThreadTimes times;
  std::array<u64, kWaitClasses> by_class{};  // adds up to times.waiting
};

// Waits in one function.
struct FunctionRow {
  std::string function, module;                 // empty: unknown
  std::string caller = {}, caller_module = {};  // the program's own function that called it; empty if unknown
  WaitClass wait = WaitClass::unexplained;
  u64 count = 0, total = 0, median = 0, most_of_99_percent = 0, longest = 0;
  std::string waker;  // the thread that ended most of the waiting time; empty if unknown
  // For the GIL: the function that held it for the longest time, its thread, and that time; empty if unknown.
  std::string holder = {}, holder_thread = {};
  u64 held_ns = 0;
  const std::string& shown() const { return caller.empty() ? function : caller; }
};

// A thread that waited, and the thread that it waited for.
struct WakerRow {
  std::string waiter, waker;                   // "name (tid)"
  std::string function, waker_function;        // the places of both threads; empty if unknown
  std::string caller = {}, waker_caller = {};  // the programs' own functions that called these functions
  u64 count = 0, waited = 0;
  std::optional<u64> latency = {};  // total time from being woken until running; nullopt if the waker is not recorded
};

// A lock, or another word of memory that threads wait for: conditions, joins, semaphores.
struct LockPlace {
  std::string function, module;  // as in FunctionRow
  std::string caller = {}, caller_module = {};
  u64 count = 0, total = 0, longest = 0;
  std::string waker = {};  // as in FunctionRow
};
struct LockRow {
  std::string name;       // "orders", "stock+0x20", "at 0x5581f2a0"; "not recorded"
  bool is_known = false;  // if false, the members below are empty
  u32 process = 0;
  std::string process_name = {};  // a process with a thread that waited for the lock
  u64 address = 0;
  std::string symbol = {}, module = {};  // empty: unknown
  u64 offset = 0;                        // relative to the symbol, or else a linked address of the module
  u64 count = 0, total = 0, longest = 0;
  std::vector<LockPlace> places;  // ordered by total time
};

// The thread that ran on the core that a ready thread finally came to.
struct StarvedRow {
  std::string ready, ran;
  u64 time = 0, times = 0;
};

struct CoreRow {
  u32 core = 0;
  CoreTimes times;
  stacks::InterruptTimes interrupts = {};  // included in busy and idle
};

// A period of a thread.
struct StretchRow {
  State state = State::unknown;
  bool preempted = false;
  u64 from = 0, length = 0;  // from: since the start of the recording
  u32 core = 0;
  std::string function, caller = {};  // the place of the wait
  std::string lock = {};              // LockRow::name; empty if it was not a lock
  WaitClass wait = WaitClass::unexplained;
  std::string waker, waker_function;
  std::string_view reason = {};         // Windows' name of the reason; empty if not known
  std::optional<u64> wake_to_run = {};  // for a wait whose end was recorded
  bool has_end = false;
};

// A thread that was not switched during the recording, and its place when the recording ended.
struct PlaceNowRow {
  std::string name;
  u32 thread = 0;
  std::string state;     // "sleeping"
  std::string function;  // the kernel function; empty if wperf is not allowed to read it
  WaitClass wait = WaitClass::unexplained;
  std::optional<u64> word = {};  // the address of the word of memory for which it waits
};

// Rows that are not listed because they are too short.
struct OmittedRows {
  u64 min = 0;
  u64 count = 0, time = 0;
};

// As StepState in critical_path.h, but interrupts are divided into device and timer interrupts.
enum class PathState : u8 { running, ready, preempted, device, timer, unknown };
inline constexpr std::array<std::string_view, 6> kPathStateNames = {"running", "ready", "preempted",
                                                                    "device",  "timer", "unknown"};
constexpr std::string_view name_of(PathState state) {
  return kPathStateNames[static_cast<usize>(state)];
}
struct PathRow {
  PathState state = PathState::unknown;
  u64 from = 0, length = 0;  // from: since the start of the recording
  std::string thread;
  std::string function;  // for running: the function at the end of the step
  std::string ended_by;
};
struct PathSum {
  PathState state = PathState::unknown;
  std::string thread, function;
  u64 count = 0, total = 0;
};
struct PathReport {
  std::string of;            // the thread with this path
  u64 from = 0, length = 0;  // the range of all steps together
  std::vector<PathRow> steps;
  std::vector<PathSum> sums;
  OmittedRows left_out;  // steps that were left out
};

struct WaitReport {
  std::string file;
  u64 duration = 0;
  u64 switches = 0, wakeups = 0, contradictions = 0;
  // for the threads in the table: number of contradictory events, and the time between them
  u64 shown_contradictions = 0, contradicted = 0;
  std::optional<u64> from, to;  // the part of the recording that the tables are about; empty: all
  u64 lost_records = 0;
  u64 lost_events = 0, lost_buffers = 0;  // only for a trace
  stacks::PythonSamples python = {};      // for stacks of switches and wake-ups
  bool is_damaged = false;                // an unknown amount of the file is missing or cannot be read
  bool has_wakeups = true, has_stacks = true, has_other_samples = false;
  bool has_interrupts = false;
  bool of_whole_cores = true;  // if false, there are no rows of starved threads and of cores
  // How long the recording program ran on the recorded cores, if its threads are among the recorded threads.
  std::optional<u64> recorder_time;
  u64 switch_cost = 0;     // cost of recording a switch, which is part of the threads' time; 0 if not measured
  u64 cores_time = 0;      // time of all cores together
  u64 threads_in_all = 0;  // number of all threads; the tables may have fewer
  std::vector<ThreadRow> threads;
  std::vector<FunctionRow> functions;
  std::vector<LockRow> locks;      // ordered by total time
  bool locks_are_missing = false;  // threads waited for locks, but the locks were not recorded
  std::vector<WakerRow> wakers;
  std::vector<StarvedRow> starved;
  std::vector<CoreRow> cores;
  // only if no thread was switched; the other tables are then empty or about these threads
  std::vector<PlaceNowRow> places_now;
  std::string timeline_of;  // name of a thread; empty if not requested
  std::vector<StretchRow> timeline;
  std::optional<PathReport> path;
  OmittedRows left_out;  // waits that the tables of functions and wakers, or the timeline, leave out
};

// Each wait of the chosen threads, with its names. HTML pages use these waits for sums over a time range.
struct WaitMoment {
  static constexpr u32 kNone = ~u32{0};

  u64 begin = 0, length = 0;
  u64 latency = 0;         // from being woken to running
  u32 wait = 0;            // index in the accounting
  u32 task = 0, node = 0;  // indices in the profile of the threads' time
  u32 place = 0;           // the place of the wait
  u32 lock = kNone;        // kNone: not a lock
  u32 ender = kNone;       // the thread that ended it; kNone if it continues, or if unknown
  u32 ender_place = 0;     // where that thread was
};

struct NamedPlace {
  std::string function, module;  // empty: unknown
  WaitClass wait = WaitClass::unexplained;
  std::string caller = {}, caller_module = {};  // the program's own function; empty if unknown
  u32 group = 0;                                // equal for places that differ only in `wait`
};

struct WaitMoments {
  std::vector<std::string> people;  // "name (tid)", by number of the thread
  std::vector<NamedPlace> places;
  std::vector<std::string> locks;  // empty if the recording has no locks
  std::vector<WaitMoment> waits;   // ordered by begin
};

}  // namespace wperf::waits
