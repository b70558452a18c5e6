// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/event_attributes.h"

namespace wperf::perf_data {

bool read_event_attributes(Bytes bytes, EventAttributes& out) {
  out = {};
  Reader head(slice(bytes, 0, 8));
  out.type = head.take<u32>();
  out.size = head.take<u32>();
  if (out.size == 0) out.size = kSmallestAttributes;  // as the kernel takes it
  if (out.size < kSmallestAttributes || bytes.size() < kSmallestAttributes) return false;

  Reader reader(slice(bytes, 8, out.size - 8));
  out.config = reader.word();
  out.period_or_frequency = reader.word();
  out.sample_type = reader.word();
  out.read_format = reader.word();
  out.flags = reader.word();
  out.wakeup = reader.take<u32>();
  out.breakpoint_type = reader.take<u32>();
  out.config1 = reader.word();
  // Each later version of the struct ends after one of these; beyond the end the reader gives zeros.
  out.config2 = reader.word();
  out.branch_sample_type = reader.word();
  out.user_registers = reader.word();
  out.user_stack_size = reader.take<u32>();
  out.clock_id = reader.take<u32>();
  out.interrupt_registers = reader.word();
  out.aux_watermark = reader.take<u32>();
  out.max_stack = reader.take<u16>();
  reader.skip(2);
  out.aux_sample_size = reader.take<u32>();
  reader.skip(4);
  out.signal_data = reader.word();
  out.config3 = reader.word();
  return true;
}

}  // namespace wperf::perf_data
