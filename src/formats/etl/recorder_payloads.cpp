// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/recorder_payloads.h"

#include "formats/etl/payload.h"

namespace wperf::etl {
namespace {

bool is_of_recorder(const Event& event, RecorderEvent kind) {
  return event.form == EventForm::classic && event.provider == kRecorder && event.opcode == static_cast<u8>(kind);
}

}  // namespace

std::optional<LossEvent> loss_event(const Event& event) {
  if (!is_of_recorder(event, RecorderEvent::loss)) return std::nullopt;
  Payload in(event);
  LossEvent out;
  for (u64* number : {&out.begin_ns, &out.end_ns, &out.events, &out.buffers}) *number = in.take<u64>();
  if (!in.sound()) return std::nullopt;
  return out;
}

std::optional<SectionEvent> section_event(const Event& event) {
  if (!is_of_recorder(event, RecorderEvent::section)) return std::nullopt;
  Payload in(event);
  SectionEvent out;
  out.number = in.take<u32>();
  if (!in.sound()) return std::nullopt;
  out.part = in.rest();
  return out;
}

std::optional<StackEvent> python_stack_event(const Event& event) {
  if (!is_of_recorder(event, RecorderEvent::stack)) return std::nullopt;
  Payload in(event);
  StackEvent out;
  out.time = in.take<u64>();
  out.process = in.take<u32>();
  out.thread = in.take<u32>();
  if (!in.sound()) return std::nullopt;
  out.frames = in.rest();
  return out;
}

}  // namespace wperf::etl
