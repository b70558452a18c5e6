// SPDX-License-Identifier: BSD-3-Clause
#include "recording/code_homes.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "stacks/id_table.h"

namespace wperf::recording {
namespace {

constexpr u64 kPageBytes = 4096;
// Homes of files that met another one at theirs: above what programs can map, below the kernel.
constexpr u64 kSpareHomes = u64{1} << 56;
constexpr u64 kMostHomeBytes = ~u32{0};

class HomeFinder {
 public:
  HomeFinder(const perf_data::TaskHistory& history, RecordedJit& jit);
  // The number of the home, kNone for nowhere; `sample.pc` becomes the offset there, as CodePlace or the spot has it.
  u32 find(raw::Sample& sample);
  std::vector<CodeHome> finish();

  static constexpr u32 kNone = ~u32{0};

 private:
  static constexpr u64 kDump = u64{1} << 32;  // beside numbers of codes

  u32 space_of(u32 process, u64 when);
  u32 home_of(u64 code_or_dump, u64 part, u64 offset);

  const perf_data::TaskHistory& history_;
  RecordedJit& jit_;
  std::unordered_map<u32, perf_data::TaskHistory::Task> tasks_;  // the one that was asked for last, by process
  stacks::IdTable numbers_;                                      // of homes
  std::vector<CodeHome> homes_;
};

HomeFinder::HomeFinder(const perf_data::TaskHistory& history, RecordedJit& jit) : history_(history), jit_(jit) {
  for (u32 code = 0; code < history.codes().size(); ++code) {
    const perf_data::MappedCode& mapped = history.codes()[code];
    if (mapped.is_anonymous) continue;
    static_cast<void>(numbers_.insert(code, 0));
    homes_.push_back({.code = code,
                      .process = mapped.first_process,
                      .first = 0,
                      .home = mapped.home,
                      .size = std::min(mapped.mapped_end, kMostHomeBytes)});
  }
}

u32 HomeFinder::space_of(u32 process, u64 when) {
  const auto [entry, is_new] = tasks_.try_emplace(process);
  perf_data::TaskHistory::Task& task = entry->second;
  if (is_new || when < task.begin || when >= task.end) task = history_.task_at(process, process, when);
  return task.space;
}

// Of what is no file: grows as far as it was sampled.
u32 HomeFinder::home_of(u64 code_or_dump, u64 part, u64 offset) {
  const auto [number, is_new] = numbers_.insert(code_or_dump, part);
  if (is_new) homes_.push_back({.first = offset});
  CodeHome& home = homes_[number];
  const u64 end = std::max(home.first + home.size, offset + 1);
  home.first = std::min(home.first, offset);
  home.size = end - home.first;
  return number;
}

u32 HomeFinder::find(raw::Sample& sample) {
  if (!jit_.empty()) {
    stacks::StackFrame frame{sample.pc, stacks::AddressKind::user};
    jit_.replace_addresses(sample.process, sample.time_ns, std::span(&frame, 1));
    if (frame.address != sample.pc && RecordedJit::is_spot(frame.address)) {
      const u32 process = jit_.spot(frame.address).process;
      sample.pc = frame.address & ~RecordedJit::kSpot;
      const u32 number = home_of(kDump, process, sample.pc);
      homes_[number].process = process;
      return number;
    }
  }
  const perf_data::CodePlace place = history_.place_in(space_of(sample.process, sample.time_ns), sample.pc);
  if (place.code == perf_data::kNoCode) return kNone;
  const perf_data::MappedCode& code = history_.codes()[place.code];
  if (!code.is_anonymous) {
    if (place.offset >= kMostHomeBytes) return kNone;
    sample.pc = place.offset;
    return numbers_.find(place.code, 0);
  }
  sample.pc = place.offset;
  // A home has offsets of 32 bits; what a program wrote lies together, or in few parts.
  const u32 number = home_of(place.code, place.offset / kMostHomeBytes, place.offset);
  homes_[number].code = place.code;
  homes_[number].process = code.first_process;
  return number;
}

// Whoever comes first keeps the place where it was; who would overlap it moves away.
std::vector<CodeHome> HomeFinder::finish() {
  std::map<u64, u64> taken;  // begin → end
  u64 spare = kSpareHomes;
  for (CodeHome& home : homes_) {
    if (home.code != perf_data::kNoCode && history_.codes()[home.code].is_anonymous) home.home = home.first;
    const u64 end = home.home + home.size;
    const auto next = taken.lower_bound(home.home);
    const bool meets_next = next != taken.end() && next->first < end;
    const bool meets_previous = next != taken.begin() && std::prev(next)->second > home.home;
    const bool is_dump = home.code == perf_data::kNoCode;
    if (is_dump || meets_next || meets_previous || end < home.home || end > kSpareHomes) {
      home.home = spare;
      spare += (home.size + 2 * kPageBytes - 1) & ~(kPageBytes - 1);
    }
    taken[home.home] = home.home + home.size;
  }
  return std::move(homes_);
}

}  // namespace

std::vector<CodeHome> move_home(const perf_data::TaskHistory& history, RecordedJit& jit,
                                std::vector<raw::Sample>& samples) {
  HomeFinder finder(history, jit);
  std::vector<u32> found(samples.size(), HomeFinder::kNone);
  for (size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].exception_level == 0) found[i] = finder.find(samples[i]);
  }
  std::vector<CodeHome> homes = finder.finish();
  for (size_t i = 0; i < samples.size(); ++i) {
    raw::Sample& sample = samples[i];
    if (found[i] != HomeFinder::kNone) {
      sample.pc = homes[found[i]].home + (sample.pc - homes[found[i]].first);
    } else if (sample.exception_level == 0) {
      sample.pc |= kNowhere;
    }
  }
  return homes;
}

}  // namespace wperf::recording
