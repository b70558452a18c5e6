// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/live_code.h"

namespace wperf::recording {
namespace {

constexpr u32 kNobodysPid = ~u32{0};

bool is_of_a_file(std::string_view path) {
  return (path.starts_with("/") && !path.starts_with("//anon")) || path == "[vdso]";
}

}  // namespace

u32 LiveCode::code_of(const perf_data::Mmap& mapping) {
  const std::string_view id(reinterpret_cast<const char*>(mapping.build_id.data()), mapping.build_id.size());
  std::string key(mapping.file);
  key.append(1, '\0').append(id);
  // A path may refer to another file later.
  key.append(1, '\0')
      .append(std::to_string(mapping.inode))
      .append(1, ' ')
      .append(std::to_string(mapping.inode_generation));
  const auto [entry, is_new] = code_numbers_.try_emplace(std::move(key), static_cast<u32>(codes_.size()));
  if (is_new) {
    const std::string& path = texts_.emplace_back(mapping.file);
    const std::string& build_id = texts_.emplace_back(id);
    codes_.push_back({.path = path,
                      .build_id = std::as_bytes(std::span(build_id)),
                      .first_process = mapping.pid,
                      .is_anonymous = !is_of_a_file(mapping.file)});
  }
  return entry->second;
}

// Adds a mapping. Removes the covered part of older mappings, and keeps their parts on both sides.
void LiveCode::add(const perf_data::Mmap& mapping) {
  const u64 begin = mapping.address, end = begin + mapping.length;
  if (mapping.is_data || end <= begin || mapping.pid == kNobodysPid) return;
  Process& one = process(mapping.pid);
  std::map<u64, Stretch>& all = one.stretches;
  auto met = all.upper_bound(begin);
  if (met != all.begin() && std::prev(met)->second.end > begin) --met;
  while (met != all.end() && met->first < end) {
    const u64 old_begin = met->first;
    const Stretch old = met->second;
    met = all.erase(met);
    if (old_begin < begin) all[old_begin] = {begin, old.offset, old.code};
    if (old.end > end) all[end] = {old.end, old.offset + (end - old_begin), old.code};
  }
  all[begin] = {end, mapping.page_offset, code_of(mapping)};
  change(one);
}

void LiveCode::add(const perf_data::Comm& name) {
  if (!name.by_exec) return;
  Process& one = process(name.pid);
  one.stretches.clear();
  change(one);
}

void LiveCode::add(const perf_data::Task& task) {
  const auto known = processes_.find(task.pid);
  if (task.is_exit) {
    if (known == processes_.end() || known->second.threads == 0) return;
    if (--known->second.threads == 0) {
      if (asked_ == &known->second) asked_ = nullptr;
      processes_.erase(known);
    }
    return;
  }
  if (task.pid == task.parent_pid) {
    if (known != processes_.end() && known->second.threads != 0) ++known->second.threads;
    return;
  }
  const auto parent = processes_.find(task.parent_pid);
  Process child;
  if (parent != processes_.end()) child.stretches = parent->second.stretches;
  child.threads = 1;
  change(child);
  if (known != processes_.end() && asked_ == &known->second) asked_ = nullptr;
  processes_.insert_or_assign(task.pid, std::move(child));
}

u32 LiveCode::space_of(u32 pid) {
  const auto known = processes_.find(pid);
  asked_ = known != processes_.end() ? &known->second : nullptr;
  return asked_ != nullptr ? asked_->space : 0;
}

perf_data::CodePlace LiveCode::place_in(u32, u64 address) const {
  if (asked_ == nullptr) return {perf_data::kNoCode, address};
  const auto behind = asked_->stretches.upper_bound(address);
  if (behind == asked_->stretches.begin()) return {perf_data::kNoCode, address};
  const auto& [begin, stretch] = *std::prev(behind);
  if (address >= stretch.end) return {perf_data::kNoCode, address};
  return {stretch.code, stretch.offset + (address - begin), begin};
}

}  // namespace wperf::recording
