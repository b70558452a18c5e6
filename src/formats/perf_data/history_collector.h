// SPDX-License-Identifier: BSD-3-Clause
// Makes a ProcessHistory from the records of a file, which it visits in order. Changes take effect in the order of
// their times. They can be applied up to a certain time before all records have been read, to get the state at that
// time. ProcessHistory::collect() does everything at once.
#pragma once
#include <tuple>

#include "formats/perf_data/process_history.h"

namespace wperf::perf_data {

struct ProcessHistory::Change {
  enum class Kind : u8 { mapping, name, fork } kind = Kind::mapping;
  bool begins_empty = false;    // fork: the parent existed before the recording; its mappings follow
  bool begins_program = false;  // the new name comes from a new program
  u64 when = 0;
  u32 pid = 0, tid = 0, parent_pid = 0, parent_tid = 0;
  u64 begin = 0, end = 0, offset = 0;
  u32 code_or_name = 0;
};

class ProcessHistory::Collector {
 public:
  explicit Collector(const PerfFile& file);

  void operator()(const TimeOfSample& time, const Record&) {
    Span& span = history_.samples_;
    if (time.ns == 0) return;
    span.begin = span.end == 0 ? time.ns : std::min(span.begin, time.ns);
    span.end = std::max(span.end, time.ns);
  }
  void operator()(const Mmap& mapping, const Record& record);
  void operator()(const Comm& comm, const Record& record);
  void operator()(const perf_data::Task& task, const Record& record);
  void operator()(const KernelSymbol& symbol, const Record&);

  // Events are ordered by their times, or in files without times by their positions.
  static bool has_times(const PerfFile& file);
  Span samples() const { return history_.samples_; }  // the time span so far
  // Applies the changes before `when`; no later record may have an earlier time.
  void apply_until(u64 when);
  // True if a record was visited too late: changes with later times had already been applied, so the state is wrong.
  bool is_out_of_order() const { return is_out_of_order_; }
  // The state at `when`; changes must have been applied up to that time. Its space is an index into the history that
  // finish() returns.
  Task task_so_far(u32 pid, u32 tid, u64 when);

  ProcessHistory finish(ReadStatistics statistics);

 private:
  void read_mapped_files(const PerfFile& file);
  // Null if only the path identifies the file; empty if it was replaced.
  const Bytes* build_id_of_inode(const Mmap& mapping) const;
  Mmap with_build_id(Mmap mapping) const;
  u64 when(const Identity& identity, const Record& record, u64 otherwise) const;
  void add(const Change& change);

  ProcessHistory history_;
  std::unordered_map<std::string_view, Bytes> build_ids_;  // keyed by path; written by perf at the end of the recording
  // Build ids of single files if their path does not identify them; empty for a file that was replaced.
  std::map<std::tuple<std::string, u64, u64>, Bytes> of_inode_;  // keyed by path, inode and its generation
  std::vector<Change> changes_;                                  // changes that have not taken effect yet
  u64 applied_until_ = 0;
  bool is_out_of_order_ = false;
};

}  // namespace wperf::perf_data
