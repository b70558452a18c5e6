// SPDX-License-Identifier: BSD-3-Clause
// The loads and stores that Unicorn reports, as the models and a profiler see them.
#include "sim/cpu/unicorn_core.h"

namespace wperf::sim {
namespace {

// Unicorn's softmmu pages for ARM.
constexpr u64 kUnicornPage = 1024;

}  // namespace

// If a load crosses one of Unicorn's pages, Unicorn reports the load, and then also the two aligned words that contain
// it.
bool UnicornCore::is_half(u64 address) {
  if (address != next_half_) {
    special_ &= kStanding;
    return false;
  }
  --special_;
  next_half_ += half_size_;
  return true;
}

Instruction UnicornCore::current_instruction() {
  return classify_instruction(word_at(registers_.read(UC_ARM64_REG_PC)));
}

inline void UnicornCore::read(u64 address, u32 size) {
  if (special_ != 0) [[unlikely]] {
    return read_specially(address, size);
  }
  read_one(address, size);
}

void UnicornCore::read_specially(u64 address, u32 size) {
  if ((special_ & ~kStanding) != 0 && is_half(address)) return;
  if ((special_ & kTracked) != 0) model_.begin_outcome();
  read_one(address, size);
  if ((special_ & kTracked) != 0) note_access(address);
  if ((special_ & kWatched) != 0) watch_access();
}

inline void UnicornCore::read_one(u64 address, u32 size) {
  // Unicorn compares before it stores; the store exclusive of a real core does not read.
  if (current_->watch_accesses && current_instruction().is(Trait::store_exclusive)) return;
  if (((address + size - 1) ^ address) >= kUnicornPage) [[unlikely]] {
    special_ = (special_ & kStanding) | 2;
    half_size_ = size;
    next_half_ = address & ~u64{size - 1};
  }
  model_.load(address, size);
}

inline void UnicornCore::write(u64 address, u32 size) {
  if (space_->may_be_code(address, size) && space_->stored(address, size)) [[unlikely]] {
    forget_code(address, size);
  }
  if (current_->watch_accesses || (special_ & kStanding) != 0) [[unlikely]] {
    return write_specially(address, size);
  }
  model_.store(address, size);
}

void UnicornCore::write_specially(u64 address, u32 size) {
  const Instruction instruction = current_->watch_accesses ? current_instruction() : Instruction{};
  if ((special_ & kTracked) != 0) model_.begin_outcome();
  if (instruction.is(Trait::zero_line)) {
    // Unicorn reports the stores of DC ZVA byte by byte, and the first bytes more than once.
    if (address % kLineSize != kLineSize - 1) return;
    address &= ~(kLineSize - 1);
    model_.zero_line(address);
  } else {
    const bool second_half = instruction.access_count == 2 && instruction.access_bytes == 8 && (address & 8) != 0;
    if (instruction.is(Trait::store_exclusive) && !second_half) model_.exclusive_stored();
    model_.store(address, size);
  }
  if ((special_ & kTracked) != 0) note_access(address);
  if ((special_ & kWatched) != 0) watch_access();
}

void UnicornCore::on_read(uc_engine*, uc_mem_type, u64 address, int size, int64_t, void* self) {
  static_cast<UnicornCore*>(self)->read(address, static_cast<u32>(size));
}

void UnicornCore::on_write(uc_engine*, uc_mem_type, u64 address, int size, int64_t, void* self) {
  static_cast<UnicornCore*>(self)->write(address, static_cast<u32>(size));
}

}  // namespace wperf::sim
