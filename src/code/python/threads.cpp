// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/threads.h"

#include <array>

namespace wperf::python {
namespace {

// Returns false if the list of threads does not end or cannot be read.
bool add_threads(ProcessMemory& memory, const Layout& layout, u64 interpreter, u64 first,
                 std::vector<PythonThread>& out) {
  for (u64 state = first; state != 0;) {
    if (out.size() >= kMostThreads) return false;
    u64 next = 0;
    PythonThread thread{.interpreter = interpreter, .state = state};
    const std::array pieces = {MemoryPiece{state + layout.thread.next, bytes_of(next)},
                               MemoryPiece{state + layout.thread.native_id, bytes_of(thread.native_id)}};
    if (memory.read(pieces) != pieces.size()) return false;
    out.push_back(thread);
    if (next == state) return false;
    state = next;
  }
  return true;
}

}  // namespace

PythonThreads list_threads(ProcessMemory& memory, const Layout& layout, u64 runtime) {
  PythonThreads out;
  u64 interpreter = 0;
  if (!memory.read_number(runtime + layout.runtime.interpreters, interpreter)) return out;
  for (usize count = 0; interpreter != 0; ++count) {
    if (count == kMostInterpreters) return out;
    u64 next = 0, first = 0;
    const std::array pieces = {MemoryPiece{interpreter + layout.interpreter.next, bytes_of(next)},
                               MemoryPiece{interpreter + layout.interpreter.threads, bytes_of(first)}};
    if (memory.read(pieces) != pieces.size()) return out;
    if (!add_threads(memory, layout, interpreter, first, out.threads)) return out;
    interpreter = next;
  }
  out.is_whole = true;
  return out;
}

}  // namespace wperf::python
