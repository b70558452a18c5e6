// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/threads.h"

#include <array>

namespace wperf::python {
namespace {

struct Limits {
  usize interpreters = 0, threads = 0;
  u32 wanted = 0;  // the list may end at this thread; 0: none
};

// Returns false if the list of threads has more than `most`, ends at the wanted one, has no end or cannot be read.
bool add_threads(ProcessMemory& memory, const Layout& layout, const PythonThread& first, const Limits& most,
                 std::vector<PythonThread>& out) {
  for (u64 state = first.state; state != 0;) {
    if (out.size() >= most.threads) return false;
    u64 next = 0;
    PythonThread thread{.interpreter = first.interpreter, .state = state};
    const std::array pieces = {MemoryPiece{state + layout.thread.next, bytes_of(next)},
                               MemoryPiece{state + layout.thread.native_id, bytes_of(thread.native_id)}};
    if (memory.read(pieces) != pieces.size()) return false;
    out.push_back(thread);
    if (next == state || (most.wanted != 0 && thread.native_id == most.wanted)) return false;
    state = next;
  }
  return true;
}

PythonThreads list_up_to(const Limits& most, ProcessMemory& memory, const Layout& layout, u64 runtime) {
  PythonThreads out;
  u64 interpreter = 0;
  if (!memory.read_number(runtime + layout.runtime.interpreters, interpreter)) return out;
  for (usize count = 0; interpreter != 0; ++count) {
    if (count == most.interpreters) return out;
    u64 next = 0, first = 0;
    const std::array pieces = {MemoryPiece{interpreter + layout.interpreter.next, bytes_of(next)},
                               MemoryPiece{interpreter + layout.interpreter.threads, bytes_of(first)}};
    if (memory.read(pieces) != pieces.size()) return out;
    const PythonThread newest{.interpreter = interpreter, .state = first};
    if (!add_threads(memory, layout, newest, most, out.threads)) return out;
    interpreter = next;
  }
  out.is_whole = true;
  return out;
}

}  // namespace

PythonThreads list_threads(ProcessMemory& memory, const Layout& layout, u64 runtime) {
  return list_up_to({.interpreters = kMostInterpreters, .threads = kMostThreads}, memory, layout, runtime);
}

PythonThreads list_newest_threads(ProcessMemory& memory, const Layout& layout, u64 runtime, u32 wanted) {
  return list_up_to({kMostNewestInterpreters, kMostNewest, wanted}, memory, layout, runtime);
}

}  // namespace wperf::python
