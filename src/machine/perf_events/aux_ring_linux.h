// SPDX-License-Identifier: BSD-3-Clause
// The AUX area of an opened event, and the ring with the records about it, mapped.
#pragma once
#include "machine/perf_events/aux_area.h"
#include "machine/perf_events/counter_linux.h"

namespace wperf::perf_events {

class AuxRing {
 public:
  ~AuxRing();
  AuxRing(AuxRing&& other) noexcept
      : mapped_(std::exchange(other.mapped_, nullptr)), aux_(other.aux_), area_(std::move(other.area_)) {}
  AuxRing& operator=(AuxRing&&) = delete;
  AuxRing(const AuxRing&) = delete;

  // `aux_bytes`: a power of two of pages; halved again and again until the user's limit allows it. `event` stays open
  // while this lives.
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
