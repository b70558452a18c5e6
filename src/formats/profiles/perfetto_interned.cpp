// SPDX-License-Identifier: BSD-3-Clause
#include "formats/profiles/perfetto_interned.h"

#include <fmt/format.h>

#include <array>

namespace wperf::profiles {
namespace {

std::string_view counter_name(u64 counter) {
  static constexpr std::array<std::string_view, 21> kNames = {"",
                                                              "cpu-clock",
                                                              "page-faults",
                                                              "task-clock",
                                                              "context-switches",
                                                              "cpu-migrations",
                                                              "minor-faults",
                                                              "major-faults",
                                                              "alignment-faults",
                                                              "emulation-faults",
                                                              "cycles",
                                                              "instructions",
                                                              "cache-references",
                                                              "cache-misses",
                                                              "branches",
                                                              "branch-misses",
                                                              "bus-cycles",
                                                              "stalled-cycles-frontend",
                                                              "stalled-cycles-backend",
                                                              "ref-cycles",
                                                              "dummy"};
  return counter < kNames.size() ? kNames[counter] : std::string_view();
}

// For stack samples whose counter has a unit but no name.
std::string_view unit_name(u64 unit) {
  static constexpr std::array<std::string_view, 10> kNames = {"",
                                                              "nanoseconds",
                                                              "cycles",
                                                              "instructions",
                                                              "bytes",
                                                              "page-faults",
                                                              "cache-misses",
                                                              "cache-references",
                                                              "branch-misses",
                                                              "count"};
  return unit < kNames.size() ? kNames[unit] : std::string_view();
}

// The numbers in a message with few fields, indexed by field.
std::array<u64, 16> numbers_of(Bytes message) {
  std::array<u64, 16> out{};
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() < out.size()) out[in.field()] = in.number();
  }
  return out;
}

PerfEvent timebase(Bytes message) {
  PerfEvent out;
  std::string_view name, of_counter, of_tracepoint;
  std::string raw;
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == 1) out.period = in.number();
    if (in.field() == 10) name = in.text();
    if (in.field() == 4) of_counter = counter_name(in.number());
    if (in.field() == 3) {
      for (text::ProtobufReader point(in.bytes()); point.next();) {
        if (point.field() == 1) of_tracepoint = point.text();
      }
    }
    if (in.field() == 5) {
      const auto numbers = numbers_of(in.bytes());
      raw = fmt::format("{}:0x{:x}", numbers[1], numbers[2]);
    }
  }
  for (const std::string_view one : {name, of_counter, of_tracepoint, std::string_view(raw)}) {
    if (one.empty()) continue;
    out.name = one;
    break;
  }
  return out;
}

}  // namespace

StackTask stack_task(Bytes message) {
  StackTask out;
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == 2) out.pid = static_cast<u32>(in.number());
    if (in.field() == 3) out.tid = static_cast<u32>(in.number());
  }
  return out;
}

u32 execution_core(Bytes message) {
  u32 core = kNothing;
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == 2) core = static_cast<u32>(in.number());
  }
  return core;
}

CounterDescriptor counter_descriptor(Bytes message) {
  CounterDescriptor out;
  std::string_view name, unit;
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == 2) name = in.text();
    if (in.field() == 3) unit = unit_name(in.number());
    if (in.field() == 4) unit = in.text();
    if (in.field() == 5) out.multiplier = in.number();
  }
  if (!unit.empty()) out.name = unit;
  if (!name.empty()) out.name = name;
  return out;
}

u32 inline_node(Bytes callstack, ProfileBuilder& builder) {
  u32 node = ProfileBuilder::kRoot;
  const u32 module = builder.module("");
  for (text::ProtobufReader in(callstack); in.next();) {
    if (in.field() != 1) continue;
    std::string_view name, source;
    u64 line = 0;
    for (text::ProtobufReader frame(in.bytes()); frame.next();) {
      if (frame.field() == 1) name = frame.text();
      if (frame.field() == 2) source = frame.text();
      if (frame.field() == 3) line = frame.number();
    }
    const u32 function = builder.function(name.empty() ? "[unknown]" : name, module);
    node = builder.node(node, builder.place(function, source, line));
  }
  return node;
}

void InternedData::add(Bytes message) {
  const auto add_text = [](Bytes one, ById<std::string_view>& to) {
    u64 id = 0;
    std::string_view text;
    for (text::ProtobufReader in(one); in.next();) {
      if (in.field() == 1) id = in.number();
      if (in.field() == 2) text = in.text();
    }
    to.insert_or_assign(id, text);
  };
  std::vector<Bytes> mappings;  // read last, because they refer to paths
  for (text::ProtobufReader in(message); in.next();) {
    const Bytes one = in.bytes();
    switch (in.field()) {
      case 5:
        add_text(one, function_names_);
        break;
      case 6: {
        const auto numbers = numbers_of(one);
        frames_.insert_or_assign(numbers[1], Frame{.name = numbers[2],
                                                   .mapping = numbers[3],
                                                   .address = numbers[4],
                                                   .source = numbers[5],
                                                   .line = numbers[6]});
        break;
      }
      case 7: {
        Stack stack;
        u64 id = 0;
        for (text::ProtobufReader parts(one); parts.next();) {
          if (parts.field() == 1) id = parts.number();
          if (parts.field() == 2) parts.for_each_number([&](u64 frame) { stack.frames.push_back(frame); });
        }
        stacks_.insert_or_assign(id, std::move(stack));
        break;
      }
      case 17:
        add_text(one, paths_);
        break;
      case 18:
        add_text(one, sources_);
        break;
      case 19:
        mappings.push_back(one);
        break;
      case 48:
        tasks_.insert_or_assign(numbers_of(one)[1], stack_task(one));
        break;
      case 49:
        cores_.insert_or_assign(numbers_of(one)[1], execution_core(one));
        break;
      case 50:
        counters_.insert_or_assign(numbers_of(one)[1], counter_descriptor(one));
        break;
      default:
        break;
    }
  }
  for (const Bytes mapping : mappings) {
    std::string path;
    u64 id = 0;
    for (text::ProtobufReader in(mapping); in.next();) {
      if (in.field() == 1) id = in.number();
      if (in.field() == 7) {
        in.for_each_number([&](u64 part) {
          const std::string_view name = text(paths_, part);
          if (!path.empty() && !name.starts_with('/')) path += '/';
          path += name;
        });
      }
    }
    mappings_.insert_or_assign(id, std::move(path));
  }
}

void InternedData::set_defaults(Bytes message) {
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == 12) {
      for (text::ProtobufReader perf(in.bytes()); perf.next();) {
        if (perf.field() == 1) perf_event_ = timebase(perf.bytes());
      }
    }
    if (in.field() == 100) {
      for (text::ProtobufReader stack(in.bytes()); stack.next();) {
        if (stack.field() == 2) counter_ = counter_descriptor(stack.bytes());
      }
    }
  }
}

u32 InternedData::node_of(u64 stack, ProfileBuilder& builder) {
  if (stack == 0) return ProfileBuilder::kRoot;
  const auto found = stacks_.find(stack);
  if (found == stacks_.end()) return kNothing;
  Stack& known = found->second;
  if (known.node != kNothing) return known.node;
  u32 node = ProfileBuilder::kRoot;
  for (const u64 id : known.frames) {
    const Frame* const frame = find(frames_, id);
    if (frame == nullptr) return kNothing;
    const std::string* const path = find(mappings_, frame->mapping);
    const u32 module = builder.module(path != nullptr ? std::string_view(*path) : std::string_view());
    const u32 function = builder.function(text(function_names_, frame->name), module, frame->address);
    node = builder.node(node, builder.place(function, text(sources_, frame->source), frame->line));
  }
  known.node = node;
  return node;
}

}  // namespace wperf::profiles
