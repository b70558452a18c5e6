// SPDX-License-Identifier: BSD-3-Clause
// The ring of one core that the kernel fills with records, mapped. Called by the recording session of the Linux device
// and by its thread.
#pragma once
#include "machine/perf_events/counter_linux.h"
#include "machine/perf_events/ring_pieces.h"

namespace wperf::perf_events {

inline constexpr usize kRingBytes = usize{512} << 10;  // what the kernel lets each user have for a core by default
inline constexpr usize kLeastRingBytes = usize{16} << 10;
inline constexpr usize kMostRingBytes = usize{8} << 20;  // of one that filled up

class SampleRing {
 public:
  SampleRing() = default;
  ~SampleRing();
  SampleRing(SampleRing&& other) noexcept
      : mapped_(std::exchange(other.mapped_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        event_(std::exchange(other.event_, -1)) {}
  SampleRing& operator=(SampleRing&&) = delete;
  SampleRing(const SampleRing&) = delete;

  // Half of kRingBytes and half again where the kernel allows a user no more. `event` stays open while this lives.
  static diag::Result<SampleRing> map(const Descriptor& event);
  // Of `wanted` bytes, or half, or half again, down to `least`. `watched`: an event that writes into it.
  static diag::Result<SampleRing> map(const Descriptor& event, usize wanted, usize least, int watched);

  usize size() const { return size_; }
  int event() const { return event_; }  // becomes readable when the ring is half full
  RingPieces waiting() const;           // what is in it now
  void taken_up_to(u64 tail);           // gives the room back

 private:
  SampleRing(void* mapped, usize size, int event) : mapped_(mapped), size_(size), event_(event) {}
  perf_event_mmap_page* page() const { return static_cast<perf_event_mmap_page*>(mapped_); }

  void* mapped_ = nullptr;
  usize size_ = 0;  // without the first page
  int event_ = -1;
};

}  // namespace wperf::perf_events
