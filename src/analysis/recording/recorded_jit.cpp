// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_jit.h"

#include <charconv>

#include "code/modules/elf_files.h"
#include "ground/os/named_file.h"

namespace wperf::recording {
namespace {

// "jit-123.dump"
std::optional<u32> process_of_dump(std::string_view path) {
  constexpr std::string_view kStart = "jit-", kEnd = ".dump";
  std::string_view name = modules::base_name(path);
  if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return {};
  name = name.substr(kStart.size(), name.size() - std::min(name.size(), kStart.size() + kEnd.size()));
  u32 process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (error != std::errc() || end != name.data() + name.size()) return {};
  return process;
}

}  // namespace

bool RecordedJit::is_dump(std::string_view path) {
  return process_of_dump(path).has_value();
}

RecordedJit RecordedJit::open(const perf_data::ProcessHistory& history, bool has_monotonic_times, bytes::Span own,
                              std::span<const std::string> folders) {
  RecordedJit out;
  bytes::Reader dumps(own);
  while (dumps.left() != 0) {
    const bytes::Span bytes = dumps.bytes(dumps.word());
    if (!dumps.sound()) break;
    auto dump = symbols::JitDump::parse(bytes);
    if (dump.has_value() && !dump->functions().empty()) {
      out.of_process_[dump->process()] = static_cast<u32>(out.dumps_.size());
      out.dumps_.push_back({std::nullopt, *std::move(dump)});
    }
  }
  out.has_times_ = out.dumps_.empty() ? has_monotonic_times : true;
  for (const perf_data::MappedCode& code : history.codes()) {
    const std::optional<u32> process = process_of_dump(code.path);
    const std::string path(code.path);
    if (!process.has_value() || out.of_process_.contains(*process)) continue;
    // A failure is reported later, as the reason of the module.
    auto opened = os::open_named_file(path, os::NamedUse::read, folders);
    if (!opened.has_value() || !opened.value().has_value()) continue;
    auto dump = symbols::JitDump::parse(opened.value()->bytes());
    if (!dump.has_value() || dump->functions().empty()) continue;
    out.of_process_[*process] = static_cast<u32>(out.dumps_.size());
    out.dumps_.push_back({std::move(opened).value(), *std::move(dump)});
  }
  return out;
}

void RecordedJit::replace_addresses(u32 pid, u64 when, std::span<stacks::StackFrame> frames) {
  const auto known = of_process_.find(pid);
  if (known == of_process_.end()) return;
  const symbols::JitDump& dump = dumps_[known->second].code;
  // true for a return address in user code; false for the address of an instruction that the kernel interrupted
  bool is_caller = false;
  for (stacks::StackFrame& frame : frames) {
    const bool is_user = stacks::is_user_code(frame.kind);
    if (frame.kind == stacks::AddressKind::user) {
      // A return address is after the call, so the byte before it is looked up.
      const u64 address = frame.address - (is_caller && !frame.at_call && frame.address != 0 ? 1 : 0);
      const u32 function = dump.find(address, has_times_ ? when : ~u64{0});
      if (function != symbols::JitDump::kNone) {
        const u32 location = locations_.insert((u64{known->second} << 32) | function, address).id;
        frame = {location, stacks::AddressKind::made, frame.at_call};
      }
    }
    is_caller = is_user;
  }
}

RecordedJit::JitLocation RecordedJit::location(u64 number) const {
  if (number >= locations_.size()) return {};
  const u32 id = static_cast<u32>(number);
  const symbols::JitDump& dump = dumps_[locations_.first(id) >> 32].code;
  const symbols::JitFunction& function = dump.functions()[static_cast<u32>(locations_.first(id))];
  const u64 address = locations_.second(id);
  return {dump.process(), address, function.name, dump.line_at(function, address)};
}

}  // namespace wperf::recording
