// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/rings_linux.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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

diag::Result<SampleRing> SampleRing::map(const Descriptor& event, const Wanted& wanted) {
  for (usize size = std::max(wanted.size, page_bytes());; size /= 2) {
    void* mapped = mmap(nullptr, size + page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, event.number(), 0);
    if (mapped != MAP_FAILED) return SampleRing(mapped, size, wanted);
    if ((errno == EPERM || errno == ENOMEM) && size / 2 >= std::max(wanted.least, page_bytes())) continue;
    return no_room("samples");
  }
}

u64 SampleRing::head() const {
  return std::atomic_ref<__u64>(page()->data_head).load(std::memory_order_acquire);
}

RingPieces SampleRing::waiting(u64 end) const {
  return pieces(std::atomic_ref<__u64>(page()->data_tail).load(std::memory_order_relaxed), end);
}

RingPieces SampleRing::pieces(u64 begin, u64 end) const {
  const auto* ring = static_cast<const std::byte*>(mapped_) + page_bytes();
  return waiting_in({ring, size_}, end, begin);
}

void SampleRing::taken_up_to(u64 tail) {
  std::atomic_ref<__u64>(page()->data_tail).store(tail, std::memory_order_release);
}

namespace {

constexpr usize kLeastAuxBytes = usize{64} << 10;    // a power-of-two number of pages, whatever their size
constexpr usize kRecordRingBytes = usize{64} << 10;  // a record of 64 bytes for each interrupt of the hardware

usize record_ring_bytes() {
  return std::max(kRecordRingBytes, page_bytes());
}

}  // namespace

AuxRing::~AuxRing() {
  if (mapped_ == nullptr) return;
  munmap(aux_.data(), aux_.size());
  munmap(mapped_, record_ring_bytes() + page_bytes());
}

diag::Result<AuxRing> AuxRing::map(const Descriptor& event, u32 core, usize aux_bytes) {
  const usize size = record_ring_bytes() + page_bytes();
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, event.number(), 0);
  if (mapped == MAP_FAILED) return no_room("the records about SPE data");
  auto* page = static_cast<perf_event_mmap_page*>(mapped);
  page->aux_offset = size;
  void* aux = MAP_FAILED;
  for (; aux == MAP_FAILED && aux_bytes >= kLeastAuxBytes; aux_bytes /= 2) {
    page->aux_size = aux_bytes;
    aux = mmap(nullptr, aux_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event.number(), static_cast<off_t>(size));
    if (aux != MAP_FAILED || (errno != EPERM && errno != ENOMEM)) break;
  }
  if (aux == MAP_FAILED) {
    diag::Error error = no_room("SPE data");
    munmap(mapped, size);
    return error;
  }
  return AuxRing(mapped, {static_cast<std::byte*>(aux), aux_bytes}, core);
}

// The area's head is loaded after the records, so the bytes that they describe are in the area.
void AuxRing::drain(const readings::SpeSink& sink) {
  const auto load = [](__u64& word) { return std::atomic_ref<__u64>(word).load(std::memory_order_acquire); };
  const auto* ring = static_cast<const std::byte*>(mapped_) + page_bytes();
  const RingPieces records = waiting_in({ring, record_ring_bytes()}, load(page()->data_head), page()->data_tail);
  area_.drain(records, load(page()->aux_head), sink);
  std::atomic_ref<__u64>(page()->data_tail).store(records.tail, std::memory_order_release);
  std::atomic_ref<__u64>(page()->aux_tail).store(area_.tail(), std::memory_order_release);
}

}  // namespace wperf::perf_events
