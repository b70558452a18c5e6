// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/process_history.h"

#include <algorithm>
#include <span>

#include "formats/perf_data/history_collector.h"
#include "formats/perf_data/run_facts.h"

namespace wperf::perf_data {
namespace {

constexpr u32 kNobodysPid = ~u32{0};
constexpr u64 kKernelHalf = u64{1} << 63;
constexpr u64 kMostKeptStretches = 1 << 22;
constexpr u32 kIdle = 0;

// Is it memory into which programs write generated code?
bool is_jit_code(std::string_view path) {
  return path.empty() || path.starts_with("//anon") || path.starts_with("/dev/zero") ||
         path.starts_with("/anon_hugepage") || path.starts_with("/memfd:");
}
// Is it memory without a file, in which an offset has no meaning?
bool is_without_file(std::string_view path) {
  return is_jit_code(path) || path.starts_with("[stack") || path.starts_with("[heap") || path.starts_with("/SYSV") ||
         path.starts_with("[anon") || path.starts_with("[uprobes");
}

}  // namespace

bool ProcessHistory::Collector::has_times(const PerfFile& file) {
  return std::all_of(file.attrs().begin(), file.attrs().end(), [](const Event& event) {
    return event.attributes.has(kSampleTime) && event.attributes.sample_id_all();
  });
}

ProcessHistory::Collector::Collector(const PerfFile& file) {
  history_.has_times_ = has_times(file);
  history_.marks_execs_ = std::any_of(file.attrs().begin(), file.attrs().end(),
                                      [](const Event& event) { return event.attributes.marks_execs(); });
  const bool is_windows = file.features().text(Feature::os_release).starts_with("Windows");
  history_.rename(kIdle, history_.name_index(is_windows ? "Idle" : "swapper"), 0);
  read_mapped_files(file);
  for (const BuildId& one : file.features().build_ids()) {
    const auto [entry, is_new] = build_ids_.try_emplace(one.file, one.id);
    // If two builds have the same name, it is unknown which mapping had which build.
    if (!is_new && !std::equal(one.id.begin(), one.id.end(), entry->second.begin(), entry->second.end())) {
      entry->second = {};
    }
  }
}

void ProcessHistory::Collector::read_mapped_files(const PerfFile& file) {
  std::optional<RunFacts> facts = read_run_facts(file.features().section(kRunFactsFeature));
  if (!facts.has_value()) return;
  for (MappedFileFacts& one : facts->mapped_files) {
    const std::string& id = history_.kept_build_ids_.emplace_back(std::move(one.build_id));
    of_inode_.insert_or_assign({std::move(one.path), one.inode, one.inode_generation}, std::as_bytes(std::span(id)));
  }
}

void ProcessHistory::Collector::add(const Change& change) {
  is_out_of_order_ = is_out_of_order_ || change.when < applied_until_;
  changes_.push_back(change);
}

void ProcessHistory::Collector::operator()(const Mmap& mapping, const Record& record) {
  if (mapping.is_data || mapping.length == 0 || mapping.address + mapping.length < mapping.address) return;
  const u32 mode = record.misc & kMiscCpuMode;
  if (mapping.pid == kNobodysPid || mapping.address >= kKernelHalf || mode == kKernelMode) {
    KernelRange range{mapping.address,     mapping.address + mapping.length,
                      mapping.page_offset, mapping.file,
                      mapping.build_id,    kNoCode};
    if (is_windows_path(mapping.file)) {
      range.code = history_.code_of(mapping, false);
      history_.codes_[range.code].is_kernel = true;
      history_.has_kernel_code_ = true;
    }
    history_.kernel_.push_back(range);
    return;
  }
  const bool anonymous = is_without_file(mapping.file);
  Change change;
  change.when = when(mapping.identity, record, 0);
  change.pid = mapping.pid;
  change.begin = mapping.address;
  change.end = mapping.address + mapping.length;
  change.offset = anonymous ? mapping.address : mapping.page_offset;
  if (change.offset + mapping.length < change.offset) return;
  const Bytes* const listed = anonymous ? nullptr : build_id_of_inode(mapping);
  Mmap known = anonymous ? mapping : with_build_id(mapping);
  if (listed != nullptr) known.build_id = *listed;
  change.code_or_name = history_.code_of(known, anonymous, listed != nullptr && listed->empty());
  add(change);
}

// An exec does not remove mappings, because the new program's mappings may precede the exec, if perf read /proc while
// the program started. Later mappings replace the ones that they cover.
void ProcessHistory::Collector::operator()(const Comm& comm, const Record& record) {
  Change change;
  change.kind = Change::Kind::name;
  change.when = when(comm.identity, record, 0);
  change.pid = comm.pid;
  change.tid = comm.tid;
  change.begins_program = comm.by_exec || !history_.marks_execs_;
  change.code_or_name = history_.name_index(comm.name);
  history_.process_of_thread_[comm.tid] = comm.pid;
  add(change);
}

void ProcessHistory::Collector::operator()(const perf_data::Task& task, const Record& record) {
  if (task.is_exit) return;
  history_.process_of_thread_[task.tid] = task.pid;
  Change change;
  change.kind = Change::Kind::fork;
  // perf marks the forks that it synthesized for processes that existed before.
  change.begins_empty = (record.misc & kMiscCommExec) != 0;
  change.when = when(task.identity, record, task.time);
  change.pid = task.pid;
  change.tid = task.tid;
  change.parent_pid = task.parent_pid;
  change.parent_tid = task.parent_tid;
  add(change);
}

void ProcessHistory::Collector::operator()(const KernelSymbol& symbol, const Record&) {
  if (symbol.address + symbol.length < symbol.address) return;
  history_.kernel_.push_back({symbol.address, symbol.address + symbol.length, 0, symbol.name, {}, kNoCode});
}

u64 ProcessHistory::Collector::when(const Identity& identity, const Record& record, u64 otherwise) const {
  if (!history_.has_times_) return record.file_offset;
  return identity.has(kSampleTime) ? identity.time : otherwise;
}

const Bytes* ProcessHistory::Collector::build_id_of_inode(const Mmap& mapping) const {
  if (of_inode_.empty() || !mapping.build_id.empty()) return nullptr;
  const auto known = of_inode_.find({std::string(mapping.file), mapping.inode, mapping.inode_generation});
  return known == of_inode_.end() ? nullptr : &known->second;
}

Mmap ProcessHistory::Collector::with_build_id(Mmap mapping) const {
  if (!mapping.build_id.empty()) return mapping;
  const auto known = build_ids_.find(mapping.file);
  if (known != build_ids_.end()) mapping.build_id = known->second;
  return mapping;
}

void ProcessHistory::Collector::apply_until(u64 when) {
  applied_until_ = std::max(applied_until_, when);
  const auto later = std::stable_partition(changes_.begin(), changes_.end(),
                                           [&](const Change& change) { return change.when < applied_until_; });
  std::stable_sort(changes_.begin(), later, [](const Change& a, const Change& b) { return a.when < b.when; });
  for (auto change = changes_.begin(); change != later; ++change) history_.apply(*change);
  changes_.erase(changes_.begin(), later);
}

ProcessHistory::Task ProcessHistory::Collector::task_so_far(u32 pid, u32 tid, u64 when) {
  Task task = history_.task_at(pid, tid, when);
  task.end = std::min(task.end, applied_until_);
  const auto known = history_.processes_.find(pid);
  if (known == history_.processes_.end()) return task;
  Process& process = known->second;
  if (when < process.since) {
    task.end = std::min(task.end, process.since);
  } else {
    task.space = history_.current_space(process);
    task.begin = std::max(task.begin, process.since);
  }
  return task;
}

ProcessHistory ProcessHistory::Collector::finish(ReadStatistics statistics) {
  apply_until(~u64{0});
  for (const Change& change : changes_) history_.apply(change);  // applies the remaining changes
  for (auto& [pid, process] : history_.processes_) {
    history_.freeze(process, ~u64{0});
    process.stretches.clear();
  }
  std::stable_sort(history_.kernel_.begin(), history_.kernel_.end(),
                   [](const KernelRange& a, const KernelRange& b) { return a.begin < b.begin; });
  history_.name_numbers_.clear();
  history_.code_numbers_.clear();
  history_.statistics_ = std::move(statistics);
  return std::move(history_);
}

ProcessHistory ProcessHistory::collect(const PerfFile& file) {
  Collector collector(file);
  ReadStatistics statistics = file.for_each_record(collector);
  return collector.finish(std::move(statistics));
}

CodePlace ProcessHistory::kernel_place(u64 address) const {
  if (!has_kernel_code_) return {.code = kNoCode};
  const auto after = std::partition_point(kernel_.begin(), kernel_.end(),
                                          [&](const KernelRange& range) { return range.begin <= address; });
  if (after == kernel_.begin()) return {.code = kNoCode};
  const KernelRange& range = *std::prev(after);
  if (address >= range.end) return {.code = kNoCode};
  return {range.code, address - range.begin + range.page_offset, range.begin, range.end};
}

void ProcessHistory::apply(const Change& change) {
  switch (change.kind) {
    case Change::Kind::mapping:
      return map_code(change);
    case Change::Kind::name:
      return rename(change);
    case Change::Kind::fork:
      return fork(change);
  }
}

// Keeps the current state of a process for the samples before `when`.
void ProcessHistory::freeze(Process& process, u64 when) {
  const bool is_last = when == ~u64{0};
  if (!is_last && kept_stretches_ + process.stretches.size() > kMostKeptStretches) {
    ++merged_changes_;
    return;
  }
  kept_stretches_ += process.stretches.size();
  process.versions.push_back({process.since, current_space(process)});
  std::vector<Stretch>& space = spaces_[process.space];
  space.reserve(process.stretches.size());
  for (const auto& [begin, stretch] : process.stretches) space.push_back(stretch);
  process.since = when;
  process.space = kNoCode;
}

u32 ProcessHistory::current_space(Process& process) {
  if (process.space == kNoCode) {
    process.space = static_cast<u32>(spaces_.size());
    spaces_.emplace_back();
  }
  return process.space;
}

// A new mapping replaces the part that it covers; the parts beyond it on both sides are kept.
void ProcessHistory::map_code(const Change& change) {
  Process& process = processes_[change.pid];
  std::map<u64, Stretch>& space = process.stretches;
  const auto first_met = [&] {
    auto one = space.upper_bound(change.begin);
    return one != space.begin() && std::prev(one)->second.end > change.begin ? std::prev(one) : one;
  };
  const auto is_other = [&](const Stretch& met) {
    return met.code != change.code_or_name || met.begin - met.offset != change.begin - change.offset;
  };
  for (auto one = first_met(); one != space.end() && one->second.begin < change.end; ++one) {
    if (!is_other(one->second)) continue;
    freeze(process, change.when);
    break;
  }
  for (auto one = first_met(); one != space.end() && one->second.begin < change.end;) {
    const Stretch old = one->second;
    one = space.erase(one);
    if (old.begin < change.begin) space[old.begin] = {old.begin, change.begin, old.code, old.offset};
    if (old.end > change.end) {
      space[change.end] = {change.end, old.end, old.code, old.offset + (change.end - old.begin)};
      break;
    }
  }
  space[change.begin] = {change.begin, change.end, change.code_or_name, change.offset};
}

// A child starts with its parent's memory and name.
void ProcessHistory::fork(const Change& change) {
  const auto parent_names = names_of_.find(change.parent_tid);
  const u32 name = parent_names != names_of_.end() ? parent_names->second.back().name : kNoCode;
  if (name != kNoCode) rename(change.tid, name, change.when);
  if (change.pid == change.parent_pid) return;  // a thread shares its process's memory
  begin_program(change.pid, change.begins_empty ? kNoCode : name, change.when);
  Process& child = processes_[change.pid];
  // The process id belonged to another process before.
  if (!child.stretches.empty() || !child.versions.empty()) freeze(child, change.when);
  child.stretches.clear();
  if (change.begins_empty) return;
  const auto parent = processes_.find(change.parent_pid);
  if (parent == processes_.end()) return;
  if (kept_stretches_ + parent->second.stretches.size() > kMostKeptStretches) {
    ++merged_changes_;
    return;
  }
  kept_stretches_ += parent->second.stretches.size();
  child.stretches = parent->second.stretches;
}

void ProcessHistory::rename(u32 tid, u32 name, u64 when) {
  std::vector<Name>& names = names_of_[tid];
  if (!names.empty() && names.back().name == name) return;
  // As in perf, a thread's first recorded name also applies to the time before it.
  names.push_back({names.empty() ? 0 : when, name});
}

// A process's first thread may take another name, but its process keeps the name of its program.
void ProcessHistory::rename(const Change& change) {
  rename(change.tid, change.code_or_name, change.when);
  if (change.tid != change.pid) return;
  const std::vector<Name>& programs = programs_of_[change.pid];
  const bool is_known = !programs.empty() && programs.back().name != kNoCode;
  if (change.begins_program || !is_known) begin_program(change.pid, change.code_or_name, change.when);
}

void ProcessHistory::begin_program(u32 pid, u32 name, u64 when) {
  std::vector<Name>& programs = programs_of_[pid];
  const u32 last = programs.empty() ? kNoCode : programs.back().name;
  if (last != name) programs.push_back({programs.empty() ? 0 : when, name});
}

u32 ProcessHistory::name_index(std::string_view name) {
  const auto [entry, is_new] = name_numbers_.try_emplace(std::string(name), static_cast<u32>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return entry->second;
}

u32 ProcessHistory::code_of(const Mmap& mapping, bool anonymous, bool was_replaced) {
  std::string key(mapping.file);
  // Memory that a program wrote differs from process to process, so the key includes the process.
  if (anonymous) key.append(1, '\0').append(std::to_string(mapping.pid));
  // Each replaced file is a separate module.
  if (was_replaced)
    key.append(std::string(1, '\0') + std::to_string(mapping.inode) + " " + std::to_string(mapping.inode_generation));
  const std::string_view id(reinterpret_cast<const char*>(mapping.build_id.data()), mapping.build_id.size());
  if (!id.empty()) key.append(1, '\0').append(id);
  const auto [entry, is_new] = code_numbers_.try_emplace(std::move(key), static_cast<u32>(codes_.size()));
  if (is_new) {
    codes_.push_back({mapping.file, mapping.build_id, mapping.pid, anonymous, mapping.address - mapping.page_offset});
  }
  MappedCode& code = codes_[entry->second];
  code.was_replaced = was_replaced;
  code.mapped_end = std::max(code.mapped_end, mapping.page_offset + mapping.length);
  return entry->second;
}

ProcessHistory::Task ProcessHistory::task_at(u32 pid, u32 tid, u64 when) const {
  Task task{.name = kNoCode, .space = kNoCode};
  const auto narrow = [&](const auto& rows, auto take) {
    const auto behind = std::upper_bound(rows.begin(), rows.end(), when,
                                         [](u64 wanted, const auto& row) { return wanted < row.since; });
    if (behind != rows.end()) task.end = std::min(task.end, behind->since);
    if (behind == rows.begin()) return;
    take(*std::prev(behind));
    task.begin = std::max(task.begin, std::prev(behind)->since);
  };
  if (const auto names = names_of_.find(tid); names != names_of_.end()) {
    narrow(names->second, [&](const Name& row) { task.name = row.name; });
  }
  if (const auto programs = programs_of_.find(pid); programs != programs_of_.end()) {
    narrow(programs->second, [&](const Name& row) { task.program = row.name; });
  }
  if (const auto process = processes_.find(pid); process != processes_.end()) {
    narrow(process->second.versions, [&](const Version& row) { task.space = row.space; });
  }
  return task;
}

CodePlace ProcessHistory::place_in(u32 space, u64 address) const {
  if (space >= spaces_.size()) return {kNoCode, address};
  const std::vector<Stretch>& stretches = spaces_[space];
  const auto behind = std::upper_bound(stretches.begin(), stretches.end(), address,
                                       [](u64 wanted, const Stretch& one) { return wanted < one.begin; });
  if (behind == stretches.begin() || address >= std::prev(behind)->end) return {kNoCode, address};
  const Stretch& stretch = *std::prev(behind);
  return {stretch.code, stretch.offset + (address - stretch.begin), stretch.begin, stretch.end};
}

}  // namespace wperf::perf_data
