// SPDX-License-Identifier: BSD-3-Clause
// A Python interpreter in a process that is being recorded: copies of its threads' frames, and its functions as
// addresses for call chains. A function's address is that of its bytecode. Several threads may copy frames at the same
// time; everything else must be done by one thread.
#pragma once
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/recording/python_host.h"
#include "analysis/recording/search_budget.h"
#include "code/python/code_objects.h"
#include "code/python/runtime.h"
#include "code/python/snapshot.h"
#include "code/python/stacks.h"
#include "code/python/threads.h"
#include "code/symbols/listed/jit_dump_writer.h"

namespace wperf::recording {

// The functions of all processes, as the bytes of perf_data::kJitCodeFeature.
std::string jit_code_of(const std::map<u32, symbols::JitDumpWriter>& made);
// "3.11, 3.13". `minor_versions`: one bit for each.
std::string python_versions(u32 minor_versions);

class PythonProcess {
 public:
  // Null if the process has no interpreter that wperf can read now. The host must outlive this object.
  static std::unique_ptr<PythonProcess> open(PythonHost& host, u32 pid);
  // The interpreter of a process that was forked from this one, at the same addresses. Null if that process has started
  // another program since. Can be called by any thread.
  std::unique_ptr<PythonProcess> forked(u32 child) const;
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  u32 minor_version() const { return static_cast<u32>(layout_.minor()); }
  bool evaluates_at(u64 address) const {
    return std::ranges::any_of(runtime_.evaluation,
                               [address](const code::AddressRange& part) { return part.contains(address); });
  }

  struct Function {
    u32 id = 0;
    u64 begin = 0, end = 0;  // its bytecode, in units of two bytes
    // The next instruction is never the first one.
    bool may_have_next(u64 address) const { return address > begin && address <= end && (address - begin) % 2 == 0; }
  };
  struct Frame {
    u64 address = 0;
    u64 instruction = 0;               // the instruction that runs, or that made a call
    std::optional<Function> function;  // nullopt: it cannot be read
    bool has_function = false;         // false: an evaluation without a Python frame yet
    bool is_entry = false;             // see RawFrame
    bool is_last_read = false;         // there are more frames outside of it than are read
  };
  // The frames of a thread, grouped by their state, innermost first. A thread that runs code in a subinterpreter has
  // one state for that, and one for the interpreter that it came from.
  struct Frames {
    std::vector<Frame> all;
    std::vector<usize> ends;      // where the frames of each state end
    std::optional<usize> active;  // the state whose interpreter the thread runs, if known

    void clear() {
      all.clear();
      ends.clear();
      active.reset();
    }
    usize begin_of(usize state) const { return state == 0 ? 0 : ends[state - 1]; }
    std::span<const Frame> of(usize state) const {
      return std::span(all).subspan(begin_of(state), ends[state] - begin_of(state));
    }
    usize state_of(usize frame) const {
      return static_cast<usize>(std::ranges::upper_bound(ends, frame) - ends.begin());
    }
    // The state with the innermost frame, if known.
    std::optional<usize> innermost() const { return ends.size() == 1 ? std::optional<usize>(0) : active; }
    // The frames from this one on: those of its state, then those of the state that the thread came from. If the thread
    // has more states than these, their order is unknown, and they are left out. `room` is used for a thread with
    // several states.
    std::span<const Frame> from(usize frame, std::vector<Frame>& room) const;
  };
  enum class Copied : u8 {
    yes,
    no_python_thread,  // no state of the thread has been found yet
    no_frames,         // not any more, or its state has gone
    unreadable
  };
  Copied copy_frames(u32 tid, u64 now_ns, Frames& out);
  // Called if a thread's frames did not match, perhaps because its states changed. Can be called by any thread.
  void doubt_states() { are_in_doubt_ = true; }

  // Notes that a sample with this time has the function in its call chain. `made`: receives the functions of this
  // process.
  void note_use(const Function& function, u64 time_ns, symbols::JitDumpWriter& made);

 private:
  PythonProcess(PythonHost& host, u32 pid, python::PythonRuntime runtime, const python::Layout& layout);

  struct Thread {  // has its own buffers, because it is copied at each sample
    Thread(python::ProcessMemory& process, const python::Layout& layout, u64 at)
        : state(at), memory(snapshot, process), reader(memory, layout) {}
    u64 state;
    python::Snapshot snapshot;
    python::SnapshotMemory memory;
    python::StackReader reader;
    python::RawStack frames;
  };
  // A thread that was sampled.
  struct Sampled {
    u32 own = 0;            // its own number
    u32 vain_searches = 0;  // how often its state was not found
    bool was_found = false;
    bool lacks_one = false;  // a state that it had belongs to another thread now
  };
  void list_threads(u64 now_ns);
  void find_new_threads(Sampled& thread, u64 now_ns);
  bool add_state(const python::PythonThread& one);
  std::vector<std::unique_ptr<Thread>>* states_of(Sampled& thread, u64 now_ns);
  struct Snapshots {
    bool has_any = false;
    // The memory of a state belongs to another thread now, or to none, and no other state is active.
    bool may_lack_one = false;
  };
  Snapshots take_snapshots(u32 thread);
  bool read_frames(Thread& thread, Frames& out);
  std::optional<Function> function_of(const python::RawFrame& frame);
  bool is_of_other_root(const std::string& file);

  PythonHost& host_;
  const u32 pid_;
  const python::PythonRuntime runtime_;
  const python::Layout layout_;
  const bool has_other_root_;  // at the beginning
  std::mutex copying_;         // protects everything up to code_
  std::unique_ptr<python::ProcessMemory> memory_;
  std::unordered_map<u32, Sampled> sampled_;                               // keyed by the system's thread number
  std::unordered_map<u32, std::vector<std::unique_ptr<Thread>>> threads_;  // keyed by the thread's own number
  u64 listed_ns_ = 0;
  SearchBudget budget_;
  std::atomic<bool> are_in_doubt_ = false;
  python::CodeObjects code_;
  std::unordered_map<u64, u32> function_at_;  // the latest made function, keyed by the beginning of its bytecode
  std::unordered_map<std::string, bool> other_files_;  // is it another file than that of the same path here?
};

}  // namespace wperf::recording
