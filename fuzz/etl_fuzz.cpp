// SPDX-License-Identifier: BSD-3-Clause
// .etl traces: plain and packed buffers, records of every form, payloads, stacks that are joined, code made at run
// time. Events come in order of time on each core, and joined stacks stay within bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "formats/etl/jit_code.h"
#include "formats/etl/recorder_payloads.h"
#include "formats/etl/self_describing.h"
#include "formats/etl/stack_joiner.h"
#include "formats/etl/switch_counts.h"
#include "formats/etl/trace.h"
#include "formats/etl/trace_history.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wperf::etl;
  const auto file = Trace::open(std::as_bytes(std::span(data, size)));
  if (!file.has_value()) return 0;
  StackJoiner joiner;
  TraceHistory history;
  SwitchCounts counts(2, {}, file.value().header().first_ticks, {});
  TraceLosses losses;
  wperf::u32 events = 0;
  wperf::usize read = 0;
  file.value().for_each_event(
      [&](const Event& event) {
        if (event.payload.size() > (wperf::usize{1} << 16)) std::abort();
        if (const auto one = sample_event(event)) {
          joiner.add(event.time, one->thread);
          ++events;
        } else if (const auto stack = stack_event(event)) {
          joiner.take(*stack, event.pointer_size);
        } else if (const auto python = python_stack_event(event)) {
          joiner.replace_user(*python, event.pointer_size);
        } else if (!history.take(event)) {
          if (const auto made = jit_code_event(event)) read += made->name.size();
        }
        counts.take(event);
        if (const auto section = section_event(event)) read += section->part.size();
        static_cast<void>(ready_event(event));
        static_cast<void>(interval_event(event));
        static_cast<void>(interrupt_event(event));
        static_cast<void>(group_mask_event(event));
        static_cast<void>(disk_event(event));
        static_cast<void>(hard_fault_event(event));
        static_cast<void>(described_names(event));
        read += manifest_provider_name(event).size();
        if (const auto own = event_names(event)) read += described_fields(*own, event).fields.size();
        Bytes items = event.items;
        ExtendedItem item;
        while (take_item(items, item)) read += item.data.size();
        read += static_cast<wperf::usize>(file.value().nanoseconds(event.time) & 1);
      },
      losses);
  history.finish();
  counts.finish(~wperf::u64{0});
  for (const SwitchCounts::Thread& one : counts.threads()) read += one.spent.values.size();
  for (wperf::u32 i = 0; i < events; ++i) {
    read += joiner.frames(joiner.joined(i).kernel).size() + joiner.frames(joiner.joined(i).user).size();
  }
  return read == ~wperf::usize{0} ? 1 : 0;
}
