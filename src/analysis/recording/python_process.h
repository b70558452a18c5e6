// SPDX-License-Identifier: BSD-3-Clause
// A Python interpreter in a process that is being recorded: copies the frames of its threads, and gives its functions
// addresses for call chains. The address of a function is the address of its bytecode. Several threads may copy frames
// at the same time; all other functions must be called by one thread.
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
// "3.11, 3.13". `minor_versions`: one bit for each version.
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
    u64 begin = 0, end = 0;  // addresses of its bytecode, which has units of two bytes
    // The next instruction is never the first instruction of a function.
    bool may_have_next(u64 address) const { return address > begin && address <= end && (address - begin) % 2 == 0; }
  };
  struct Frame {
    u64 address = 0;
    u64 instruction = 0;               // the instruction that runs, or that made a call
    std::optional<Function> function;  // nullopt: it cannot be read
    bool has_function = false;         // false: an evaluation without a Python frame yet
    bool is_entry = false;             // see RawFrame
    bool is_last_read = false;         // not all frames outside of it were read
  };
  // The frames of a thread, grouped by their state, innermost first. A thread that runs code in a subinterpreter has
  // one state for the subinterpreter and one for the interpreter that it came from.
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
    // The frames from this frame on: first of its state, then of the state that the thread came from. The frames of
    // further states are left out, because their order is unknown. `room` is used for a thread with several states.
    std::span<const Frame> from(usize frame, std::vector<Frame>& room) const;
  };
  enum class Copied : u8 {
    yes,
    no_python_thread,  // no state of the thread has been found yet
    no_frames,         // the thread has no frames any more, or its state is gone
    unreadable
  };
  Copied copy_frames(u32 tid, u64 now_ns, Frames& out);
  // Called if the frames of a thread did not match, perhaps because its states have changed. Can be called by any
  // thread.
  void doubt_states() { are_in_doubt_ = true; }

  // Notes that a sample with this time has the function in its call chain. `made`: receives the functions of this
  // process.
  void note_use(const Function& function, u64 time_ns, symbols::JitDumpWriter& made);

 private:
  PythonProcess(PythonHost& host, u32 pid, python::PythonRuntime runtime, const python::Layout& layout);

  struct Thread {  // has separate buffers, because it is copied at each sample
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
    u32 vain_searches = 0;  // number of searches that did not find its state
    bool was_found = false;
    bool lacks_one = false;  // one of its states now belongs to another thread
  };
  void list_threads(u64 now_ns);
  void find_new_threads(Sampled& thread, u64 now_ns);
  bool add_state(const python::PythonThread& one);
  std::vector<std::unique_ptr<Thread>>* states_of(Sampled& thread, u64 now_ns);
  struct Snapshots {
    bool has_any = false;
    // The memory of a state now belongs to another thread or to no thread, and no other state is active.
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
  const bool has_other_root_;  // when the process was opened
  std::mutex copying_;         // protects everything up to code_
  std::unique_ptr<python::ProcessMemory> memory_;
  std::unordered_map<u32, Sampled> sampled_;                               // keyed by the system's thread number
  std::unordered_map<u32, std::vector<std::unique_ptr<Thread>>> threads_;  // keyed by the thread's own number
  u64 listed_ns_ = 0;
  SearchBudget budget_;
  std::atomic<bool> are_in_doubt_ = false;
  python::CodeObjects code_;
  std::unordered_map<u64, u32> function_at_;  // the latest function made, keyed by the start of its bytecode
  // by path: true if the process sees another file there than wperf
  std::unordered_map<std::string, bool> other_files_;
};

}  // namespace wperf::recording
