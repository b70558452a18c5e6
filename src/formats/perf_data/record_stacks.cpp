// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/record_stacks.h"

#include "formats/perf_data/byte_writing.h"

namespace wperf::perf_data {
namespace {

constexpr u32 kReplaces = u32{1} << 31;  // a flag in the number of the stack

}  // namespace

std::string record_stacks_bytes(const RecordStacks& stacks) {
  std::string out;
  put(out, static_cast<u32>(stacks.stacks.size()));
  for (const std::vector<u64>& stack : stacks.stacks) {
    put(out, static_cast<u32>(stack.size()));
    for (const u64 address : stack) put(out, address);
  }
  for (const RecordStacks::Record& record : stacks.records) {
    put(out, record.ticks);
    put(out, record.core);
    put(out, record.stack | (record.replaces ? kReplaces : 0));
  }
  return out;
}

RecordStacks read_record_stacks(bytes::Span section) {
  RecordStacks out;
  bytes::Reader reader(section);
  for (u32 count = reader.take<u32>(); count != 0; --count) {
    const bytes::Words words = reader.words(reader.take<u32>());
    if (!reader.sound()) return out;
    std::vector<u64>& stack = out.stacks.emplace_back(words.size());
    for (usize i = 0; i < stack.size(); ++i) stack[i] = words[i];
  }
  while (reader.left() != 0) {
    RecordStacks::Record record{.ticks = reader.word(), .core = reader.take<u32>(), .stack = reader.take<u32>()};
    record.replaces = (record.stack & kReplaces) != 0;
    record.stack &= ~kReplaces;
    if (!reader.sound() || record.stack >= out.stacks.size()) return out;
    out.records.push_back(record);
  }
  return out;
}

}  // namespace wperf::perf_data
