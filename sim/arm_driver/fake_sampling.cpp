// SPDX-License-Identifier: BSD-3-Clause
// Samples as Arm's driver does, with its faults. The buffer has room for 128 samples. If a sample comes while the
// buffer is full or being read, it is dropped, and its counter gets no preset. The counter is then silent until it is
// set up again.
#include <cstring>

#include "sim/arm_driver/fake_driver.h"

namespace wperf::windowsperf::fake {
namespace {

diag::Error sampling_crash(const char* text) {
  return {.text = std::string("the fake of Arm's driver: the real driver would corrupt memory: ") + text, .hint = {}};
}

Answer put_bytes(std::span<std::byte> output, const void* bytes, usize size) {
  std::memcpy(output.data(), bytes, size);
  return {.error = 0, .bytes = size};
}

}  // namespace

diag::Result<Answer> FakeDriver::set_sources(Bytes input) {
  if (input.size() < sizeof(u32) + sizeof(SampleSource) || (input.size() - sizeof(u32)) % sizeof(SampleSource) != 0)
    return sampling_crash("SAMPLE_SET_SRC without a source");
  u32 core = 0;
  std::memcpy(&core, input.data(), sizeof core);
  std::vector<SampleSource> sources((input.size() - sizeof core) / sizeof(SampleSource));
  std::memcpy(sources.data(), input.data() + sizeof core, sources.size() * sizeof(SampleSource));
  if (core >= parts_.cores) return sampling_crash("SAMPLE_SET_SRC of a core that does not exist");
  if (sampling_) return sampling_crash("SAMPLE_SET_SRC while it samples");
  if (sources.size() > parts_.free_counters) return sampling_crash("more sources than counters");
  sources_.clear();
  for (const SampleSource& source : sources) {
    // The counter overflows only after 2^64 counts, so no samples come.
    if (source.event == kCycleCounter)
      return diag::Error{.text = "the fake of Arm's driver: no cycle counter samples", .hint = {}};
    sources_.push_back({.code = static_cast<u16>(source.event), .interval = source.interval});
    sources_kernel_ = source.filter_bits == 0;
  }
  source_core_ = core;
  interrupts_on_ = true;
  return Answer{};
}

diag::Result<void> FakeDriver::end_sampling() {
  WPERF_CHECK_OK(catch_up());
  if (!sampling_) return {};
  sampling_ = interrupts_on_ = false;
  return hardware_.stop_sampling();
}

diag::Result<Answer> FakeDriver::answer_sampling(Request request, const CoreList& list, std::span<std::byte> output) {
  const u32 core = list.numbers[0];
  if (request == Request::sample_stop) {
    SampleTotals totals{};
    if (core == source_core_) {
      WPERF_CHECK_OK(end_sampling());
      totals = {.generated = generated_, .dropped = dropped_};
    }
    return put_bytes(output, &totals, sizeof totals);
  }
  if (core != source_core_) return diag::Error{.text = "the fake of Arm's driver samples one core", .hint = {}};
  if (counting_.running()) return diag::Error{.text = "the fake of Arm's driver is already counting", .hint = {}};
  generated_ = dropped_ = 0;
  silent_ = 0;
  ring_.clear();
  reading_spoils_ = false;
  // The interrupts stay off if there are no new sources.
  if (interrupts_on_) WPERF_CHECK_OK(hardware_.sample(core, sources_kernel_, sources_));
  sampling_ = interrupts_on_;
  return Answer{};
}

diag::Result<void> FakeDriver::catch_up() {
  WPERF_CHECK_OK(counting_.tick_if_due());
  if (!sampling_) return {};
  WPERF_TRY(const std::vector<FakeSample> samples, hardware_.take_samples());
  for (const FakeSample& sample : samples) {
    const u32 sources = sample.sources & ~silent_;
    if (sources == 0) continue;
    ++generated_;
    if (reading_spoils_ || ring_.size() >= kMostSamples) {
      ++dropped_;
      silent_ |= sources;
      reading_spoils_ = false;
      continue;
    }
    SampleRecord record{.lr = sample.lr, .pc = sample.pc, .overflow_flags = 0, .spe_event = 0, .padding = 0};
    for (u32 i = 0; i < sources_.size(); ++i) {
      if ((sources >> i & 1) != 0) record.overflow_flags |= u64{1} << parts_.counter_map[i];
    }
    ring_.push_back(record);
  }
  return {};
}

diag::Result<Answer> FakeDriver::get_samples(Bytes input, std::span<std::byte> output) {
  u32 core = 0;
  std::memcpy(&core, input.data(), sizeof core);
  if (core >= parts_.cores) return sampling_crash("SAMPLE_GET of a core that does not exist");
  SampleAnswer answer{};
  if (core == source_core_) {
    for (const SampleRecord& record : ring_) answer.samples[answer.count++] = record;
    ring_.clear();
  }
  reading_spoils_ = sampling_;  // a sample that comes now finds the buffer in use
  return put_bytes(output, &answer, sizeof answer);
}

}  // namespace wperf::windowsperf::fake
