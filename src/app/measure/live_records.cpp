// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/live_records.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/perf_data/format.h"

namespace wperf::measure {
namespace {

constexpr usize kRecordHeader = 8, kSizeOffset = 6;
constexpr u32 kEverybody = ~u32{0};
constexpr usize kPidOffset = 8, kParentOffset = 12;  // positions in records about processes
constexpr usize kDataSizeOffset = 48;                // position in the file's header

template <typename Number>
Number number_at(std::span<const std::byte> bytes, usize at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

void LiveRecords::begin(std::span<const std::byte> beginning, usize pid_offset, perf_data::RecordingFacts facts) {
  beginning_.assign(beginning.begin(), beginning.end());
  facts_ = std::move(facts);
  sideband_.clear();
  sideband_ranges_.clear();
  parents_.clear();
  pid_offset_ = pid_offset;
  looks_.clear();
}

void LiveRecords::begin_look(u64 most_bytes) {
  u64 bytes = 0;
  for (const std::vector<std::byte>& one : looks_) bytes += one.size();
  while (looks_.size() > 1 && bytes > most_bytes) {
    bytes -= looks_.front().size();
    looks_.pop_front();
  }
  looks_.emplace_back();
}

bool LiveRecords::take(std::span<const std::byte> records) {
  while (!records.empty()) {
    if (records.size() < kRecordHeader) return false;
    const auto type = static_cast<perf_data::RecordType>(number_at<u32>(records, 0));
    const usize size = number_at<u16>(records, kSizeOffset);
    if (size < kRecordHeader || size > records.size()) return false;
    const std::span<const std::byte> record = records.first(size);
    records = records.subspan(size);
    switch (type) {
      case perf_data::RecordType::finished_round:  // left out, because looks are joined in another order
        break;
      case perf_data::RecordType::sample:
      case perf_data::RecordType::lost:
      case perf_data::RecordType::lost_samples:
      case perf_data::RecordType::throttle:
      case perf_data::RecordType::unthrottle:
      case perf_data::RecordType::context_switch:
      case perf_data::RecordType::switch_cpu_wide:
        append(looks_.back(), record);
        break;
      default:
        keep_sideband(static_cast<u32>(type), record);
    }
  }
  return true;
}

void LiveRecords::keep_sideband(u32 type, std::span<const std::byte> record) {
  RecordRange range{.begin = sideband_.size(), .size = record.size(), .pid = kEverybody};
  append(sideband_, record);
  switch (static_cast<perf_data::RecordType>(type)) {
    case perf_data::RecordType::fork:
      if (record.size() >= kParentOffset + sizeof(u32)) {
        const u32 pid = number_at<u32>(record, kPidOffset), parent = number_at<u32>(record, kParentOffset);
        if (pid != parent) parents_.emplace(pid, parent);
      }
      [[fallthrough]];
    case perf_data::RecordType::comm:
    case perf_data::RecordType::mmap:
    case perf_data::RecordType::mmap2:
    case perf_data::RecordType::exit:
      if (record.size() >= kPidOffset + sizeof(u32)) range.pid = number_at<u32>(record, kPidOffset);
      break;
    default:
      break;
  }
  sideband_ranges_.push_back(range);
}

// The sampled processes and all their ancestors.
std::unordered_set<u32> LiveRecords::processes_of(usize first, usize end) const {
  std::unordered_set<u32> found{kEverybody};
  std::vector<u32> to_look_at;
  for (usize i = first; i < end; ++i) {
    const std::span<const std::byte> records = looks_[i];
    for (usize at = 0; at < records.size(); at += number_at<u16>(records, at + kSizeOffset)) {
      const auto type = static_cast<perf_data::RecordType>(number_at<u32>(records, at));
      const usize size = number_at<u16>(records, at + kSizeOffset);
      if (type != perf_data::RecordType::sample || size < pid_offset_ + sizeof(u32)) continue;
      const u32 pid = number_at<u32>(records, at + pid_offset_);
      if (found.insert(pid).second) to_look_at.push_back(pid);
    }
  }
  while (!to_look_at.empty()) {
    const auto [begin, behind] = parents_.equal_range(to_look_at.back());
    to_look_at.pop_back();
    for (auto parent = begin; parent != behind; ++parent) {
      if (found.insert(parent->second).second) to_look_at.push_back(parent->second);
    }
  }
  return found;
}

std::vector<std::byte> LiveRecords::file(usize looks, usize newest_left_out) const {
  const usize end = looks_.size() - std::min(newest_left_out, looks_.size());
  const usize first = end - std::min(looks, end);
  const std::unordered_set<u32> processes = pid_offset_ != 0 ? processes_of(first, end) : std::unordered_set<u32>();
  std::vector<std::byte> out = beginning_;
  for (const RecordRange& one : sideband_ranges_) {
    if (pid_offset_ != 0 && !processes.contains(one.pid)) continue;
    append(out, std::span(sideband_).subspan(one.begin, one.size));
  }
  for (usize i = first; i < end; ++i) append(out, looks_[i]);
  const u64 record_bytes = out.size() - beginning_.size();
  const perf_data::FactsEnding ending = perf_data::facts_ending(out.size(), facts_);
  if (beginning_.size() >= perf_data::kFeatureBitsOffset + ending.feature_bits.size()) {
    std::memcpy(out.data() + kDataSizeOffset, &record_bytes, sizeof record_bytes);
    std::memcpy(out.data() + perf_data::kFeatureBitsOffset, ending.feature_bits.data(), ending.feature_bits.size());
    append(out, std::as_bytes(std::span(ending.tail)));
  }
  return out;
}

}  // namespace wperf::measure
