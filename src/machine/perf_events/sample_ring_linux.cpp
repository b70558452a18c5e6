// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/sample_ring_linux.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace wperf::perf_events {
namespace {

usize page_bytes() {
  return static_cast<usize>(sysconf(_SC_PAGESIZE));
}

}  // namespace

SampleRing::~SampleRing() {
  if (mapped_ != nullptr) munmap(mapped_, size_ + page_bytes());
}

diag::Result<SampleRing> SampleRing::map(const Descriptor& event) {
  return map(event, kRingBytes, kLeastRingBytes, event.number());
}

diag::Result<SampleRing> SampleRing::map(const Descriptor& event, usize wanted, usize least, int watched) {
  for (usize size = std::max(wanted, page_bytes());; size /= 2) {
    void* mapped = mmap(nullptr, size + page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, event.number(), 0);
    if (mapped != MAP_FAILED) return SampleRing(mapped, size, watched);
    if ((errno == EPERM || errno == ENOMEM) && size / 2 >= std::max(least, page_bytes())) continue;
    return no_room("samples");
  }
}

RingPieces SampleRing::waiting() const {
  const u64 head = std::atomic_ref<__u64>(page()->data_head).load(std::memory_order_acquire);
  const u64 tail = std::atomic_ref<__u64>(page()->data_tail).load(std::memory_order_relaxed);
  const auto* ring = static_cast<const std::byte*>(mapped_) + page_bytes();
  return waiting_in({ring, size_}, head, tail);
}

void SampleRing::taken_up_to(u64 tail) {
  std::atomic_ref<__u64>(page()->data_tail).store(tail, std::memory_order_release);
}

}  // namespace wperf::perf_events
