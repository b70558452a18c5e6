// SPDX-License-Identifier: BSD-3-Clause
// .etl traces: buffers, packed ones too, records of every form, payloads, stacks that are joined, code that was made.
// Events come in order of time on each core, and what is joined stays within bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "import/etl/made_code.h"
#include "import/etl/stack_joiner.h"
#include "import/etl/trace_file.h"
#include "import/etl/trace_history.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wperf::etl;
  const auto file = TraceFile::open(std::as_bytes(std::span(data, size)));
  if (!file.has_value()) return 0;
  StackJoiner joiner;
  TraceHistory history;
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
        } else if (!history.take(event)) {
          if (const auto made = made_code_event(event)) read += made->name.size();
        }
        static_cast<void>(switch_event(event));
        static_cast<void>(ready_event(event));
        static_cast<void>(interval_event(event));
        static_cast<void>(interrupt_event(event));
        static_cast<void>(group_mask_event(event));
        Bytes items = event.items;
        ExtendedItem item;
        while (take_item(items, item)) read += item.data.size();
        read += static_cast<wperf::usize>(file.value().nanoseconds(event.time) & 1);
      },
      losses);
  history.finish();
  for (wperf::u32 i = 0; i < events; ++i) {
    read += joiner.frames(joiner.joined(i).kernel).size() + joiner.frames(joiner.joined(i).user).size();
  }
  return read == ~wperf::usize{0} ? 1 : 0;
}
