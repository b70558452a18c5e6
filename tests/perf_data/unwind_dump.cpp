// SPDX-License-Identifier: BSD-3-Clause
// Prints the callers found by unwinding the stack copies of a perf.data file, for unwind_with_perf.py. Each sample has
// a line with the thread, the time and the file offsets of the frames, innermost first. The last lines give the number
// of stacks that end early, by reason.
#include <cstdio>
#include <vector>

#include "analysis/recording/recorded_unwinding.h"
#include "ground/os/mapped_file.h"

using namespace wperf;

namespace {

// The address as perf script prints it: in the file, or in memory if there is no file.
u64 place_of(const perf_data::ProcessHistory& history, u32 space, u64 address) {
  const perf_data::CodePlace place = history.place_in(space, address);
  const bool is_vdso = place.code != perf_data::kNoCode && history.codes()[place.code].path == "[vdso]";
  return is_vdso ? address - place.mapped_from : place.offset;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  const auto mapped = os::MappedFile::open(words[1]);
  if (!mapped.has_value()) return 1;
  const auto file = perf_data::PerfFile::open(mapped.value().bytes());
  if (!file.has_value()) return 1;
  const auto history = perf_data::ProcessHistory::collect(file.value());
  recording::RecordedUnwinder unwinder(file.value(), history, {});
  std::vector<u64> callers;
  file.value().for_each_record([&](const perf_data::Sample& sample, const perf_data::Record& record) {
    if (!recording::RecordedUnwinder::has_stack(sample)) return;
    const u64 when = history.has_times() ? sample.time : record.file_offset;
    const u32 space = history.task_at(sample.pid, sample.tid, when).space;
    callers.clear();
    unwinder.add_callers(sample, space, callers);
    std::printf("%u %llu", sample.tid, static_cast<unsigned long long>(sample.time));
    const auto print = [&](u64 address) {
      std::printf(" %llx", static_cast<unsigned long long>(place_of(history, space, address)));
    };
    constexpr u32 kUserMode = 2;
    if (sample.cpu_mode() == kUserMode) print(sample.ip);
    for (const u64 caller : callers) print(caller - 1);
    std::printf("\n");
  });
  const auto& incomplete = unwinder.incomplete();
  std::printf("early %llu %llu %llu %llu\n", static_cast<unsigned long long>(incomplete.stack_copy_too_short),
              static_cast<unsigned long long>(incomplete.no_table), static_cast<unsigned long long>(incomplete.damaged),
              static_cast<unsigned long long>(incomplete.of_32_bits));
  return 0;
}
