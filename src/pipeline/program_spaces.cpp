// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/program_spaces.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <unordered_map>

namespace wperf::pipeline {
namespace {

constexpr u64 kPageBytes = 4096;
// Homes of files that met another one at theirs: above what programs can map, below the kernel.
constexpr u64 kSpareHomes = u64{1} << 56;
constexpr u32 kNoFile = ~u32{0};

struct Stretch {
  u64 end = 0;
  u32 file = 0;
  u64 offset = 0;  // in the file, of the beginning
};
using Space = std::map<u64, Stretch>;  // by beginning; disjoint

bool without_file(std::string_view path) {
  return path.empty() || path.starts_with("//") || path.starts_with("[") || path.starts_with("/memfd:");
}

// A later mapping replaces what it covers; what sticks out of it on both sides stays.
void put(Space& space, u64 begin, const Stretch& stretch) {
  auto one = space.upper_bound(begin);
  if (one != space.begin() && std::prev(one)->second.end > begin) --one;
  while (one != space.end() && one->first < stretch.end) {
    const u64 old_begin = one->first;
    const Stretch old = one->second;
    one = space.erase(one);
    if (old_begin < begin) space[old_begin] = {begin, old.file, old.offset};
    if (old.end > stretch.end) {
      space[stretch.end] = {old.end, old.file, old.offset + (stretch.end - old_begin)};
      break;
    }
  }
  space[begin] = stretch;
}

// Indices; what happened at one time stays in the order in which it came.
template <typename Timed>
std::vector<u32> in_order_of_time(const std::vector<Timed>& all) {
  std::vector<u32> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](u32 a, u32 b) { return all[a].time_ns != all[b].time_ns ? all[a].time_ns < all[b].time_ns : a < b; });
  return order;
}

// Processes share the map they forked with until one of them changes it.
class Walker {
 public:
  void apply(const raw::Happening& one);
  // Where the file of `address` is, and the offset in it.
  u32 find(u32 process, u64 address, u64& offset);
  ProgramSpaces finish();

 private:
  Space& own_space(u32 process);
  u32 file_of(const raw::Happening& mapping);
  void map(const raw::Happening& mapping);

  std::unordered_map<u32, std::shared_ptr<Space>> spaces_;
  std::unordered_map<std::string, u32> numbers_;
  std::map<u32, std::string> names_;
  std::vector<HomeFile> files_;
};

Space& Walker::own_space(u32 process) {
  std::shared_ptr<Space>& space = spaces_[process];
  if (space == nullptr) {
    space = std::make_shared<Space>();
  } else if (space.use_count() > 1) {
    space = std::make_shared<Space>(*space);
  }
  return *space;
}

u32 Walker::file_of(const raw::Happening& mapping) {
  std::string key = mapping.text;
  if (without_file(mapping.text)) key += '#' + std::to_string(mapping.process) + '#' + std::to_string(mapping.begin);
  // One path may be two files, one after the other.
  key.append(reinterpret_cast<const char*>(mapping.build_id.data()), mapping.build_id.size());
  const auto [entry, is_new] = numbers_.try_emplace(std::move(key), static_cast<u32>(files_.size()));
  if (is_new) {
    HomeFile& file = files_.emplace_back();
    file.path = mapping.text;
    file.build_id = mapping.build_id;
    file.first_process = mapping.process;
    file.home = mapping.begin - (without_file(mapping.text) ? 0 : mapping.file_offset);
  }
  return entry->second;
}

void Walker::map(const raw::Happening& mapping) {
  const u64 offset = without_file(mapping.text) ? 0 : mapping.file_offset;
  const u64 end = mapping.begin + mapping.size;
  if (mapping.size == 0 || end < mapping.begin || offset + mapping.size < offset || offset + mapping.size > ~u32{0}) {
    return;
  }
  const u32 number = file_of(mapping);
  files_[number].size = std::max(files_[number].size, offset + mapping.size);
  put(own_space(mapping.process), mapping.begin, {end, number, offset});
}

void Walker::apply(const raw::Happening& one) {
  switch (one.kind) {
    case raw::Happening::Kind::mapped:
      return map(one);
    case raw::Happening::Kind::executed:
      spaces_.erase(one.process);
      names_[one.process] = one.text;
      return;
    case raw::Happening::Kind::named:
      if (one.process == one.thread) names_[one.process] = one.text;
      return;
    case raw::Happening::Kind::began: {
      if (one.process == one.parent) return;  // a thread
      const auto parent = spaces_.find(one.parent);
      if (parent != spaces_.end()) spaces_[one.process] = parent->second;
      const auto name = names_.find(one.parent);
      if (name != names_.end()) names_[one.process] = std::string(name->second);
      return;
    }
    case raw::Happening::Kind::ended:
      return;  // its last samples may still come
  }
}

u32 Walker::find(u32 process, u64 address, u64& offset) {
  const auto space = spaces_.find(process);
  if (space == spaces_.end()) return kNoFile;
  auto after = space->second->upper_bound(address);
  if (after == space->second->begin()) return kNoFile;
  --after;
  if (address >= after->second.end) return kNoFile;
  offset = after->second.offset + (address - after->first);
  return after->second.file;
}

// Whoever comes first keeps the place where it was; who would overlap it moves away.
ProgramSpaces Walker::finish() {
  std::map<u64, u64> taken;  // begin → end
  u64 spare = kSpareHomes;
  for (HomeFile& file : files_) {
    const u64 end = file.home + file.size;
    const auto next = taken.lower_bound(file.home);
    const bool meets_next = next != taken.end() && next->first < end;
    const bool meets_previous = next != taken.begin() && std::prev(next)->second > file.home;
    if (meets_next || meets_previous || end < file.home || end > kSpareHomes) {
      file.home = spare;
      spare += (file.size + 2 * kPageBytes - 1) & ~(kPageBytes - 1);
    }
    taken[file.home] = file.home + file.size;
  }
  ProgramSpaces spaces;
  spaces.files = std::move(files_);
  for (auto& [process, name] : names_) spaces.names.push_back({process, std::move(name)});
  return spaces;
}

}  // namespace

ProgramSpaces move_home(raw::SampleCapture& capture) {
  const std::vector<u32> happenings = in_order_of_time(capture.happenings);
  const std::vector<u32> order = in_order_of_time(capture.samples);
  Walker walker;
  std::vector<u32> files(order.size(), kNoFile);
  size_t next = 0;
  for (const u32 number : order) {
    raw::Sample& sample = capture.samples[number];
    while (next < happenings.size() && capture.happenings[happenings[next]].time_ns <= sample.time_ns) {
      walker.apply(capture.happenings[happenings[next++]]);
    }
    if (sample.exception_level != 0) continue;
    u64 offset = 0;
    files[number] = walker.find(sample.process, sample.pc, offset);
    if (files[number] != kNoFile) sample.pc = offset;
  }
  while (next < happenings.size()) walker.apply(capture.happenings[happenings[next++]]);
  ProgramSpaces spaces = walker.finish();
  for (size_t i = 0; i < files.size(); ++i) {
    raw::Sample& sample = capture.samples[i];
    if (files[i] != kNoFile) {
      sample.pc += spaces.files[files[i]].home;
    } else if (sample.exception_level == 0) {
      sample.pc |= kNowhere;
    }
  }
  return spaces;
}

}  // namespace wperf::pipeline
