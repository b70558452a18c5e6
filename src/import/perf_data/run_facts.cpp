// SPDX-License-Identifier: BSD-3-Clause
#include "import/perf_data/run_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace wperf::perf_data {
namespace {

constexpr std::string_view kFirstKey = "wperf.run", kVersion = "1";
constexpr usize kMostCoreFacts = 4096;

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

// "core taken lost_ring_full lost_filtered held_back register_losses"
std::string core_text(const CoreFacts& core) {
  std::string text = std::to_string(core.core);
  for (const u64 field : {core.taken, core.lost_ring_full, core.lost_filtered, core.held_back, core.register_losses}) {
    text += ' ' + std::to_string(field);
  }
  return text;
}

template <usize Count>
std::optional<std::array<u64, Count>> numbers_in(std::string_view text) {
  std::array<u64, Count> fields{};
  for (u64& field : fields) {
    const usize end = std::min(text.find(' '), text.size());
    const auto value = number_of<u64>(text.substr(0, end));
    if (!value.has_value()) return std::nullopt;
    field = *value;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

void take_pair(std::string_view key, std::string_view value, RunFacts& facts) {
  if (key == "system") facts.windows = value == "windows";
  if (key == "image") facts.image_name = value;
  if (key == "pe_file") facts.pe_file = value;
  if (key == "pdb_file") facts.pdb_file = value;
  if (key == "process") take(value, facts.process);
  if (key == "start_ns") take(value, facts.start_ns);
  if (key == "end_ns") take(value, facts.end_ns);
  if (key == "exit_code") facts.exit_code = number_of<u32>(value);
  if (key == "note") facts.note = value;
  if (key == "stacks") {
    if (const auto some = numbers_in<4>(value)) facts.stacks = {(*some)[0], (*some)[1], (*some)[2], (*some)[3]};
  }
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
  put(out, "start_ns", facts.start_ns);
  put(out, "end_ns", facts.end_ns);
  if (facts.exit_code.has_value()) put(out, "exit_code", *facts.exit_code);
  if (!facts.note.empty()) put(out, "note", facts.note);
  for (const CoreFacts& core : facts.cores) put(out, "core", core_text(core));
  const StackFacts& stacks = facts.stacks;
  if (stacks.any()) {
    put(out, "stacks",
        std::to_string(stacks.cut) + ' ' + std::to_string(stacks.without_table) + ' ' + std::to_string(stacks.damaged) +
            ' ' + std::to_string(stacks.of_32_bits));
  }
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

}  // namespace wperf::perf_data
