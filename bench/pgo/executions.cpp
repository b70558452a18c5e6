// SPDX-License-Identifier: BSD-3-Clause
// Runs a program of one thread on the simulated machine and prints how often each of its instructions ran, to check
// profiles against. If several lines cover one instruction, their counts add up. All numbers but RUNS and CYCLES are
// hexadecimal.
//   usage: pgo_executions OPTIONS INTERVAL PROGRAM [ARGUMENT…]
//   image BASE SIZE                  the program's image
//   block ADDRESS SIZE RUNS CYCLES   code of the image
//   branch FROM TO                   in stacks of 32, oldest first, one stack each INTERVAL taken branches
// OPTIONS are the options after `--device sim:`.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/machine/simulated_machine.h"

namespace wperf::sim {
namespace {

constexpr u16 kEvents[] = {0x08, 0x11};  // INST_RETIRED, CPU_CYCLES
constexpr u64 kSecond = 1'000'000'000;

int failed(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 1;
}

void print(const CoreEngine& engine, const Module& image) {
  std::printf("image %" PRIx64 " %" PRIx64 "\n", image.base, image.size);
  for (const BlockTotal& block : engine.totals().all()) {
    const u64 runs = block.counts[0] * sizeof(u32) / block.size;
    if (block.address - image.base >= image.size || runs == 0) continue;
    std::printf("block %" PRIx64 " %x %" PRIu64 " %" PRIu64 "\n", block.address, block.size, runs, block.counts[1]);
  }
  for (const BranchStacks::Branch& branch : engine.branches().all()) {
    std::printf("branch %" PRIx64 " %" PRIx64 "\n", branch.from, branch.to);
  }
}

int run(char** words) {
  OptionError option_error;
  MachineOptions options = parse_options(words[1], "", option_error);
  if (!option_error.text.empty()) return failed(option_error.text);
  std::string command_line = words[3];
  for (char** word = words + 4; *word != nullptr; ++word) command_line += std::string(" ") + *word;
  auto parts = make_real_parts(options);
  Machine machine(std::move(options), std::move(parts));
  MachineError error;
  const u32 pid = machine.spawn({words[3], command_line}, error);
  if (pid == 0) return failed(error.text);
  CoreEngine& engine = *machine.engine(0);
  engine.keep_totals(kEvents);
  engine.keep_branches(std::max<u64>(std::strtoull(words[2], nullptr, 10), BranchStacks::kDepth));
  machine.resume(pid);
  while (error.text.empty() && machine.find(pid)->running) machine.wait(kSecond, pid, error);
  if (!error.text.empty()) return failed(error.text);
  print(engine, machine.details(pid)->modules.front());
  return static_cast<int>(machine.find(pid)->exit_code);
}

}  // namespace
}  // namespace wperf::sim

int main(int count, char** words) {
  if (count < 4) {
    std::fputs("usage: pgo_executions OPTIONS INTERVAL PROGRAM [ARGUMENT...]\n", stderr);
    return 2;
  }
  return wperf::sim::run(words);
}
