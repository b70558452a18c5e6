// SPDX-License-Identifier: BSD-3-Clause
// A stack with arbitrary contents. The walk over it ends, reads only aligned words within the stack and above the
// previous words, and returns only addresses of the walked address space.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "driver/core/stack_walker.h"

namespace {

using namespace wperf;
using namespace wperf::driver;

constexpr u32 kMost = 127;

struct Head {
  u64 base, fp, low, high;
  u8 most, flags;
  u8 rest[6];
};

void require(bool holds) {
  if (!holds) std::abort();
}

bool belongs_to(CodeSpace space, u64 address) {
  return space == CodeSpace::kernel ? address >= 0xffff'0000'0000'0000 : address >= 0x1'0000 && address < kUserEnd;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Head head;
  if (size < sizeof head) return 0;
  std::memcpy(&head, data, sizeof head);
  const uint8_t* const memory = data + sizeof head;
  const size_t bytes = size - sizeof head;
  if ((head.flags & 2) != 0) {  // within the existing memory, so that chains are followed
    head.fp = head.base + head.fp % (bytes + 1);
    head.low = head.base;
    head.high = head.base + bytes;
  }
  const CodeSpace space = (head.flags & 1) != 0 ? CodeSpace::kernel : CodeSpace::user;
  const u32 most = head.most % (kMost + 1);
  u64 frames[kMost + 1];
  for (u64& frame : frames) frame = 0x5a5a;
  u64 least = head.low;
  u32 reads = 0;
  const WalkedChain chain =
      walk_frame_records(head.fp, {head.low, head.high}, space, frames, most, [&](u64 address, u64(&record)[2]) {
        ++reads;
        require(address % 8 == 0 && address >= least && address < head.high && head.high - address >= 16);
        least = address + 16;
        const u64 at = address - head.base;
        if (at >= bytes || bytes - at < sizeof record) return false;
        std::memcpy(record, memory + at, sizeof record);
        return true;
      });
  require(chain.frames <= most && reads <= most && (!chain.cut || chain.frames == most));
  for (u32 i = 0; i <= kMost; ++i) {
    require(i < chain.frames ? belongs_to(space, frames[i]) : frames[i] == 0x5a5a);
  }
  return 0;
}
