// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/spe_recorder.h"

#include <array>
#include <string_view>

#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/event_attributes.h"
#include "formats/perf_data/format.h"
#include "formats/perf_data/record_bytes.h"

namespace wperf::measure {
namespace {

// Linux numbers units that it finds from here on; perf looks for the event whose type AUXTRACE_INFO names.
constexpr u32 kSpeUnit = 8;
constexpr u64 kOperationType = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                               perf_data::kSampleId | perf_data::kSampleCpu | perf_data::kSamplePeriod;
constexpr usize kWord = 8;                     // the size of an AUXTRACE is a multiple of it
constexpr usize kMostWithoutRecord = 1 << 20;  // bytes; no record is that long

std::vector<perf_data::WrittenEvent> events_of(const plan::SpePlan& plan) {
  const perf_data::WrittenAttributes attributes{
      .type = kSpeUnit, .config = 0, .period = plan.interval, .sample_type = kOperationType, .kernel = plan.kernel};
  return {{.name = "arm_spe_0", .attributes = perf_data::attribute_bytes(attributes), .ids = {id_of_event(0)}}};
}

// Alignment packets depend on their address, so the offset within a page is kept.
u64 offset_like(u64 address, u64 least) {
  constexpr u64 kPage = 1 << 16;
  const u64 offset = least / kPage * kPage + address % kPage;
  return offset < least ? offset + kPage : offset;
}

// In the form that kernels use: a multiplier of 32 bits, whose product with the bits below the shift has 64.
void append_timer(std::string& records, const plan::TimerMoment& timer) {
  constexpr u64 kNsPerSecond = 1'000'000'000, kMostMultiplier = ~u32{0};
  if (timer.hz == 0) return;
  u64 shift = 32;
  while ((kNsPerSecond << shift) / timer.hz > kMostMultiplier) --shift;
  const u64 multiplier = (kNsPerSecond << shift) / timer.hz;
  const perf_data::TimeConversion since_begin{.multiplier = multiplier, .shift = static_cast<u32>(shift)};
  perf_data::append_time_conversion(records, shift, multiplier, timer.time_ns - since_begin.to_perf_ns(timer.ticks));
}

}  // namespace

SpeRecorder::SpeRecorder(const plan::SpePlan& plan, const plan::TimerMoment& timer, os::RecordingFile& file)
    : writer_(events_of(plan), kOperationType, file) {
  constexpr u64 kPerCore = 1;
  std::string info;
  perf_data::append_auxtrace_info(info, perf_data::kAuxArmSpe, std::array{u64{kSpeUnit}, kPerCore});
  if (plan.timestamps) append_timer(info, timer);
  writer_.append(info);
}

void SpeRecorder::take(const readings::SpePiece& piece) {
  Stream& stream = streams_[piece.core];
  if (piece.after_gap) write(piece.core, stream, stream.begun.size());
  // Where the core goes on in another buffer, a record that was cut goes on there, too.
  stream.address = piece.buffer_address - stream.begun.size();
  stream.begun.insert(stream.begun.end(), piece.bytes.begin(), piece.bytes.end());
  const std::vector<std::byte>& bytes = stream.begun;
  stream.state.buffer_address = stream.address;
  usize whole = 0;
  spe::for_each_record(bytes, stream.state, [&](const spe::Record&) {
    whole = static_cast<usize>(stream.state.buffer_address - stream.address);
  });
  spe::end_of_buffer(stream.state, 0);  // the unfinished record is decoded again
  while (whole != 0 && whole < bytes.size() && whole % kWord != 0 && bytes[whole] == std::byte{}) ++whole;
  if (bytes.size() - whole > kMostWithoutRecord) whole = bytes.size();
  write(piece.core, stream, whole);
}

void SpeRecorder::write(u32 core, Stream& stream, usize size) {
  if (size == 0) return;
  const std::string_view bytes(reinterpret_cast<const char*>(stream.begun.data()), size);
  const u64 offset = offset_like(stream.address, stream.offset);
  std::string record;
  perf_data::append_auxtrace(record, core, offset, bytes);
  writer_.append(record);
  stream.offset = offset + (size + kWord - 1) / kWord * kWord;
  stream.address += size;
  stream.begun.erase(stream.begun.begin(), stream.begun.begin() + static_cast<std::ptrdiff_t>(size));
}

void SpeRecorder::finish(const RunEnding& ending, const plan::Capabilities& machine,
                         std::span<const std::string> arguments) {
  for (auto& [core, stream] : streams_) write(core, stream, stream.begun.size());
  writer_.finish(ending, machine, arguments);
}

}  // namespace wperf::measure
