// SPDX-License-Identifier: BSD-3-Clause
// The ring of one core that the kernel fills with records, mapped. Called by the sampling session of the Linux device.
#pragma once
#include "device/perf_events/counter_linux.h"
#include "device/perf_events/ring_reader.h"

namespace wperf::perf_events {

class SampleRing {
 public:
  SampleRing() = default;
  ~SampleRing();
  SampleRing(SampleRing&& other) noexcept
      : mapped_(std::exchange(other.mapped_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  SampleRing& operator=(SampleRing&&) = delete;
  SampleRing(const SampleRing&) = delete;

  // Half the size and half again where the kernel allows a user no more.
  static diag::Result<SampleRing> map(const Descriptor& event);

  RingReader waiting() const;  // what is in it now
  void taken_up_to(u64 tail);  // gives the room back

 private:
  SampleRing(void* mapped, usize size) : mapped_(mapped), size_(size) {}
  perf_event_mmap_page* page() const { return static_cast<perf_event_mmap_page*>(mapped_); }

  void* mapped_ = nullptr;
  usize size_ = 0;  // without the first page
};

}  // namespace wperf::perf_events
