// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of the simulated core's models. Each loop runs on plain Unicorn with an empty block hook, on
// Unicorn with empty memory hooks too, and on a CoreEngine, in turns in one process. The shortest time of each counts,
// because other programs on the host can only make a run slower. `ratio` is the speed of the CoreEngine relative to
// plain Unicorn. --check fails below a ratio, except on hosts without a translator.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/cpu/test_programs.h"
#include "sim/cpu/unicorn_cpu.h"
#include "sim/cpu/unicorn_registers.h"

namespace wperf::sim {
namespace {

constexpr u64 kDataBytes = 32 << 20;

struct Loop {
  const char* name;
  std::span<const u32> code;
  u64 x0, x1, x2, x3;
  u64 ring_bytes;  // 0: no pointers to follow
};

constexpr u64 kData = test::kData;
constexpr Loop kLoops[] = {
    {"alu", test::kAlu, 8'000'000, 0, 0, 0, 0},
    {"load-store", test::kIncrement, 2'000'000, kData, 0, 0, 0},
    {"stream", test::kTriad, 1'000'000, kData, kData + (8 << 20), kData + (16 << 20), 0},
    {"chase-l1", test::kChase, kData, 2'000'000, 0, 0, 16 << 10},
    {"chase-dram", test::kChase, kData, 1'000'000, 0, 0, 32 << 20},
    {"branchy", test::kBranchy, 2'000'000, 0, 88172645463325252, 0, 0},
    {"multiply", test::kMultiply, 700, kData, kData + 0x10000, kData + 0x20000, 0},
    {"fibonacci", test::kFibonacci, 24, 0, 0, 0, 0},
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void no_model(uc_engine*, u64, u32, void*) {}
void no_memory_model(uc_engine*, uc_mem_type, u64, int, int64_t, void*) {}
void end_run(uc_engine* cpu, u32, void* library) {
  static_cast<const UnicornLibrary*>(library)->emu_stop(cpu);
}

// Unicorn without models on the same memory.
class Plain {
 public:
  Plain(const UnicornLibrary& library, bool memory_hooks) : cpu_(library), registers_(library, cpu_.handle()) {
    if (memory_hooks) {
      cpu_.add_hook(UC_HOOK_MEM_READ, reinterpret_cast<void*>(&no_memory_model), nullptr);
      cpu_.add_hook(UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(&no_memory_model), nullptr);
    }
    cpu_.add_hook(UC_HOOK_BLOCK, reinterpret_cast<void*>(&no_model), nullptr);
    cpu_.add_hook(UC_HOOK_INTR, reinterpret_cast<void*>(&end_run), const_cast<UnicornLibrary*>(&library));
  }
  double run(const AddressSpace& space, const ThreadState& thread) {
    if (space.generation() != generation_) cpu_.refresh(space);
    generation_ = space.generation();
    registers_.load(thread);
    const double start = now();
    cpu_.library().emu_start(cpu_.handle(), thread.pc, ~u64{0} - 3, 0, 0);
    const double time = now() - start;
    ThreadState end;
    registers_.save(end, true);  // the next load() then sees the changes
    return time;
  }

 private:
  UnicornCpu cpu_;
  UnicornRegisters registers_;
  u64 generation_ = 0;
};

struct Result {
  u64 instructions = 0;
  double plain = 1e9, hooked = 1e9, models = 1e9;  // seconds
  bool translated = false;

  double ratio() const { return plain / models; }
};

Result measure(const Loop& loop, int rounds) {
  test::OneCore core(kDataBytes);
  if (loop.ring_bytes != 0) core.make_ring(loop.ring_bytes);
  core.load(loop.code);
  core.thread.x[0] = loop.x0;
  core.thread.x[1] = loop.x1;
  core.thread.x[2] = loop.x2;
  core.thread.x[3] = loop.x3;
  const ThreadState start = core.thread;
  Plain plain(*unicorn(), false);
  Plain hooked(*unicorn(), true);
  Result result;
  for (int round = -1; round < rounds; ++round) {  // the first run is a warm-up
    const double plain_time = plain.run(core.space, start);
    const double hooked_time = hooked.run(core.space, start);
    core.thread = start;
    const u64 before = core.user(Signal::inst_retired);
    const double begin = now();
    core.engine.run(core.space, core.thread, ~u64{0});
    const double model_time = now() - begin;
    result.instructions = core.user(Signal::inst_retired) - before;
    if (round < 0) continue;
    result.plain = std::min(result.plain, plain_time);
    result.hooked = std::min(result.hooked, hooked_time);
    result.models = std::min(result.models, model_time);
  }
  result.translated = core.engine.translated_cycles() != 0;
  return result;
}

int run(double promised, double slack, int rounds) {
  if (unicorn() == nullptr) {
    std::printf("%s\n", unicorn_failure().c_str());
    return 77;
  }
  std::printf("%-12s %12s %30s %8s\n", "", "", "million instructions/s", "");
  std::printf("%-12s %12s %10s %10s %10s %8s\n", "loop", "instructions", "plain", "mem hooks", "models", "ratio");
  bool good = true, translated = false;
  for (const Loop& loop : kLoops) {
    const Result result = measure(loop, rounds);
    const double millions = static_cast<double>(result.instructions) / 1e6;
    const bool slow = result.ratio() < promised - slack;
    std::printf("%-12s %12llu %10.0f %10.0f %10.0f %8.2f%s\n", loop.name,
                static_cast<unsigned long long>(result.instructions), millions / result.plain, millions / result.hooked,
                millions / result.models, result.ratio(), slow ? "  TOO SLOW" : "");
    good = good && !slow;
    translated = translated || result.translated;
  }
  if (!translated) {
    std::printf("there is no translator for this host: no ratio is promised\n");
    return 77;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace wperf::sim

// sim_bench [--check RATIO] [--slack RATIO] [--rounds N]
int main(int argc, char** argv) {
  double check = 0;
  double slack = 0;
  int rounds = 7;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--check") check = std::atof(argv[i + 1]);
    if (option == "--slack") slack = std::atof(argv[i + 1]);
    if (option == "--rounds") rounds = std::max(1, std::atoi(argv[i + 1]));
  }
  return wperf::sim::run(check, slack, rounds);
}
