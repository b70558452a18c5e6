// SPDX-License-Identifier: BSD-3-Clause
// Rings that the kernel fills, mapped into this process.
#pragma once
#include "machine/perf_events/counter_linux.h"
#include "machine/perf_events/rings.h"

namespace wperf::perf_events {

// The ring of one core that the kernel fills with records, mapped.
inline constexpr usize kRingBytes = usize{512} << 10;  // the kernel's default limit per user and core
inline constexpr usize kLeastRingBytes = usize{16} << 10;
inline constexpr usize kMostRingBytes = usize{8} << 20;  // for a ring that filled up

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

  // kRingBytes, halved until the user's limit allows it. `event` stays open while this lives.
  static diag::Result<SampleRing> map(const Descriptor& event);
  // Maps a ring of `wanted` bytes, halved down to `least` if necessary. `watched`: an event that writes into it.
  static diag::Result<SampleRing> map(const Descriptor& event, usize wanted, usize least, int watched);

  usize size() const { return size_; }
  int event() const { return event_; }  // becomes readable when the ring is half full
  RingPieces waiting() const;           // its present contents
  void taken_up_to(u64 tail);           // gives the space back

 private:
  SampleRing(void* mapped, usize size, int event) : mapped_(mapped), size_(size), event_(event) {}
  perf_event_mmap_page* page() const { return static_cast<perf_event_mmap_page*>(mapped_); }

  void* mapped_ = nullptr;
  usize size_ = 0;  // without the first page
  int event_ = -1;
};

// The AUX area of an opened event, and the ring with the records about it, mapped.
class AuxRing {
 public:
  ~AuxRing();
  AuxRing(AuxRing&& other) noexcept
      : mapped_(std::exchange(other.mapped_, nullptr)), aux_(other.aux_), area_(std::move(other.area_)) {}
  AuxRing& operator=(AuxRing&&) = delete;
  AuxRing(const AuxRing&) = delete;

  // `aux_bytes`: a power of two of pages; halved until the user's limit allows it. `event` stays open while this lives.
  static diag::Result<AuxRing> map(const Descriptor& event, u32 core, usize aux_bytes);

  void drain(const readings::SpeSink& sink);
  const readings::SpeStatistics& statistics() const { return area_.statistics(); }

 private:
  AuxRing(void* mapped, std::span<std::byte> aux, u32 core) : mapped_(mapped), aux_(aux), area_(core, aux) {}
  perf_event_mmap_page* page() const { return static_cast<perf_event_mmap_page*>(mapped_); }

  void* mapped_ = nullptr;
  std::span<std::byte> aux_;
  AuxArea area_;
};

}  // namespace wperf::perf_events
