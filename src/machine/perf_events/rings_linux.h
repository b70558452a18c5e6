// SPDX-License-Identifier: BSD-3-Clause
// Rings that the kernel fills, mapped into this process.
#pragma once
#include "machine/perf_events/counter_linux.h"
#include "machine/perf_events/rings.h"

namespace wperf::perf_events {

// The ring of one core that the kernel fills with records, mapped.
inline constexpr usize kRingBytes = usize{512} << 10;  // the kernel's default limit per user and core
inline constexpr usize kLeastRingBytes = usize{16} << 10;
inline constexpr usize kWatchedRingBytes = usize{2} << 20;  // for copies of stacks, and for a ring that keeps its size
inline constexpr usize kMostRingBytes = usize{8} << 20;     // for a ring that filled up

class SampleRing {
 public:
  SampleRing() = default;
  ~SampleRing();
  SampleRing(SampleRing&& other) noexcept
      : mapped_(std::exchange(other.mapped_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        event_(std::exchange(other.event_, -1)),
        core_(other.core_),
        look_ms_(other.look_ms_) {}
  SampleRing& operator=(SampleRing&&) = delete;
  SampleRing(const SampleRing&) = delete;

  struct Wanted {
    usize size = kRingBytes, least = kLeastRingBytes;
    int watched = -1;  // an event that writes into the ring
    int core = -1;     // of all its records; -1: any
    int look_ms = -1;  // as look_ms()
  };
  // Halves the size until the user's limit allows it. `event` stays open while this lives.
  static diag::Result<SampleRing> map(const Descriptor& event, const Wanted& wanted);

  usize size() const { return size_; }
  int core() const { return core_; }
  int event() const { return event_; }      // becomes readable when the ring is half full, or when its event says so
  int look_ms() const { return look_ms_; }  // how often to look for samples that wake nobody; -1: they do
  u64 head() const;                         // where the kernel will write next
  RingPieces waiting() const { return waiting(head()); }
  RingPieces waiting(u64 end) const;            // its present contents, up to this position
  RingPieces pieces(u64 begin, u64 end) const;  // the contents between two positions
  void taken_up_to(u64 tail);                   // gives the space back

 private:
  SampleRing(void* mapped, usize size, const Wanted& wanted)
      : mapped_(mapped), size_(size), event_(wanted.watched), core_(wanted.core), look_ms_(wanted.look_ms) {}
  perf_event_mmap_page* page() const { return static_cast<perf_event_mmap_page*>(mapped_); }

  void* mapped_ = nullptr;
  usize size_ = 0;  // without the first page
  int event_ = -1;
  int core_ = -1, look_ms_ = -1;
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
