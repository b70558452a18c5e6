// SPDX-License-Identifier: BSD-3-Clause
// An interpreter of Python in a process that is being recorded: copies of the frames of its threads, and its functions
// as addresses of a call chain. The address of a function is that of its bytecode. Threads may copy frames at the same
// time; everything else is for one thread.
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
#include "code/python/code_objects.h"
#include "code/python/runtime.h"
#include "code/python/snapshot.h"
#include "code/python/stacks.h"
#include "code/symbols/listed/jit_dump_writer.h"

namespace wperf::recording {

// The functions of each process: bytes of perf_data::kMadeCodeFeature.
std::string made_code_of(const std::map<u32, symbols::JitDumpWriter>& made);
// `minor_versions`: a bit for each. "3.11, 3.13"
std::string python_versions(u32 minor_versions);

class PythonProcess {
 public:
  // Null if the process has no interpreter that wperf can read, for now. `made`: gets the functions. It and the host
  // outlive this.
  static std::unique_ptr<PythonProcess> open(PythonHost& host, u32 pid, symbols::JitDumpWriter& made);
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  u32 minor_version() const { return static_cast<u32>(layout_.minor()); }
  bool evaluates_at(u64 address) const {
    return std::ranges::any_of(runtime_.evaluation,
                               [address](const python::CodeRange& part) { return part.contains(address); });
  }

  struct Function {
    u32 id = 0;
    u64 begin = 0, end = 0;  // its bytecode, in units of two bytes
    // The next instruction is never the first one.
    bool may_have_next(u64 address) const { return address > begin && address <= end && (address - begin) % 2 == 0; }
  };
  struct Frame {
    u64 address = 0;
    u64 instruction = 0;               // the one that runs, or has called
    std::optional<Function> function;  // nullopt: it cannot be read
    bool has_function = false;         // false: an evaluation that has no frame of Python yet
    bool is_entry = false;             // as in RawFrame
  };
  // The frames of a thread, by the state to which they belong, the innermost first. A thread that runs code in a
  // subinterpreter has one state for that, and one for the interpreter from which it came.
  struct Frames {
    std::vector<Frame> all;
    std::vector<usize> ends;      // of the states' frames
    std::optional<usize> active;  // the state whose interpreter the thread runs, if it says so

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
    // The state that has the innermost frame, if it is known.
    std::optional<usize> innermost() const { return ends.size() == 1 ? std::optional<usize>(0) : active; }
    // The frames from one on: those of its state, then those of the state from which the thread came. The order of
    // several others is not known, and they are left out. `room`: for a thread with several states.
    std::span<const Frame> from(usize frame, std::vector<Frame>& room) const;
  };
  enum class Copied : u8 { yes, no_python_thread, unreadable };
  Copied copy_frames(u32 tid, u64 now_ns, Frames& out);
  // The frames of a thread did not fit: perhaps it has other states by now. From any thread.
  void doubt_states() { are_in_doubt_ = true; }

  // The function is in the call chain of a sample of this time.
  void note_use(const Function& function, u64 time_ns);

 private:
  PythonProcess(PythonHost& host, std::unique_ptr<python::ProcessMemory> memory, const python::Layout& layout,
                symbols::JitDumpWriter& made);

  struct Thread {  // with its own buffers, because it is copied at each sample
    Thread(python::ProcessMemory& process, const python::Layout& layout, u64 at)
        : state(at), memory(snapshot, process), reader(memory, layout) {}
    u64 state;
    python::Snapshot snapshot;
    python::SnapshotMemory memory;
    python::StackReader reader;
    python::RawStack frames;
  };
  void list_threads(u64 now_ns);
  std::vector<std::unique_ptr<Thread>>* states_of(u32 thread, u64 now_ns);
  bool read_frames(Thread& thread, Frames& out);
  std::optional<Function> function_of(const python::RawFrame& frame);

  PythonHost& host_;
  u32 pid_ = 0;
  python::PythonRuntime runtime_;
  python::Layout layout_;
  std::mutex copying_;  // for everything up to code_
  std::unique_ptr<python::ProcessMemory> memory_;
  std::unordered_map<u32, u32> own_numbers_;                               // of threads, by the system's number
  std::unordered_map<u32, std::vector<std::unique_ptr<Thread>>> threads_;  // by their own number
  u64 listed_ns_ = 0;
  std::atomic<bool> are_in_doubt_ = false;
  python::CodeObjects code_;
  std::unordered_map<u64, u32> function_at_;  // the latest in made code, by the begin of its bytecode
  symbols::JitDumpWriter& made_;
};

}  // namespace wperf::recording
