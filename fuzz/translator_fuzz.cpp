// SPDX-License-Identifier: BSD-3-Clause
// Bytes as ARM64 code in a loop, executed with the translator and without it: registers, memory and all counts must be
// the same after each slice. Seeds: the programs of the engine's tests.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "sim/cpu/instruction_class.h"
#include "sim/cpu/random_programs.h"
#include "sim/cpu/vector_operations.h"

namespace {

using wperf::u32;
using wperf::u64;
using wperf::u8;
using wperf::usize;
using wperf::sim::Stop;
using wperf::sim::StopReason;
using wperf::sim::test::TwoCores;

constexpr usize kMostWords = 200;

void prepare(TwoCores& cores, const std::vector<u32>& code, u32 rounds) {
  wperf::sim::test::RandomPrograms::prepare(cores, rounds);
  cores.load(code);
  cores.other = cores.thread;
}

// Unicorn itself aborts on some words that are not instructions. So only the instruction groups that the translator
// handles are used, and one instruction that it leaves to Unicorn.
u32 harmless(u32 word) {
  const u32 group = word >> 25 & 15;
  const bool data = (group & 0xe) == 0x8 || (group & 7) == 5;
  const bool memory = (group & 5) == 4 && (word >> 27 & 7) >= 5;
  const bool branch = wperf::sim::classify_instruction(word).branch != wperf::sim::BranchKind::none;
  const bool addition = (word & 0xffe0fc00) == 0x1e602800;
  const bool vector =
      wperf::sim::find_vector_operation(word) != nullptr || wperf::sim::find_structure_access(word).move != nullptr;
  return data || memory || branch || addition || vector ? word : 0xd503201f;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, usize size) {
  if (size < 8 || !wperf::sim::CoreEngine::unavailable().empty()) return 0;
  const u32 rounds = 1 + (data[0] | u32{data[1]} << 8) % 4096;
  const bool both_cores = data[1] >> 7 != 0;
  const u64 slice = both_cores ? 32 : 1000 + u64{data[2]} * 64;
  const wperf::sim::EventWatch watch{static_cast<wperf::u16>(data[3] & 0x7f), 20000};
  std::vector<u32> code(std::min((size - 4) / 4, kMostWords));
  std::memcpy(code.data(), data + 4, code.size() * 4);
  for (u32& word : code) word = harmless(word);
  code.push_back(0xf1000673);                                                                      // subs x19, x19, #1
  code.push_back(0x54000001 | (static_cast<u32>(-static_cast<int>(code.size())) & 0x7ffff) << 5);  // b.ne
  code.push_back(0xd4000001);                                                                      // svc #0
  TwoCores translated(true), plain(false);
  for (TwoCores* cores : {&translated, &plain}) {
    prepare(*cores, code, rounds);
    if (both_cores) cores->shared.make_coherent(cores->space.id());
  }
  const int turns = both_cores ? 400 : 12;
  for (int turn = 0; turn < turns; ++turn) {
    if (both_cores) (void)(translated.turn(1, slice), plain.turn(1, slice));
    const std::span<const wperf::sim::EventWatch> watches{&watch, usize{data[3]} >> 7};
    const Stop a = translated.engine.run(translated.space, translated.thread, slice, watches);
    const Stop b = plain.engine.run(plain.space, plain.thread, slice, watches);
    std::string difference = wperf::sim::test::difference(translated, plain);
    if (a.reason != b.reason || a.text != b.text || a.overflow_pc != b.overflow_pc) difference = a.text + "/" + b.text;
    if (!difference.empty()) {
      std::fprintf(stderr, "turn %d: %s differs\n", turn, difference.c_str());
      std::abort();
    }
    if (a.reason == StopReason::kernel_call || a.reason == StopReason::fault) break;
  }
  return 0;
}
