// SPDX-License-Identifier: BSD-3-Clause
// The name of each thread and the mapped code of each process at any moment of a recording: mappings, names and forks
// of a perf.data file, put in the order of their times. Opens nothing.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/perf_data/perf_file.h"

namespace wperf::perf_data {

inline constexpr u32 kNoCode = ~u32{0};

struct MappedCode {  // one for each path and build id
  std::string_view path;
  Bytes build_id;         // empty: not recorded
  u32 first_process = 0;  // memory without a file belongs only to this process
  bool is_anonymous = false;
  u64 home = 0;            // where byte 0 of the file was (modulo 2^64) in its first mapping
  u64 mapped_end = 0;      // the mapped part of the file reaches up to here
  bool is_kernel = false;  // an image of Windows' kernel
};

// Code of the kernel, from mappings that belong to no process.
struct KernelRange {
  u64 begin = 0, end = 0;
  u64 page_offset = 0;    // for the kernel itself: where the symbol that is part of `path` was
  std::string_view path;  // "[kernel.kallsyms]_text", a module's file, "bpf_prog_…"
  Bytes build_id;         // empty: not recorded
  u32 code = kNoCode;     // for an image of Windows: index into codes()
};

// "C:\\…", or a name of NT.
inline bool is_windows_path(std::string_view path) {
  return path.starts_with('\\') || (path.size() > 2 && path[1] == ':' && path[2] == '\\');
}

struct CodePlace {
  u32 code = 0;                        // index into codes()
  u64 offset = 0;                      // in the file; the address itself if there is no file
  u64 mapped_from = 0, mapped_to = 0;  // where in memory the mapping begins and ends
};

class ProcessHistory {
 public:
  // Takes records one after the other; history_ahead asks for the state so far.
  class Collector;
  static ProcessHistory collect(const PerfFile& file);

  // "when" is the time of a record, or in files without times its place in the file.
  bool has_times() const { return has_times_; }

  // From the first to the last sample; both 0 if no sample has a time.
  struct Span {
    u64 begin = 0, end = 0;
    bool operator==(const Span&) const = default;
  };
  Span samples() const { return samples_; }

  // A period in which a thread kept its name, and its process its code.
  struct Task {
    u32 name = 0;   // index into names()
    u32 space = 0;  // argument of place_in()
    u64 begin = 0, end = ~u64{0};
  };
  Task task_at(u32 pid, u32 tid, u64 when) const;

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<MappedCode>& codes() const { return codes_; }
  const std::vector<KernelRange>& kernel() const { return kernel_; }  // by address
  // For images of Windows' kernel; kNoCode for other addresses.
  CodePlace kernel_place(u64 address) const;

  static constexpr u32 kNobody = ~u32{0};
  // The process that a thread belongs to, by the latest record; kNobody if there is no record.
  u32 process_of_thread(u32 tid) const {
    const auto found = process_of_thread_.find(tid);
    return found != process_of_thread_.end() ? found->second : kNobody;
  }
  const std::unordered_map<u32, u32>& process_of_threads() const { return process_of_thread_; }
  // The one process whose code is known, if there is exactly one.
  u32 only_process() const { return processes_.size() == 1 ? processes_.begin()->first : kNobody; }
  // visit(begin, end, code) for all mappings, in any order.
  template <class Visit>
  void for_each_mapping(Visit&& visit) const {
    for (const std::vector<Stretch>& space : spaces_) {
      for (const Stretch& one : space) visit(one.begin, one.end, one.code);
    }
  }

  // visit(begin, end, code, offset of begin) for the mappings of one space, by address.
  template <class Visit>
  void for_each_mapping_in(u32 space, Visit&& visit) const {
    if (space >= spaces_.size()) return;
    for (const Stretch& one : spaces_[space]) visit(one.begin, one.end, one.code, one.offset);
  }

  // The place of an address of user code; code is kNoCode if nothing was mapped.
  CodePlace place_in(u32 space, u64 address) const;

  const ReadStatistics& statistics() const { return statistics_; }
  // Processes with an unusual number of changes: their changes are not separated in time.
  u64 merged_changes() const { return merged_changes_; }

 private:
  struct Stretch {
    u64 begin = 0, end = 0;
    u32 code = 0;
    u64 offset = 0;  // offset of begin
  };
  struct Version {
    u64 since = 0;
    u32 space = 0;
  };
  struct Process {
    std::map<u64, Stretch> stretches;  // while collecting, by begin; disjoint
    std::vector<Version> versions;     // the spaces it had until now
    u64 since = 0;
    u32 space = kNoCode;  // the number of its present space, if it was requested already
  };
  struct Name {
    u64 since = 0;
    u32 name = 0;
  };
  struct Change;

  void apply(const Change& change);
  void map_code(const Change& change);
  void fork(const Change& change);
  void rename(u32 tid, u32 name, u64 when);
  void freeze(Process& process, u64 when);
  u32 current_space(Process& process);
  u32 code_of(const Mmap& mapping, bool anonymous);
  u32 name_index(std::string_view name);

  bool has_times_ = true, has_kernel_code_ = false;
  Span samples_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, u32> name_numbers_;
  std::vector<MappedCode> codes_;
  std::unordered_map<std::string, u32> code_numbers_;
  std::vector<KernelRange> kernel_;
  std::unordered_map<u32, Process> processes_;
  std::unordered_map<u32, std::vector<Name>> names_of_;  // by tid, by time
  std::unordered_map<u32, u32> process_of_thread_;
  std::vector<std::vector<Stretch>> spaces_;  // by address
  u64 kept_stretches_ = 0, merged_changes_ = 0;
  ReadStatistics statistics_;
};

}  // namespace wperf::perf_data
