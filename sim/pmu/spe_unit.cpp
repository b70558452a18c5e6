// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pmu/spe_unit.h"

#include <cstdint>
#include <cstring>

#include "sim/pmu/spe_record.h"

namespace wperf::sim {
namespace {

using driver::Register;

constexpr u64 kControlMask = kSpeUser | kSpeKernel | kSpeContext | kSpePhysical | kSpeTime | 3 << 6;
constexpr u64 kIntervalMask = 0xffffff00, kRandom = 1;
constexpr u64 kLimitMask = ~u64{0xfff};
constexpr u64 kLimitStored = kLimitMask | 7;  // FM, E
constexpr u64 kStatusMask = 0xfc0f003f;       // EC, DL, EA, S, COLL, BSC

// The events that a version can filter by, without implementation-defined ones.
u64 filterable_events(u32 version) {
  u64 events = 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7;
  if (version >= 2) events |= 1 << 11;
  if (version >= 3) events |= 1 << 6;
  return events;
}

u64 filter_mask(u32 version) {
  const u64 absent = version >= 3 ? kSpeFilterAbsent : 0;
  return kSpeFilterEvents | kSpeFilterTypes | kSpeFilterLatency | absent | kSpeBranches | kSpeLoads | kSpeStores;
}

}  // namespace

// The unit filters by event, type and latency, samples instructions, and records the data sources of loads. Intervals
// are at least 1024, and records have at most 64 bytes. From v1p2 on: filters by absent events, 16-bit counters instead
// of 12, previous branch targets.
u64 pmsidr_of(u32 version) {
  if (version == 0) return 0;
  const u64 filters = 7, instructions = 1 << 3, sources = 1 << 4, interval = 4 << 8, record = 6 << 12;
  const u64 rest = version >= 3 ? u64{1} << 6 | u64{3} << 16 | u64{1} << 24 : u64{2} << 16;
  return filters | instructions | sources | interval | record | rest;
}

// The buffer may be used (P = 0), the hardware manages the access flag, records are aligned to 64 bytes.
u64 pmbidr_of(u32 version) {
  return version != 0 ? 0x26 : 0;
}

SpeUnit::SpeUnit(const SpeConfig& config) : config_(config), random_(config.seed * 0x9e3779b97f4a7c15 | 1) {}

u64 SpeUnit::read(Register reg) const {
  switch (reg) {
    case Register::pmsidr:
      return pmsidr_of(config_.version);
    case Register::pmbidr:
      return pmbidr_of(config_.version);
    case Register::pmscr:
      return control_;
    case Register::pmsicr:
      return count_;
    case Register::pmsirr:
      return interval_;
    case Register::pmsfcr:
      return filter_;
    case Register::pmsevfr:
      return events_;
    case Register::pmsnevfr:
      return absent_;
    case Register::pmslatfr:
      return latency_;
    case Register::pmblimitr:
      return limit_;
    case Register::pmbptr:
      return pointer_;
    case Register::pmbsr:
      return status_;
    default:
      return 0;
  }
}

void SpeUnit::write(Register reg, u64 value) {
  const u32 version = config_.version;
  if (version == 0) return;
  switch (reg) {
    case Register::pmscr:
      control_ = value & kControlMask;
      return;
    case Register::pmsicr:
      count_ = value & 0xffffffff;
      loaded_ = count_ != 0;
      return;
    case Register::pmsirr:
      interval_ = value & (kIntervalMask | kRandom);
      return;
    case Register::pmsfcr:
      filter_ = value & filter_mask(version);
      return;
    case Register::pmsevfr:
      events_ = value & filterable_events(version);
      return;
    case Register::pmsnevfr:
      absent_ = version >= 3 ? value & filterable_events(version) : 0;
      return;
    case Register::pmslatfr:
      latency_ = value & (version >= 3 ? 0xffff : 0xfff);
      return;
    case Register::pmblimitr:
      limit_ = value & kLimitStored;
      return;
    case Register::pmbptr:
      pointer_ = value;
      return;
    case Register::pmbsr:
      status_ = value & kStatusMask;
      if ((status_ & kSpeService) == 0) interrupt_ = false;
      return;
    default:
      return;
  }
}

bool SpeUnit::take_interrupt() {
  const bool pending = interrupt_;
  interrupt_ = false;
  return pending;
}

// A counter that was set to 0 takes its first interval from PMSIRR.
u64 SpeUnit::remaining() const {
  if (loaded_) return count_;
  const u64 interval = interval_ & kIntervalMask;
  return interval != 0 ? interval : 1;
}

void SpeUnit::pass(u64 operations) {
  count_ = remaining() - operations;
  loaded_ = true;
}

// The low 8 bits of an interval are random or 0. (SplitMix64.)
void SpeUnit::load_interval() {
  count_ = interval_ & kIntervalMask;
  if ((interval_ & kRandom) != 0) {
    random_ += 0x9e3779b97f4a7c15;
    u64 value = (random_ ^ (random_ >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    count_ |= (value ^ (value >> 31)) & 0xff;
  }
  if (count_ == 0) count_ = 1;
  loaded_ = true;
}

bool SpeUnit::choose(u64 cycle) {
  load_interval();
  if (cycle >= busy_until_) return true;
  status_ |= kSpeCollision;
  return false;
}

Profiler::Completion SpeUnit::complete(const Operation& operation) {
  busy_until_ = operation.begun + operation.total_latency;
  const u64 events = spe_events(operation, config_.version);
  Completion completion;
  completion.kept = passes_filters(operation, events) && write_record(operation, events);
  if (operation.is_branch() && !operation.not_taken) {
    previous_target_ = spe_code_address(operation.target, operation.level);
  }
  completion.interrupt = interrupt_;
  return completion;
}

bool SpeUnit::passes_types(const Operation& operation) const {
  const bool load = operation.instruction.is(Trait::load) && (!operation.is_atomic() || operation.returns_data);
  return ((filter_ & kSpeLoads) != 0 && load) ||
         ((filter_ & kSpeStores) != 0 && operation.instruction.is(Trait::store)) ||
         ((filter_ & kSpeBranches) != 0 && operation.is_branch());
}

bool SpeUnit::passes_filters(const Operation& operation, u64 events) const {
  if ((filter_ & kSpeFilterEvents) != 0 && (events & events_) != events_) return false;
  if ((filter_ & kSpeFilterAbsent) != 0 && (events & absent_) != 0) return false;
  if ((filter_ & kSpeFilterLatency) != 0 && operation.total_latency < latency_) return false;
  return (filter_ & kSpeFilterTypes) == 0 || passes_types(operation);
}

u64 SpeUnit::ticks_of(u64 cycle) const {
  return (cycle + cycles_ahead_) * kTimerMhz / config_.mhz;
}

// Returns false if there was no room.
bool SpeUnit::write_record(const Operation& operation, u64 events) {
  const u64 end = limit_ & kLimitMask;
  if (pointer_ >= end || end - pointer_ < kSpeRecordSize) {
    end_buffer(kSpeBufferFull | kSpeDataLoss);
    return false;
  }
  const SpeRecord record =
      encode_spe_record(operation, {.version = config_.version,
                                    .events = events,
                                    .context = (control_ & kSpeContext) != 0,
                                    .physical = (control_ & kSpePhysical) != 0,
                                    .timestamp = (control_ & kSpeTime) != 0,
                                    .context_id = context_,
                                    .ticks = ticks_of(operation.begun),
                                    .previous_target = config_.version >= 3 ? previous_target_ : 0});
  // The driver's buffers are memory of this process.
  void* const place =
      reinterpret_cast<void*>(static_cast<std::uintptr_t>(pointer_));  // NOLINT(performance-no-int-to-ptr)
  std::memcpy(place, record.data(), record.size());
  if (watcher_) watcher_(context_, operation.pc, ticks_of(operation.begun));
  pointer_ += kSpeRecordSize;
  if (end - pointer_ < kSpeRecordSize) end_buffer(kSpeBufferFull);
  return true;
}

void SpeUnit::end_buffer(u64 status) {
  status_ = (status_ & kSpeCollision) | status | kSpeService;
  interrupt_ = true;
}

}  // namespace wperf::sim
