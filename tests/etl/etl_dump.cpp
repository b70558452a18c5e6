// SPDX-License-Identifier: BSD-3-Clause
// etl_dump FILE: prints the contents of a trace, in numbers, as JSON, for tests that compare them with an independent
// reader.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <set>

#include "formats/etl/known_providers.h"
#include "formats/etl/stack_joiner.h"
#include "formats/etl/trace.h"
#include "formats/etl/trace_history.h"
#include "ground/os/mapped_file.h"

namespace {

using namespace wperf;

std::string name_of(const etl::Event& event) {
  // An event about an image always counts as one of group 0x14, in whichever form it was written.
  if (etl::image_event(event)) return fmt::format("kernel/0x14/{}/v{}", event.opcode, event.version);
  switch (event.form) {
    case etl::EventForm::kernel:
      return fmt::format("kernel/0x{:02x}/{}/v{}", event.group, event.opcode, event.version);
    case etl::EventForm::classic:
      return fmt::format("classic/{}/{}/v{}", etl::guid_text(event.provider), event.opcode, event.version);
    case etl::EventForm::manifest:
      return fmt::format("event/{}/{}/v{}", etl::guid_text(event.provider), event.id, event.version);
    case etl::EventForm::message:
      return fmt::format("wpp/{}", event.id);
    case etl::EventForm::other:
      return fmt::format("other/0x{:02x}", event.header_type);
  }
  return {};
}

struct Sample {
  u64 time = 0;
  u32 thread = 0, event = 0;
  bool idle = false, kernel = false, dpc = false, isr = false;
  u16 core = 0;
};

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      continue;
    }
    out += c;
  }
  return out + '"';
}

template <class Map>
std::string object(const Map& map) {
  std::string out = "{";
  for (const auto& [key, value] : map) out += fmt::format("{}{}:{}", out.size() > 1 ? "," : "", in_quotes(key), value);
  return out + "}";
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  auto mapped = os::MappedFile::open(words[1]);
  if (!mapped.has_value()) {
    std::fprintf(stderr, "%s\n", mapped.error().text.c_str());
    return 1;
  }
  const auto file = etl::Trace::open(mapped.value().bytes());
  if (!file.has_value()) {
    std::fprintf(stderr, "%s\n", file.error().text.c_str());
    return 4;
  }
  std::map<std::string, u64> counts, types, by_core, by_process, images;
  std::vector<Sample> samples;
  etl::StackJoiner stacks;
  etl::TraceHistory history;
  etl::TraceLosses losses;
  u64 events = 0, first = 0, last = 0, switches = 0, readies = 0, inline_stacks = 0, inline_frames = 0;
  std::map<std::string, u64> reasons;
  const auto number = [&](u32 value) { return fmt::format("{}", value); };
  file.value().for_each_event(
      [&](const etl::Event& event) {
        if (events++ == 0) first = event.time;
        last = std::max(last, event.time);
        ++counts[name_of(event)];
        ++types[fmt::format("0x{:02x}", event.header_type)];
        if (const auto sample = etl::sample_event(event); sample && sample->source == etl::SampleSource::timer) {
          samples.push_back({.time = event.time,
                             .thread = sample->thread,
                             .event = stacks.add(event.time, sample->thread),
                             .idle = sample->is_idle(),
                             .kernel = (sample->address >> (event.pointer_size * 8 - 1) & 1) != 0,
                             .dpc = sample->in_dpc,
                             .isr = sample->in_isr,
                             .core = event.core});
        } else if (const auto change = etl::switch_event(event)) {
          ++switches;
          ++reasons[number(change->old_wait_reason)];
          stacks.add(event.time, change->new_thread);
        } else if (etl::ready_event(event)) {
          ++readies;
        } else if (const auto stack = etl::stack_event(event)) {
          stacks.take(*stack, event.pointer_size);
        } else {
          history.take(event);
          if (const auto image = etl::image_event(event)) {
            static constexpr const char* kNames[] = {"Load", "Unload", "DCStart", "DCEnd"};
            ++images[kNames[static_cast<int>(image->kind)]];
          }
        }
        etl::Bytes items = event.items;
        etl::ExtendedItem item;
        while (etl::take_item(items, item)) {
          if (item.type != 5 && item.type != 6) continue;
          ++inline_stacks;
          inline_frames += (item.data.size() - std::min<usize>(item.data.size(), 8)) / (item.type == 5 ? 4 : 8);
        }
      },
      losses);
  history.finish();
  u64 not_idle = 0, kernel_addresses = 0, dpc = 0, isr = 0, unknown = 0, with_user = 0, kernel_only = 0;
  u64 with_stack = 0;
  for (const Sample& one : samples) {
    const u32 process = history.process_of(one.thread, one.time);
    unknown += process == etl::TraceHistory::kNobody;
    ++by_process[process == etl::TraceHistory::kNobody ? "unknown" : number(process)];
    ++by_core[number(one.core)];
    kernel_addresses += one.kernel;
    dpc += one.dpc;
    isr += one.isr;
    const etl::StackJoiner::JoinedStack& stack = stacks.joined(one.event);
    const bool any = stack.kernel != 0 || stack.user != 0;
    with_stack += any;
    if (one.idle) continue;
    ++not_idle;
    with_user += stack.user != 0;
    kernel_only += stack.user == 0 && stack.kernel != 0;
  }
  std::set<u32> ids;
  for (const auto& thread : history.threads()) ids.insert(thread.thread);
  std::set<std::string> process_rows;
  std::set<u32> process_ids;
  for (const auto& one : history.processes()) {
    process_ids.insert(one.process);
    process_rows.insert(fmt::format("{{\"pid\":{},\"ppid\":{},\"image\":{},\"cmd\":{}}}", one.process, one.parent,
                                    in_quotes(one.image), in_quotes(one.command)));
  }
  std::string processes;
  for (const std::string& row : process_rows) processes += (processes.empty() ? "" : ",") + row;
  const etl::StackJoiner::Counts& joined = stacks.counts();
  fmt::print(
      "{{\"events_total\":{},\"first_event_raw\":{},\"last_event_raw\":{},\"first_event_100ns\":{},"
      "\"last_event_100ns\":{},\"events_lost\":{},\"buffers_lost\":{},\"damaged\":{},\"cut\":{},\"out_of_order\":{},"
      "\"buffers\":{{\"count\":{},\"compressed\":{},\"flag_events_lost\":{},\"flag_buffer_lost\":{}}},"
      "\"logger\":{},\"logfile\":{},\"header_types\":{},\"counts\":{},\"process_count\":{},\"processes\":[{}],"
      "\"thread_ids\":{},\"images\":{},\"pdb_events\":{},\"cswitch\":{},\"ready\":{},\"wait_reason\":{},",
      events, first, last, file.value().file_time(first), file.value().file_time(last),
      file.value().header().events_lost, file.value().header().buffers_lost, losses.damaged_buffers, losses.cut_buffers,
      losses.out_of_order, file.value().files()[0].buffers().size(), file.value().files()[0].packed_buffers(),
      losses.flagged_events_lost, losses.flagged_buffers_lost, in_quotes(file.value().header().logger_name),
      in_quotes(file.value().header().file_name), object(types), object(counts), process_ids.size(), processes,
      ids.size(), object(images), history.pdb_events(), switches, readies, object(reasons));
  fmt::print(
      "\"sampled_profile\":{{\"count\":{},\"by_pid\":{},\"by_cpu\":{},\"with_stack\":{},\"unknown_pid\":{},\"dpc\":{},"
      "\"isr\":{},\"kernel_ip\":{},\"not_idle\":{},\"joined_with_user_part\":{},\"joined_kernel_only\":{}}},",
      samples.size(), object(by_process), object(by_core), with_stack, unknown, dpc, isr, kernel_addresses, not_idle,
      with_user, kernel_only);
  fmt::print(
      "\"stackwalk\":{{\"events\":{},\"key_refs\":{},\"key_defs\":{},\"key_refs_resolved\":{},\"kernel_fragments\":{},"
      "\"user_fragments\":{},\"mixed_fragments\":{},\"empty\":{},\"inline_ext\":{},\"inline_ext_frames\":{}}}}}\n",
      joined.fragments, joined.key_references, joined.key_definitions, joined.resolved, joined.kernel, joined.user,
      joined.mixed, joined.empty, inline_stacks, inline_frames);
  return 0;
}
