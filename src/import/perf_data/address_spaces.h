// SPDX-License-Identifier: BSD-3-Clause
// Which file's code lay where in which process, and which threads were whose, from the mappings, names and forks of a
// perf.data file. The same file counts once, however often and wherever it was mapped: each gets one place of its own
// ("home"), so that an address says file and offset without the process. Opens nothing.
#pragma once
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/perf_data/perf_file.h"

namespace wperf::perf_data {

struct CodeFile {
  std::string_view path;  // as the process saw it
  Bytes build_id;         // empty: not recorded
  u64 home = 0;           // where byte 0 of the file lies, or would lie, at home
  u64 size = 0;           // as far as it was mapped
};

struct ProcessInfo {
  u32 pid = 0;
  std::string_view name;
};

class AddressSpaces {
 private:
  struct Stretch {
    u64 begin = 0, end = 0;
    u32 file = 0;
    u64 offset = 0;   // in the file, of begin
    u64 to_home = 0;  // to be added, once homes are settled
  };

 public:
  class Space {
   private:
    friend class AddressSpaces;
    std::vector<Stretch> stretches_;  // by address, disjoint
  };

  static AddressSpaces collect(const PerfFile& file);

  const std::vector<CodeFile>& files() const { return files_; }
  const std::vector<ProcessInfo>& processes() const { return processes_; }  // by pid
  const ProcessInfo* find_process(u32 pid) const;
  // kNobody where the file does not say.
  u32 process_of_thread(u32 tid) const;
  // Every thread that the file names, with its process.
  const std::unordered_map<u32, u32>& process_of_threads() const { return process_of_thread_; }
  // The one process whose code is known, if there is just one.
  u32 only_process() const;

  // What a process had mapped; null: nothing.
  const Space* space_of(u32 pid) const;
  // Where the code of `address` is at home; `address` itself where nothing was mapped. `hint` is where the caller's
  // question before was answered, 0 at first.
  u64 at_home(const Space& space, u64 address, u32& hint) const {
    if (hint < space.stretches_.size()) [[likely]] {
      const Stretch& stretch = space.stretches_[hint];
      if (address >= stretch.begin && address < stretch.end) return address + stretch.to_home;
    }
    return look_up(space, address, hint);
  }

  // Mappings that forked processes would have had, in a file with more than any machine has. Their code stays where
  // it is, without a name.
  u64 forgotten() const { return forgotten_; }

  static constexpr u32 kNobody = ~u32{0};

 private:
  using Growing = std::map<u64, Stretch>;  // by begin; disjoint

  void add_mapping(const Mmap& mapping);
  void add_task(const Task& task);
  u32 file_of(const Mmap& mapping, u64 offset);
  void put(Growing& space, const Stretch& stretch);
  void settle_homes();
  u64 look_up(const Space& space, u64 address, u32& hint) const;
  void name_thread(u32 pid, u32 tid, std::string_view name);

  std::vector<CodeFile> files_;
  std::vector<ProcessInfo> processes_;
  std::unordered_map<std::string_view, u32> file_numbers_;
  std::unordered_map<u32, u32> process_of_thread_;
  std::unordered_map<u32, Growing> growing_;  // while collecting, by pid
  std::unordered_map<u32, Space> spaces_;     // by pid
  u64 stretches_ = 0, forgotten_ = 0;
};

}  // namespace wperf::perf_data
