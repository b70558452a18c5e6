// SPDX-License-Identifier: BSD-3-Clause
// Rings that the kernel fills, mapped into this process.
#pragma once
#include "machine/perf_events/counter_linux.h"
#include "machine/perf_events/rings.h"

namespace wperf::perf_events {

// The mapped ring of one core, which the kernel fills with records.
inline constexpr usize kRingBytes = usize{512} << 10;  // the kernel's default limit for each user and core
inline constexpr usize kLeastRingBytes = usize{16} << 10;
inline constexpr usize kWatchedRingBytes = usize{2} << 20;  // for stack copies, and for a ring that cannot be enlarged
inline constexpr usize kMostRingBytes = usize{8} << 20;     // for a ring that was full

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
    int core = -1;     // the core of all its records; -1: any core
    int look_ms = -1;  // see look_ms()
  };
  // Halves the size until the user's limit allows it. `event` must stay open while this object exists.
  static diag::Result<SampleRing> map(const Descriptor& event, const Wanted& wanted);

  usize size() const { return size_; }
  int core() const { return core_; }
  int event() const { return event_; }  // becomes readable when the ring is half full, or as set by its event
  // How often to poll for samples that do not wake the watcher; -1: samples wake it.
  int look_ms() const { return look_ms_; }
  u64 head() const;  // the position where the kernel writes next
  RingPieces waiting() const { return waiting(head()); }
  RingPieces waiting(u64 end) const;            // the current contents up to this position
  RingPieces pieces(u64 begin, u64 end) const;  // the contents between two positions
  void taken_up_to(u64 tail);                   // frees the space

 private:
  SampleRing(void* mapped, usize size, const Wanted& wanted)
      : mapped_(mapped), size_(size), event_(wanted.watched), core_(wanted.core), look_ms_(wanted.look_ms) {}
  perf_event_mmap_page* page() const { return static_cast<perf_event_mmap_page*>(mapped_); }

  void* mapped_ = nullptr;
  usize size_ = 0;  // without the first page
  int event_ = -1;
  int core_ = -1, look_ms_ = -1;
};

// The mapped AUX area of an event, and the ring with the records about it.
class AuxRing {
 public:
  ~AuxRing();
  AuxRing(AuxRing&& other) noexcept
      : mapped_(std::exchange(other.mapped_, nullptr)), aux_(other.aux_), area_(std::move(other.area_)) {}
  AuxRing& operator=(AuxRing&&) = delete;
  AuxRing(const AuxRing&) = delete;

  // `aux_bytes`: a power-of-two number of pages; halved until the user's limit allows it. `event` must stay open while
  // this object exists.
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
