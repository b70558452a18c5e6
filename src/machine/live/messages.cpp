// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/messages.h"

#include <cstring>

#include "wperf_version.h"

namespace wperf::live {
namespace {

constexpr u64 kMostProcesses = 1u << 20;

}  // namespace

std::string greeting() {
  return std::string("wperf simulated machine ") + kVersion + " " + kGitVersion;
}

Writer::Writer(u32 what) {
  put(Header{.size = 0, .what = what});
}

Writer Writer::refusal(const diag::Error& error) {
  Writer writer(1);
  writer.put_text(error.text).put_text(error.hint).put(static_cast<u32>(error.code));
  return writer;
}

Writer& Writer::in_moment() {
  Header header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  header.what |= kInMoment;
  std::memcpy(bytes_.data(), &header, sizeof header);
  return *this;
}

Writer Writer::news(const device::SampleWatcher::Moment& moment) {
  Writer writer(kMoment);
  writer.put(moment.time_ns).put(moment.ticks).put(moment.pc);
  writer.put(moment.process).put(moment.thread).put(moment.core);
  return writer;
}

std::string Writer::take() && {
  const auto size = static_cast<u32>(bytes_.size() - sizeof(Header));
  std::memcpy(bytes_.data() + offsetof(Header, size), &size, sizeof size);
  return std::move(bytes_);
}

diag::Error read_error(Fields& fields) {
  diag::Error error;
  error.text = fields.take_text();
  error.hint = fields.take_text();
  const auto code = static_cast<diag::ExitCode>(fields.take<u32>());
  for (const diag::ExitCode one : {diag::ExitCode::usage, diag::ExitCode::no_device})
    if (code == one) error.code = one;
  return error;
}

void put_processes(Writer& writer, const std::vector<readings::Process>& processes) {
  writer.put(u64{processes.size()});
  for (const readings::Process& process : processes) {
    writer.put(process.pid).put_text(process.image).put(process.core).put(u32{process.running}).put(process.exit_code);
    writer.put_list(std::span<const u32>(process.threads)).put(u64{process.modules.size()});
    for (const readings::Module& module : process.modules)
      writer.put_text(module.name).put_text(module.path).put(module.base).put(module.size).put(module.entry);
  }
}

std::vector<readings::Process> read_processes(Fields& fields) {
  std::vector<readings::Process> processes;
  const auto count = fields.take<u64>();
  for (u64 index = 0; index < count && index < kMostProcesses && fields.sound(); ++index) {
    readings::Process process;
    process.pid = fields.take<u32>();
    process.image = fields.take_text();
    process.core = fields.take<u32>();
    process.running = fields.take<u32>() != 0;
    process.exit_code = fields.take<u32>();
    process.threads = fields.take_list<u32>();
    const auto modules = fields.take<u64>();
    for (u64 number = 0; number < modules && fields.sound(); ++number) {
      readings::Module module;
      module.name = fields.take_text();
      module.path = fields.take_text();
      module.base = fields.take<u64>();
      module.size = fields.take<u64>();
      module.entry = fields.take<u64>();
      process.modules.push_back(std::move(module));
    }
    processes.push_back(std::move(process));
  }
  return processes;
}

void put_start(Writer& writer, const StartRequest& request) {
  writer.put_text(request.program.image).put_text(request.program.command_line);
  writer.put(request.program.core).put(request.program.affinity);
  writer.put(u32{request.at_once}).put(u32{request.detached});
}

std::optional<StartRequest> read_start(Fields& fields) {
  StartRequest request;
  request.program.image = fields.take_text();
  request.program.command_line = fields.take_text();
  request.program.core = fields.take<u32>();
  request.program.affinity = fields.take<u64>();
  request.at_once = fields.take<u32>() != 0;
  request.detached = fields.take<u32>() != 0;
  const bool has_zero = request.program.image.find('\0') != std::string::npos ||
                        request.program.command_line.find('\0') != std::string::npos;
  if (!fields.sound() || !fields.ended() || has_zero) return std::nullopt;
  return request;
}

std::optional<device::SampleWatcher::Moment> read_moment(Fields& fields) {
  device::SampleWatcher::Moment moment;
  moment.time_ns = fields.take<u64>();
  moment.ticks = fields.take<u64>();
  moment.pc = fields.take<u64>();
  moment.process = fields.take<u32>();
  moment.thread = fields.take<u32>();
  moment.core = fields.take<u32>();
  if (!fields.sound() || !fields.ended()) return std::nullopt;
  return moment;
}

void put_memory_request(Writer& writer, const MemoryRequest& request) {
  writer.put(request.process).put(request.address).put(request.size);
}

std::optional<MemoryRequest> read_memory_request(Fields& fields) {
  MemoryRequest request;
  request.process = fields.take<u32>();
  request.address = fields.take<u64>();
  request.size = fields.take<u64>();
  if (!fields.sound() || !fields.ended() || request.size > kMostMemory) return std::nullopt;
  return request;
}

Writer refusal_of_damage() {
  return Writer::refusal({.text = "the simulated machine does not understand the request", .hint = {}});
}

FoundMessage find_message(std::string_view bytes, bool in_moment) {
  FoundMessage found;
  while (bytes.size() - found.begin >= sizeof(Header)) {
    const std::string_view rest = bytes.substr(found.begin);
    std::memcpy(&found.header, rest.data(), sizeof found.header);
    found.damaged = found.header.size > kMostBytes;
    if (found.damaged || rest.size() - sizeof(Header) < found.header.size) return found;
    found.complete = ((found.header.what & kInMoment) != 0) == in_moment;
    found.fields = std::as_bytes(std::span(rest)).subspan(sizeof(Header), found.header.size);
    if (found.complete) return found;
    found.begin += sizeof(Header) + found.header.size;
  }
  return found;
}

}  // namespace wperf::live
