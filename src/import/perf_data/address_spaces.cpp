// SPDX-License-Identifier: BSD-3-Clause
#include "import/perf_data/address_spaces.h"

#include <algorithm>
#include <map>

namespace wperf::perf_data {
namespace {

constexpr u64 kPage = 4096;
// Homes of files that met another one at theirs: above what programs can map, below the kernel.
constexpr u64 kFirstSpareHome = u64{1} << 56;
constexpr u64 kHalf = u64{1} << 63;
constexpr u64 kMostStretches = 1 << 22;

// Memory without a file: what stands at an offset of it means nothing.
bool is_anonymous(std::string_view path) {
  return path.empty() || path.starts_with("//") || path.front() == '[';
}

u64 up_to_page(u64 size) {
  return (size + kPage - 1) & ~(kPage - 1);
}

}  // namespace

AddressSpaces AddressSpaces::collect(const PerfFile& file) {
  AddressSpaces spaces;
  file.for_each_record(Visitors{
      [&](const Mmap& mapping, const Record&) { spaces.add_mapping(mapping); },
      [&](const Comm& comm, const Record&) { spaces.name_thread(comm.pid, comm.tid, comm.name); },
      [&](const Task& task, const Record&) { spaces.add_task(task); },
  });
  spaces.settle_homes();
  return spaces;
}

void AddressSpaces::name_thread(u32 pid, u32 tid, std::string_view name) {
  process_of_thread_[tid] = pid;
  auto found = std::lower_bound(processes_.begin(), processes_.end(), pid,
                                [](const ProcessInfo& one, u32 wanted) { return one.pid < wanted; });
  if (found == processes_.end() || found->pid != pid) {
    found = processes_.insert(found, ProcessInfo{});
    found->pid = pid;
  }
  if (pid == tid && !name.empty()) found->name = name;
}

void AddressSpaces::add_task(const Task& task) {
  if (task.is_exit) return;
  name_thread(task.pid, task.tid, {});
  if (task.pid == task.parent_pid) return;  // a thread shares the memory
  // A child begins with its parent's memory and name.
  if (const ProcessInfo* parent = find_process(task.parent_pid); parent != nullptr) {
    name_thread(task.pid, task.pid, parent->name);
  }
  const auto parent_space = growing_.find(task.parent_pid);
  if (parent_space == growing_.end()) return;
  if (stretches_ + parent_space->second.size() > kMostStretches) {
    forgotten_ += parent_space->second.size();
    return;
  }
  stretches_ += parent_space->second.size();
  const Growing inherited = parent_space->second;
  growing_[task.pid] = inherited;
}

void AddressSpaces::add_mapping(const Mmap& mapping) {
  if (mapping.is_data || mapping.length == 0 || mapping.address >= kHalf) return;
  name_thread(mapping.pid, mapping.tid, {});
  const u64 offset = is_anonymous(mapping.file) ? 0 : mapping.page_offset;
  if (mapping.address + mapping.length < mapping.address || offset + mapping.length < offset) return;
  const u32 number = file_of(mapping, offset);
  CodeFile& file = files_[number];
  file.size = std::max(file.size, up_to_page(offset + mapping.length));
  put(growing_[mapping.pid], {mapping.address, mapping.address + mapping.length, number, offset});
}

// A later mapping replaces what it covers; what sticks out of it on both sides stays.
void AddressSpaces::put(Growing& space, const Stretch& stretch) {
  auto one = space.upper_bound(stretch.begin);
  if (one != space.begin() && std::prev(one)->second.end > stretch.begin) --one;
  while (one != space.end() && one->second.begin < stretch.end) {
    const Stretch old = one->second;
    one = space.erase(one);
    if (old.begin < stretch.begin) space[old.begin] = {old.begin, stretch.begin, old.file, old.offset};
    if (old.end > stretch.end) {
      space[stretch.end] = {stretch.end, old.end, old.file, old.offset + (stretch.end - old.begin)};
      break;
    }
  }
  space[stretch.begin] = stretch;
  ++stretches_;
}

u32 AddressSpaces::file_of(const Mmap& mapping, u64 offset) {
  const auto [entry, is_new] = file_numbers_.try_emplace(mapping.file, static_cast<u32>(files_.size()));
  if (is_new) {
    CodeFile& file = files_.emplace_back();
    file.path = mapping.file;
    file.home = mapping.address - offset;
  }
  CodeFile& file = files_[entry->second];
  if (file.build_id.empty()) file.build_id = mapping.build_id;
  return entry->second;
}

void AddressSpaces::settle_homes() {
  // Whoever comes first keeps the place where it was; who would overlap it moves away.
  std::map<u64, u64> taken;  // begin → end
  u64 spare = kFirstSpareHome;
  for (CodeFile& file : files_) {
    const u64 end = file.home + file.size;
    const auto next = taken.lower_bound(file.home);
    const bool meets_next = next != taken.end() && next->first < end;
    const bool meets_previous = next != taken.begin() && std::prev(next)->second > file.home;
    if (meets_next || meets_previous || end < file.home || end > kFirstSpareHome) {
      file.home = spare;
      spare += up_to_page(file.size) + kPage;
    }
    taken[file.home] = file.home + file.size;
  }
  for (auto& [pid, space] : growing_) {
    std::vector<Stretch>& settled = spaces_[pid].stretches_;
    settled.reserve(space.size());
    for (const auto& [begin, stretch] : space) {
      settled.push_back(stretch);
      settled.back().to_home = files_[stretch.file].home + stretch.offset - stretch.begin;
    }
  }
  growing_.clear();
}

const ProcessInfo* AddressSpaces::find_process(u32 pid) const {
  const auto found = std::lower_bound(processes_.begin(), processes_.end(), pid,
                                      [](const ProcessInfo& one, u32 wanted) { return one.pid < wanted; });
  return found != processes_.end() && found->pid == pid ? &*found : nullptr;
}

u32 AddressSpaces::process_of_thread(u32 tid) const {
  const auto found = process_of_thread_.find(tid);
  return found != process_of_thread_.end() ? found->second : kNobody;
}

u32 AddressSpaces::only_process() const {
  u32 only = kNobody;
  for (const auto& [pid, space] : spaces_) {
    if (space.stretches_.empty()) continue;
    if (only != kNobody) return kNobody;
    only = pid;
  }
  return only;
}

const AddressSpaces::Space* AddressSpaces::space_of(u32 pid) const {
  const auto found = spaces_.find(pid);
  return found != spaces_.end() && !found->second.stretches_.empty() ? &found->second : nullptr;
}

u64 AddressSpaces::look_up(const Space& space, u64 address, u32& hint) const {
  const auto behind = std::upper_bound(space.stretches_.begin(), space.stretches_.end(), address,
                                       [](u64 wanted, const Stretch& one) { return wanted < one.begin; });
  if (behind == space.stretches_.begin() || address >= std::prev(behind)->end) return address;
  hint = static_cast<u32>(std::prev(behind) - space.stretches_.begin());
  return address + std::prev(behind)->to_home;
}

}  // namespace wperf::perf_data
