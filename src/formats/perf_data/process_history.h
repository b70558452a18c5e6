// SPDX-License-Identifier: BSD-3-Clause
// The name of each thread and the mapped code of each process at any time of a recording. Made from the mappings, names
// and forks in a perf.data file, ordered by time. Opens nothing.
#pragma once
#include <deque>
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
  u32 first_process = 0;  // memory without a file belongs to this process only
  bool is_anonymous = false;
  u64 home = 0;            // the address of byte 0 of the file (modulo 2^64) in its first mapping
  u64 mapped_end = 0;      // the end of the mapped part of the file
  bool is_kernel = false;  // an image of the Windows kernel
  // The recorder found another file at this path, so the file now at this path is not the mapped one.
  bool was_replaced = false;
};

// Kernel code, from mappings that belong to no process.
struct KernelRange {
  u64 begin = 0, end = 0;
  u64 page_offset = 0;    // for the kernel itself: the address of the symbol that is part of `path`
  std::string_view path;  // "[kernel.kallsyms]_text", the file of a kernel module, "bpf_prog_…"
  Bytes build_id;         // empty: not recorded
  u32 code = kNoCode;     // for a Windows image: index into codes()
};

// "C:\\…", or an NT path.
inline bool is_windows_path(std::string_view path) {
  return path.starts_with('\\') || (path.size() > 2 && path[1] == ':' && path[2] == '\\');
}

struct CodePlace {
  u32 code = 0;                        // index into codes()
  u64 offset = 0;                      // offset in the file, or the address itself if there is no file
  u64 mapped_from = 0, mapped_to = 0;  // the addresses of the mapping's begin and end
};

class ProcessHistory {
 public:
  // Takes the records one after the other. history_ahead reads the state so far.
  class Collector;
  static ProcessHistory collect(const PerfFile& file);

  // If false, "when" is a record's position in the file instead of its time.
  bool has_times() const { return has_times_; }

  // The times of the first and the last sample; both 0 if no sample has a time.
  struct Span {
    u64 begin = 0, end = 0;
    bool operator==(const Span&) const = default;
  };
  Span samples() const { return samples_; }

  // A period in which a thread kept its name and its process kept its code.
  struct Task {
    u32 name = 0;           // index into names()
    u32 space = 0;          // a parameter of place_in()
    u32 program = kNoCode;  // index into names(): the process's name at the start of its program
    u64 begin = 0, end = ~u64{0};
  };
  Task task_at(u32 pid, u32 tid, u64 when) const;

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<MappedCode>& codes() const { return codes_; }
  const std::vector<KernelRange>& kernel() const { return kernel_; }  // ordered by address
  // Only for images of the Windows kernel; kNoCode for other addresses.
  CodePlace kernel_place(u64 address) const;

  static constexpr u32 kNobody = ~u32{0};
  // The process of a thread, according to the latest record; kNobody if there is no record.
  u32 process_of_thread(u32 tid) const {
    const auto found = process_of_thread_.find(tid);
    return found != process_of_thread_.end() ? found->second : kNobody;
  }
  const std::unordered_map<u32, u32>& process_of_threads() const { return process_of_thread_; }
  // Returns the process if the code of exactly one process is known.
  u32 only_process() const { return processes_.size() == 1 ? processes_.begin()->first : kNobody; }
  // Calls visit(begin, end, code) for all mappings, in any order.
  template <class Visit>
  void for_each_mapping(Visit&& visit) const {
    for (const std::vector<Stretch>& space : spaces_) {
      for (const Stretch& one : space) visit(one.begin, one.end, one.code);
    }
  }

  // Calls visit(begin, end, code, offset of begin) for the mappings of one space, ordered by address.
  template <class Visit>
  void for_each_mapping_in(u32 space, Visit&& visit) const {
    if (space >= spaces_.size()) return;
    for (const Stretch& one : spaces_[space]) visit(one.begin, one.end, one.code, one.offset);
  }

  // Finds the code at an address of user code; kNoCode if nothing was mapped there.
  CodePlace place_in(u32 space, u64 address) const;

  const ReadStatistics& statistics() const { return statistics_; }
  // The number of merged changes: if a process has very many changes, they are merged instead of kept apart by time.
  u64 merged_changes() const { return merged_changes_; }

 private:
  struct Stretch {
    u64 begin = 0, end = 0;
    u32 code = 0;
    u64 offset = 0;  // file offset of begin
  };
  struct Version {
    u64 since = 0;
    u32 space = 0;
  };
  struct Process {
    std::map<u64, Stretch> stretches;  // used while collecting; keyed by begin, disjoint
    std::vector<Version> versions;     // its previous spaces
    u64 since = 0;
    u32 space = kNoCode;  // the number of its current space, if it was requested already
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
  void rename(const Change& change);
  void begin_program(u32 pid, u32 name, u64 when);
  void freeze(Process& process, u64 when);
  u32 current_space(Process& process);
  u32 code_of(const Mmap& mapping, bool anonymous, bool was_replaced = false);
  u32 name_index(std::string_view name);

  bool has_times_ = true, has_kernel_code_ = false;
  bool marks_execs_ = false;  // if false, a new name can mean a new program
  Span samples_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, u32> name_numbers_;
  std::vector<MappedCode> codes_;
  std::deque<std::string> kept_build_ids_;  // build ids that the file has as digits
  std::unordered_map<std::string, u32> code_numbers_;
  std::vector<KernelRange> kernel_;
  std::unordered_map<u32, Process> processes_;
  std::unordered_map<u32, std::vector<Name>> names_of_;     // keyed by tid; ordered by time
  std::unordered_map<u32, std::vector<Name>> programs_of_;  // keyed by pid; ordered by time; kNoCode: not known
  std::unordered_map<u32, u32> process_of_thread_;
  std::vector<std::vector<Stretch>> spaces_;  // by space; ordered by address
  u64 kept_stretches_ = 0, merged_changes_ = 0;
  ReadStatistics statistics_;
};

}  // namespace wperf::perf_data
