// SPDX-License-Identifier: BSD-3-Clause
// An interpreter whose memory has arbitrary contents and changes while it is read. All readers end, and read a bounded
// amount. The input: a byte that chooses the layout (0: 3.11, 1: 3.12, others: the table at the beginning of the
// memory), a byte with the number of reads after which the memory changes (0: never), and up to 64 KB of memory.
// Addresses are taken modulo 64 KB, so that most of them are valid. Stacks are read from the current frame, from each
// frame that was found, and from words of these frames, as if a native stack had them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "code/python/code_objects.h"
#include "code/python/debug_offsets.h"
#include "code/python/objects.h"
#include "code/python/snapshot.h"
#include "code/python/stacks.h"
#include "code/python/threads.h"

namespace {

using namespace wperf;
using namespace wperf::python;

constexpr usize kMemory = 0x10000;

void require(bool holds) {
  if (!holds) std::abort();
}

class AnyMemory final : public ProcessMemory {
 public:
  AnyMemory(const uint8_t* data, size_t size, u8 period) : bytes_(kMemory), period_(period) {
    std::memcpy(bytes_.data(), data, std::min(size, kMemory));
  }
  usize read(std::span<const MemoryPiece> pieces) override {
    ++calls;
    if (period_ != 0 && ++all_calls_ % period_ == 0) {
      std::rotate(bytes_.begin() + 0x400, bytes_.begin() + 0x408, bytes_.begin() + 0x8000);
    }
    for (usize i = 0; i < pieces.size(); ++i) {
      const usize offset = pieces[i].address % kMemory, size = pieces[i].to.size();
      if (pieces[i].address < 0x100 || size > kMemory - offset) return i;
      std::memcpy(pieces[i].to.data(), bytes_.data() + offset, size);
      bytes += size;
    }
    return pieces.size();
  }
  void reset_counts() { calls = bytes = 0; }
  u64 calls = 0, bytes = 0;

 private:
  std::vector<std::byte> bytes_;
  u8 period_;
  u64 all_calls_ = 0;
};

constexpr u64 kMostFrameBytes = 0x208, kMostMarkBytes = kMostMarkedBytes + 4000;

// A read gets all of its bytes or fails, so two reads from the same copy give the same result.
void check_copy(const Snapshot& snapshot, SnapshotMemory& memory, AnyMemory& live, u64 address) {
  u64 copied = 0, first = 0, second = 0;
  const bool is_copied = snapshot.copy(address, bytes_of(copied));
  require(!is_copied || (snapshot.holds(address) && snapshot.holds(address + 7)));
  if (!is_copied) return;
  live.reset_counts();
  require(memory.read_number(address, first) && memory.read_number(address, second));
  require(live.calls == 0 && first == copied && second == copied);
}

void name_frames(AnyMemory& memory, CodeObjects& code, const RawStack& stack) {
  constexpr u64 kMostCalls = 2 + 2 * 2 + 2;  // the mark twice; head and characters of two texts; size and contents
  constexpr u64 kMostBytes = 2 * kMostMarkedBytes + 2 * (64 + 4 * kMostCharacters) + 8 + python::kMostBytes;
  for (usize k = 0; k < std::min<usize>(stack.frames.size(), 20); ++k) {
    memory.reset_counts();
    const auto id = code.id_of(stack.frames[k]);
    require(memory.calls <= kMostCalls && memory.bytes <= kMostBytes);
    if (!id.has_value()) continue;
    require(*id < code.size() && code[*id].qualified_name.size() <= 4 * kMostCharacters + 3);
    require(code.lines(*id).rows().size() <= code.lines(*id).size());
    code.lines(*id).line_at(static_cast<std::int64_t>(stack.frames[k].instruction - code[*id].instructions));
  }
}

void read_frames(AnyMemory& live, Snapshot& snapshot, const Layout& layout, u64 frame, usize most, RawStack& stack) {
  // Older chunks: at most two reads of the contents and one of the header.
  constexpr u64 kMostOlder = 32, kMostOlderBytes = kMostOlder * (2 * (1 << 16) + sizeof(DataChunk));
  SnapshotMemory memory(snapshot, live);
  check_copy(snapshot, memory, live, frame);
  live.reset_counts();
  StackReader(memory, layout).read_from(frame, stack, most);
  require(stack.frames.size() <= most);
  // A C frame may precede each frame. The marks may be read one by one.
  require(live.calls <= 2 * most + 1 + most + 3 * kMostOlder);
  require(live.bytes <= (2 * most + 1) * kMostFrameBytes + most * kMostMarkBytes + kMostOlderBytes);
}

void read_stacks(AnyMemory& memory, const Layout& layout, const std::vector<PythonThread>& threads) {
  constexpr u64 kMostStateBytes = 0x1000 + 16, kMostChunkBytes = 1 << 16;
  CodeObjects code(memory, layout);
  Snapshot snapshot;
  RawStack stack;
  for (const PythonThread& thread : std::span(threads).first(std::min<usize>(threads.size(), 3))) {
    memory.reset_counts();
    const bool is_taken = snapshot.take(memory, layout, thread.state, thread.native_id);
    // The previous snapshot's chunk may be read, too.
    require(memory.calls <= 4 && memory.bytes <= kMostStateBytes + 2 * (8 + kMostChunkBytes));
    if (!is_taken) continue;
    read_frames(memory, snapshot, layout, snapshot.current_frame(), kMostFrames, stack);
    name_frames(memory, code, stack);
    std::vector<u64> others = {thread.state, thread.interpreter};
    for (usize k = 0; k < std::min<usize>(stack.frames.size(), 8); ++k) {
      const RawFrame& frame = stack.frames[k];
      others.insert(others.end(), {frame.address, frame.address + 8, frame.code, frame.instruction});
      for (u64 offset = 0; offset < 96; offset += 8) {
        u64 word = 0;
        if (snapshot.copy(frame.address + offset, bytes_of(word))) others.push_back(word);
      }
    }
    for (usize i = 0; i < std::min<usize>(others.size(), 40); ++i) {
      read_frames(memory, snapshot, layout, others[i], i % 2 == 0 ? 1 : 32, stack);
      name_frames(memory, code, stack);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kHead = 2;
  if (size < kHead) return 0;
  AnyMemory memory(data + kHead, size - kHead, data[1]);
  constexpr u64 kRuntime = 0x10000;
  const u32 version = data[0] == 0 ? 0x030b02f0 : data[0] == 1 ? 0x030c01f0 : 0;
  const auto layout = version != 0 ? layout_of_version(version) : read_layout(memory, kRuntime, 0);
  if (!layout.has_value()) {
    require(!layout.error().text.empty());
    return 0;
  }
  memory.calls = 0;
  const PythonThreads found = list_threads(memory, layout.value(), kRuntime);
  require(found.threads.size() <= kMostThreads && memory.calls <= kMostThreads + kMostInterpreters + 2);
  memory.calls = 0;
  const PythonThreads newest = list_newest_threads(memory, layout.value(), kRuntime, data[1]);
  require(newest.threads.size() <= kMostNewest && memory.calls <= 1 + kMostNewestInterpreters + kMostNewest);
  read_stacks(memory, layout.value(), found.threads);
  return 0;
}
