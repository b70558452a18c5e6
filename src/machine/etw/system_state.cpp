// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/system_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "ground/text/unicode.h"
#include "machine/etw/trace_calls.h"

namespace wperf::etw {
namespace {

constexpr std::u16string_view kNamePrefix = u"wperf recording ";
constexpr std::string_view kSourcePrefix = "wperf.0x";
// Keys of the values that keep the former state of the system, and the owner of its only kernel session.
constexpr std::string_view kKeptInterval = "interval of source ", kKeptSource = "added source ";
constexpr char kKeptLogger[] = "process and file of the kernel logger";

std::optional<u32> number_of(std::string_view text) {
  u32 number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// The file that a session writes.
std::string file_of_session(TraceApi& api, const std::u16string& name) {
  Bytes properties = properties_bytes({.asks_file = true});
  return api.control(0, name, properties, ControlCode::query) == kNoError ? session_state(properties).file
                                                                          : std::string();
}

// The owner of a session, from its name. For the session that every program can use, the owner is the wperf that
// registered the session's file name.
std::optional<u32> process_of_session(TraceApi& api, const std::u16string& name) {
  if (name.starts_with(kNamePrefix)) return number_of(text::utf8_of(name.substr(kNamePrefix.size())));
  const std::optional<std::string> said = name == kKernelLogger ? api.kept(kKeptLogger) : std::nullopt;
  if (!said.has_value()) return std::nullopt;
  const usize space = std::min(said->find(' '), said->size());
  const std::string_view file = std::string_view(*said).substr(std::min(space + 1, said->size()));
  if (file != file_of_session(api, name)) return std::nullopt;
  return number_of(std::string_view(*said).substr(0, space));
}

bool others_record(TraceApi& api, u32 own_process) {
  for (const std::u16string& name : api.sessions()) {
    const std::optional<u32> process = process_of_session(api, name);
    if (process.has_value() && *process != own_process && api.process_runs(*process)) return true;
  }
  return false;
}

std::string with_number(std::string_view name, u32 number) {
  return std::string(name) + std::to_string(number);
}

}  // namespace

std::u16string session_name(u32 process) {
  return std::u16string(kNamePrefix) + text::utf16_of(std::to_string(process));
}

std::string source_name(u32 event) {
  return fmt::format("{}{:04x}", kSourcePrefix, event);
}

void register_interval(TraceApi& api, SourceInterval before) {
  const std::string key = with_number(kKeptInterval, before.source);
  if (!api.kept(key).has_value()) api.keep(key, std::to_string(before.interval));
}

void register_source(TraceApi& api, u32 number, const std::string& event_name) {
  api.keep(with_number(kKeptSource, number), event_name);
}

void register_kernel_logger(TraceApi& api, u32 process, const std::string& file) {
  api.keep(kKeptLogger, fmt::format("{} {}", process, file));
}

void forget_kernel_logger(TraceApi& api) {
  api.forget(kKeptLogger);
}

std::vector<std::string> leftovers(TraceApi& api) {
  std::vector<std::string> names;
  for (const std::u16string& name : api.sessions()) {
    const std::optional<u32> process = process_of_session(api, name);
    if (process.has_value() && !api.process_runs(*process)) names.push_back(text::utf8_of(name));
  }
  return names;
}

std::vector<CleanupResult> end_leftovers(TraceApi& api) {
  std::vector<CleanupResult> done;
  for (const std::string& name : leftovers(api)) {
    Bytes properties = properties_bytes({});
    const WindowsError error = api.control(0, text::utf16_of(name), properties, ControlCode::stop);
    const bool good = error == kNoError;
    if (good && text::utf16_of(name) == kKernelLogger) forget_kernel_logger(api);
    done.push_back({fmt::format("{} the trace session \"{}\", left behind by a wperf{}",
                                good ? "ended" : "could not end", name, good ? "" : fmt::format(" (error {})", error)),
                    good});
  }
  return done;
}

std::vector<CleanupResult> remove_left_sources(TraceApi& api) {
  std::vector<CleanupResult> done;
  for (const std::u16string& name : api.sessions()) {
    if (process_of_session(api, name).has_value()) return done;
  }
  const auto sources = list_sources(api);
  if (!sources.has_value()) return done;
  for (const ProfileSource& source : sources.value()) {
    if (!source.name.starts_with(kSourcePrefix)) continue;
    Bytes request = remove_source_bytes(source.number, kAnyCpu);
    const u32 status = api.set_performance(request);
    done.push_back({fmt::format("{} the sample source \"{}\", left behind by a wperf{}",
                                status == 0 ? "removed" : "could not remove", source.name,
                                status == 0 ? "" : fmt::format(" (status 0x{:08x})", status)),
                    status == 0});
  }
  return done;
}

void put_back(TraceApi& api, u32 own_process) {
  const SystemChanges alone(api);
  if (others_record(api, own_process)) return;
  for (const std::string& name : api.kept_names()) {
    if (name.starts_with(kKeptInterval)) {
      const std::optional<u32> source = number_of(std::string_view(name).substr(kKeptInterval.size()));
      const std::optional<u32> interval = number_of(api.kept(name).value_or(""));
      if (source.has_value() && interval.has_value())
        (void)api.set(0, TraceClass::sampling_interval, interval_bytes({*source, *interval}));
    } else if (name.starts_with(kKeptSource)) {
      const std::optional<u32> source = number_of(std::string_view(name).substr(kKeptSource.size()));
      Bytes request = remove_source_bytes(source.value_or(0), kAnyCpu);
      if (source.has_value()) (void)api.set_performance(request);
    } else {
      continue;
    }
    api.forget(name);
  }
}

}  // namespace wperf::etw
