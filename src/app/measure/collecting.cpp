// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/collecting.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/measure/opened_machine.h"

namespace wperf::measure {
namespace {

constexpr u64 kProgressNs = 1'000 * kNanosecondsPerMillisecond;
constexpr u64 kSamplesOfPayload = 128;

// The letters after "sampling ...". WindowsPerf's tool fetches samples once a second and prints one letter for each
// full payload, and another letter for a partial payload. For bytes, and on a terminal, a single letter shows whether
// there were samples. The letters are printed at the end if a program writes to the same line (`live` is false), or if
// the console shows progress.
class SamplingProgress {
 public:
  SamplingProgress(diag::Console& console, u64 now, bool live, std::string_view end)
      : console_(console),
        end_(end),
        live_(live && !console.shows_progress()),
        shown_(live && console.shows_progress()),
        start_(now),
        next_(now + kProgressNs) {
    show("sampling ...");
  }
  ~SamplingProgress() { console_.out(waiting_); }
  SamplingProgress(const SamplingProgress&) = delete;
  SamplingProgress& operator=(const SamplingProgress&) = delete;

  void at(u64 now, const Collected& collected) {
    while (now >= next_) {
      show(letters_of(collected.amount - seen_, collected.in_bytes));
      seen_ = collected.amount;
      next_ += kProgressNs;
    }
    if (shown_ && console_.progress_due()) console_.progress(line(now, collected));
  }

 private:
  std::string letters_of(u64 amount, bool in_bytes) const {
    if (in_bytes || shown_) return amount != 0 ? "." : "e";
    return std::string(amount / kSamplesOfPayload, '.') + 'e';
  }
  std::string line(u64 now, const Collected& collected) const {
    std::string text = fmt::format("sampling: {} s, ", (now - start_) / kProgressNs);
    text += collected.in_bytes ? fmt::format("{:.1f} MB", static_cast<double>(collected.amount) / 1e6)
                               : fmt::format("{} samples", collected.amount);
    if (collected.lost != 0) text += fmt::format(", {} lost", collected.lost);
    return text + end_;
  }
  void show(std::string_view text) {
    if (live_) return console_.out(text);
    waiting_ += text;
  }

  diag::Console& console_;
  const std::string end_;
  const bool live_, shown_;
  std::string waiting_;
  u64 start_, next_;
  u64 seen_ = 0;
};

}  // namespace

diag::Result<Collection> collect_samples(OpenedMachine& machine, const StopCondition& until, const Drain& drain,
                                         diag::Console& console) {
  device::Programs& programs = machine.device->programs();
  const u64 start = programs.now_ns();
  const u64 end = start + until.duration_ms * kNanosecondsPerMillisecond;
  const bool until_program_ends = until.duration_ms == 0 && until.pid != 0;
  SamplingProgress progress(console, start, !programs.shares_console(),
                            until_program_ends ? "; until the program ends; Ctrl-C stops" : "; press Ctrl-C to stop");
  u64 next_ns = drain.every_ns;
  while (true) {
    if (console.interrupted()) return Collection{.end = WaitEnd::interrupted, .error = {}};
    if (until.pid != 0 && !programs.process(until.pid).running)
      return Collection{.end = WaitEnd::program_ended, .error = {}};
    const u64 now = programs.now_ns();
    if (until.duration_ms != 0 && now >= end) return Collection{};
    const auto waited = programs.wait(until.duration_ms != 0 ? std::min(next_ns, end - now) : next_ns, until.pid);
    if (!waited.has_value() && !programs.has_started(until.pid)) return waited.error();
    if (!waited.has_value()) return Collection{.end = WaitEnd::program_ended, .error = waited.error()};
    WPERF_TRY(const Collected collected, drain.drain());
    next_ns = collected.next_ns != 0 ? collected.next_ns : drain.every_ns;
    progress.at(programs.now_ns(), collected);
  }
}

void print_end_of_collection(const Collection& collection, const OpenedMachine& machine, diag::Console& console) {
  const bool is_interrupted = collection.end == WaitEnd::interrupted;
  // Scripts for WindowsPerf expect WindowsPerf's wording.
  const bool has_words_of_windowsperf = machine.capabilities.kernel == nullptr;
  if (is_interrupted && !has_words_of_windowsperf) {
    console.out(" stopped by Ctrl-C; showing what was sampled\n");
    return;
  }
  if (is_interrupted) console.out("Ctrl-C received, quit counting...");
  console.out(" done!\n");
}

}  // namespace wperf::measure
