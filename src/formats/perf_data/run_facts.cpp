// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/run_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <span>
#include <string_view>

#include "ground/bytes/hexadecimal.h"

namespace wperf::perf_data {
namespace {

constexpr std::string_view kFirstKey = "wperf.run", kVersion = "1";
constexpr usize kMostCoreFacts = 4096, kMostNumbers = 1024, kMostMappedFiles = 1 << 16;
constexpr std::string_view kUnknownBuild = "-";

void put(std::string& out, std::string_view key, std::string_view value) {
  for (const std::string_view text : {key, value}) {
    out += text.substr(0, text.find('\0'));
    out += '\0';
  }
}

void put(std::string& out, std::string_view key, u64 value) {
  put(out, key, std::string_view(std::to_string(value)));
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Number>
void take(std::string_view text, Number& out) {
  out = number_of<Number>(text).value_or(out);
}

std::string text_of(std::span<const u64> numbers) {
  std::string text;
  for (const u64 number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

void put_numbers(std::string& out, std::string_view key, std::initializer_list<u64> numbers) {
  put(out, key, text_of(std::span(numbers.begin(), numbers.size())));
}

// Returns nullopt if an entry is malformed or there are too many.
std::optional<std::vector<u64>> numbers_in(std::string_view text) {
  std::vector<u64> numbers;
  while (!text.empty() && numbers.size() < kMostNumbers) {
    const usize end = std::min(text.find(' '), text.size());
    const auto value = number_of<u64>(text.substr(0, end));
    if (!value.has_value()) return std::nullopt;
    numbers.push_back(*value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!text.empty()) return std::nullopt;
  return numbers;
}

template <usize Count>
std::optional<std::array<u64, Count>> numbers_in(std::string_view text) {
  const auto numbers = numbers_in(text);
  if (!numbers.has_value() || numbers->size() < Count) return std::nullopt;
  std::array<u64, Count> fields{};
  std::copy_n(numbers->begin(), Count, fields.begin());
  return fields;
}

void put_counted(std::string& out, const CountedFacts& counted) {
  put_numbers(out, "counted",
              {u64{counted.kernel}, u64{counted.has_cycles}, counted.cores, counted.counters, counted.start_ns,
               counted.end_ns});
  put(out, "counted_vendor", counted.vendor);
  for (const std::vector<u64>& unit : counted.units) put(out, "counted_unit", text_of(unit));
}

void take_counted(std::string_view key, std::string_view value, std::optional<CountedFacts>& counted) {
  if (key == "counted") {
    const auto numbers = numbers_in<6>(value);
    if (!numbers.has_value() || counted.has_value()) return;
    const auto& [kernel, has_cycles, cores, counters, start_ns, end_ns] = *numbers;
    counted = CountedFacts{.kernel = kernel != 0,
                           .has_cycles = has_cycles != 0,
                           .cores = static_cast<u32>(cores),
                           .counters = static_cast<u32>(counters),
                           .start_ns = std::min(start_ns, end_ns),
                           .end_ns = end_ns,
                           .vendor = {},
                           .units = {}};
  }
  if (!counted.has_value()) return;
  if (key == "counted_vendor") counted->vendor = value;
  if (key != "counted_unit" || counted->units.size() >= kMostCoreFacts) return;
  if (auto numbers = numbers_in(value); numbers.has_value()) counted->units.push_back(*std::move(numbers));
}

// "5808411 403183547 2f0a… /usr/bin/name"
void put_mapped_file(std::string& out, const MappedFileFacts& file) {
  const std::string build = bytes::hexadecimal(std::as_bytes(std::span(file.build_id)));
  std::string text = text_of(std::array{file.inode, file.inode_generation});
  for (const std::string_view part :
       {build.empty() ? kUnknownBuild : std::string_view(build), std::string_view(file.path)})
    text.append(1, ' ').append(part);
  put(out, "mapped_file", text);
}

void take_mapped_file(std::string_view text, std::vector<MappedFileFacts>& files) {
  const auto next = [&text] {
    const usize end = std::min(text.find(' '), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
  };
  const auto inode = number_of<u64>(next()), generation = number_of<u64>(next());
  const std::string_view build = next();
  if (!inode.has_value() || !generation.has_value() || text.empty() || files.size() >= kMostMappedFiles) return;
  const std::vector<std::byte> id = build == kUnknownBuild ? std::vector<std::byte>() : bytes::bytes_of_digits(build);
  files.push_back(
      {*inode, *generation, std::string(reinterpret_cast<const char*>(id.data()), id.size()), std::string(text)});
}

void take_pair(std::string_view key, std::string_view value, RunFacts& facts) {
  if (key == "system") facts.windows = value == "windows";
  if (key == "image") facts.image_name = value;
  if (key == "pe_file") facts.pe_file = value;
  if (key == "pdb_file") facts.pdb_file = value;
  if (key == "process") take(value, facts.process);
  if (key == "recorder") take(value, facts.recorder);
  if (key == "start_ns") take(value, facts.start_ns);
  if (key == "end_ns") take(value, facts.end_ns);
  if (key == "begun_unix_ns") take(value, facts.begun_unix_ns);
  if (key == "cpu_ns") facts.cpu_ns = number_of<u64>(value);
  if (key == "program_ns") facts.program_ns = number_of<u64>(value);
  if (key == "exit_code") facts.exit_code = number_of<u32>(value);
  if (key == "note") facts.note = value;
  if (key == "switch_cost_ns") take(value, facts.switch_cost_ns);
  if (key == "stacks") {
    if (const auto some = numbers_in<4>(value)) facts.stacks = {(*some)[0], (*some)[1], (*some)[2], (*some)[3]};
  }
  if (key == "python_versions") facts.python.versions = value;
  if (key == "python") {
    if (const auto some = numbers_in<6>(value))
      facts.python = {.versions = std::move(facts.python.versions),
                      .joined = (*some)[0],
                      .outside = (*some)[1],
                      .changed = (*some)[2],
                      .other_shape = (*some)[3],
                      .unread = (*some)[4],
                      .without_stack = (*some)[5]};
  }
  if (key == "python_cut") take(value, facts.python.cut);
  if (key == "python_new_thread") take(value, facts.python.new_thread);
  if (key == "python_early") take(value, facts.python.early);
  if (key == "mapped_file") take_mapped_file(value, facts.mapped_files);
  if (key.starts_with("counted")) take_counted(key, value, facts.counted);
  if (key == "spe_core" && facts.spe_cores.size() < kMostCoreFacts) {
    if (const auto core = numbers_in<7>(value)) {
      const auto& [number, midr, full, stopped_ns, collisions, data_losses, faulted] = *core;
      facts.spe_cores.push_back(
          {static_cast<u32>(number), midr, full, stopped_ns, collisions, data_losses, faulted != 0});
    }
  }
  if (key == "stacks_by_pointers") take(value, facts.stacks.by_pointers);
  if (key != "core" || facts.cores.size() >= kMostCoreFacts) return;
  if (const auto core = numbers_in<6>(value)) {
    const auto& [number, taken, ring_full, filtered, held_back, lost_registers] = *core;
    facts.cores.push_back({static_cast<u32>(number), taken, ring_full, filtered, held_back, lost_registers});
  }
}

}  // namespace

std::string run_facts_bytes(const RunFacts& facts) {
  std::string out;
  put(out, kFirstKey, kVersion);
  put(out, "system", facts.windows ? "windows" : "linux");
  put(out, "image", facts.image_name);
  put(out, "pe_file", facts.pe_file);
  put(out, "pdb_file", facts.pdb_file);
  put(out, "process", facts.process);
  if (facts.recorder != 0) put(out, "recorder", facts.recorder);
  put(out, "start_ns", facts.start_ns);
  put(out, "end_ns", facts.end_ns);
  if (facts.begun_unix_ns != 0) put(out, "begun_unix_ns", facts.begun_unix_ns);
  if (facts.cpu_ns.has_value()) put(out, "cpu_ns", *facts.cpu_ns);
  if (facts.program_ns.has_value()) put(out, "program_ns", *facts.program_ns);
  if (facts.exit_code.has_value()) put(out, "exit_code", *facts.exit_code);
  if (!facts.note.empty()) put(out, "note", facts.note);
  if (facts.switch_cost_ns != 0) put(out, "switch_cost_ns", facts.switch_cost_ns);
  for (const CoreFacts& core : facts.cores) {
    put_numbers(out, "core",
                {core.core, core.taken, core.lost_ring_full, core.lost_filtered, core.held_back, core.register_losses});
  }
  const StackFacts& stacks = facts.stacks;
  if (stacks.any()) put_numbers(out, "stacks", {stacks.cut, stacks.without_table, stacks.damaged, stacks.of_32_bits});
  const stacks::PythonSamples& python = facts.python;
  if (!python.versions.empty()) {
    put(out, "python_versions", python.versions);
    put_numbers(
        out, "python",
        {python.joined, python.outside, python.changed, python.other_shape, python.unread, python.without_stack});
    if (python.cut != 0) put(out, "python_cut", python.cut);
    if (python.new_thread != 0) put(out, "python_new_thread", python.new_thread);
    if (python.early != 0) put(out, "python_early", python.early);
  }
  for (const SpeCoreFacts& core : facts.spe_cores) {
    put_numbers(
        out, "spe_core",
        {core.core, core.midr, core.full, core.stopped_ns, core.collisions, core.data_losses, u64{core.faulted}});
  }
  if (facts.counted.has_value()) put_counted(out, *facts.counted);
  if (stacks.by_pointers != 0) put(out, "stacks_by_pointers", stacks.by_pointers);
  for (const MappedFileFacts& file : facts.mapped_files) put_mapped_file(out, file);
  return out;
}

std::optional<RunFacts> read_run_facts(Bytes section) {
  std::string_view left(reinterpret_cast<const char*>(section.data()), section.size());
  const auto next = [&left] {
    const usize end = std::min(left.find('\0'), left.size());
    const std::string_view text = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    return text;
  };
  if (next() != kFirstKey || next() != kVersion) return std::nullopt;
  RunFacts facts;
  while (!left.empty()) {
    const std::string_view key = next();
    take_pair(key, next(), facts);
  }
  if (facts.end_ns < facts.start_ns) facts.end_ns = facts.start_ns;
  return facts;
}

void append_pdb_name(std::string& section, Bytes build_id, std::string_view name) {
  section += bytes::hexadecimal(build_id);
  section += '\0';
  section += name;
  section += '\0';
}

std::string_view pdb_name_of(Bytes section, Bytes build_id) {
  if (build_id.empty()) return {};
  const std::string wanted = bytes::hexadecimal(build_id);
  while (!section.empty()) {
    const std::string_view id = text_in(section);
    section = slice(section, id.size() + 1, section.size());
    const std::string_view name = text_in(section);
    section = slice(section, name.size() + 1, section.size());
    if (id == wanted) return name;
  }
  return {};
}

}  // namespace wperf::perf_data
