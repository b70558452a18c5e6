// SPDX-License-Identifier: BSD-3-Clause
// Finds for any time the process of a thread, the names of both, and the mapped images. Ids are reused within a trace,
// so every entry has a time. An entry that only a rundown mentions existed from the beginning, or, if its id was
// reused, since the previous owner of the id ended.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/etl/kernel_payloads.h"

namespace wperf::etl {

class TraceHistory {
 public:
  static constexpr u32 kNobody = ~u32{0};

  // Returns true if the event is about processes, threads, images or volumes.
  bool take(const Event& event);
  // Adds a volume that the trace does not mention.
  void add_volume(VolumeEvent volume);
  // Called after the last event; sorts the entries.
  void finish();

  u32 process_of(u32 thread, u64 time) const;
  // How many later threads reused the id `thread` after the thread that had it at `time`.
  u32 later_threads(u32 thread, u64 time) const;
  // The file name of the process's image; empty if not known.
  std::string_view image_of(u32 process, u64 time) const;

  struct Process {
    u32 process = 0, parent = 0;
    u64 begin = 0, end = ~u64{0};  // 0: before the trace; ~0: after it
    std::string image, command;
  };
  struct Thread {
    u32 thread = 0, process = 0;
    u64 begin = 0, end = ~u64{0};
    std::string name;
  };
  struct Image {
    u32 process = 0;
    u64 base = 0, size = 0, begin = 0, end = ~u64{0};
    u32 time_stamp = 0;
    std::string path;  // as a DOS path if the trace has it
    bool has_pdb = false;
    Guid pdb;
    u32 pdb_age = 0;
    std::string pdb_path;
  };
  const std::vector<Process>& processes() const { return processes_; }
  std::vector<std::pair<u32, u32>> children() const;  // processes: pairs of parent and child
  const std::vector<Thread>& threads() const { return threads_; }
  const std::vector<Image>& images() const { return images_; }
  u64 pdb_events() const { return pdb_events_; }

 private:
  void take_process(const ProcessEvent& event, u64 time);
  void take_thread(const ThreadEvent& event, u64 time);
  void take_image(ImageEvent event, u64 time);
  // `child_begin`: 0 if it is before the trace.
  bool may_be_parent(u32 process, u64 child_begin) const;
  std::string dos_path(const std::string& path) const;

  std::vector<Process> processes_;
  std::vector<Thread> threads_;
  std::vector<Image> images_;
  std::unordered_map<u32, std::vector<u32>> processes_of_id_, threads_of_id_;
  std::map<std::pair<u64, u32>, std::vector<u32>> images_at_;  // keyed by base address and process
  struct PendingPdb {
    u64 time = 0;
    PdbEvent event;
  };
  std::vector<PendingPdb> pdbs_;
  std::vector<VolumeEvent> volumes_;
  std::string windows_folder_;
  u64 pdb_events_ = 0;
};

}  // namespace wperf::etl
