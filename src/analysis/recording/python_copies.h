// SPDX-License-Identifier: BSD-3-Clause
// The Python frames of sampled threads, copied as soon as their samples are written. copy() may be called by several
// threads; all other functions must be called by the thread that takes the samples.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/recording/python_process.h"
#include "formats/perf_data/event_table.h"

namespace wperf::recording {

// The frames of one sample's thread.
struct PythonCopy {
  perf_data::SampleOwner owner;
  std::shared_ptr<PythonProcess> process;  // null: no interpreter was known in the process
  PythonProcess::Copied copied = PythonProcess::Copied::no_python_thread;
  bool was_still = false;  // the thread did not run while it was copied
  PythonProcess::Frames frames;
};

class PythonCopies {
 public:
  explicit PythonCopies(std::unique_ptr<PythonHost> host = std::make_unique<ThisMachine>()) : host_(std::move(host)) {}

  // Notes a sample of this process. Returns true if open_new() has work to do.
  bool note(u32 pid);
  // Called immediately after a sample. The sampled thread is stopped meanwhile if the sample is not older than
  // `still_ns`.
  void copy(const perf_data::SampleOwner& owner, u64 still_ns);

  // Called if the process has mapped a file that may be an interpreter. Returns true if open_new() has work to do.
  bool look_again(u32 pid);
  // Searches for interpreters in the processes that are new since the last call. Returns the processes that have an
  // interpreter.
  std::vector<u32> open_new();
  // Called if the process ended or started another program at that time.
  void forget(u32 pid, u64 time);
  // The interpreter of the process; null if none is known.
  std::shared_ptr<PythonProcess> process_of(u32 pid);
  u32 versions() const { return versions_; }  // one bit for each minor version that was found

  // Returns the copy for this sample; null if it has no copy. The time of the sample may be up to `late_ns` after the
  // time of its copy; the oldest such copy of the thread is returned.
  std::unique_ptr<PythonCopy> take(u32 tid, u64 time, u64 late_ns = 0);
  void give_back(std::unique_ptr<PythonCopy> copy);
  // Drops copies for samples before this time, because these samples can no longer arrive.
  void drop_before(u64 time);

 private:
  struct Program {
    std::shared_ptr<PythonProcess> process;
    u64 asked_ns = 0, pause_ns = 0;
    bool is_new = false;        // open_new() has to examine it
    bool was_compared = false;  // compared with its parent
  };
  using Copies = std::vector<std::unique_ptr<PythonCopy>>;
  std::unique_ptr<PythonCopy> begin_copy(u32 pid);
  void compare_with_parent(u32 pid);

  std::unique_ptr<PythonHost> host_;
  std::mutex mutex_;  // protects everything up to free_
  std::unordered_map<u32, Program> programs_;
  std::vector<u32> new_;  // process numbers
  Copies finished_, free_;
  std::multimap<std::pair<u32, u64>, std::unique_ptr<PythonCopy>> by_time_;  // by thread and time; from finished_
  u32 versions_ = 0;
};

}  // namespace wperf::recording
