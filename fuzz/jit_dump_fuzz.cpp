// SPDX-License-Identifier: BSD-3-Clause
// jit-PID.dump files of programs with a JIT compiler: functions stay within bounds and are found at their addresses.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "code/symbols/listed/jit_dump.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wperf::symbols;
  const auto dump = JitDump::parse(std::as_bytes(std::span(data, size)));
  if (!dump.has_value()) return 0;
  wperf::u64 before = 0;
  for (const JitFunction& one : dump->functions()) {
    if (one.begin < before || one.end <= one.begin) std::abort();
    before = one.begin;
    const wperf::u32 found = dump->find(one.begin, one.since);
    if (found == JitDump::kNone) std::abort();
    const JitFunction& newest = dump->functions()[found];
    if (newest.begin > one.begin || newest.end <= one.begin || newest.since > one.since) std::abort();
    static_cast<void>(dump->line_at(one, one.end - 1).file.size());
  }
  return 0;
}
