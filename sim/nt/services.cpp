// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/services.h"

#include <algorithm>

#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kHostLoadLibrary = 0, kHostWriteText = 2, kHostSystemTime = 7;
constexpr usize kDebugTextKept = 4096;

// Returns the text between the two marks; empty if one of them is missing.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const usize begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  const usize end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

// ntdll reports a call of a function that the DLLs lack: "wine: Call from 00007FF80133623C to unimplemented function
// ucrtbase.dll._spawn, aborting".
std::string_view missing_function(std::string_view text) {
  return between(text, " to unimplemented function ", ", aborting");
}

// "err:module:import_dll Library bignum.dll (which is needed by L"C:\\app\\googolplex.exe") not found", or "Loading
// library bignum.dll (which is needed by L"C:\\app\\googolplex.exe") failed (error c000007b)."
void note_missing_dll(State& state, std::string_view text) {
  constexpr std::string_view kNeededBy = " (which is needed by ";
  std::string_view name = between(text, "import_dll Library ", kNeededBy);
  if (name.empty()) name = between(text, "import_dll Loading library ", kNeededBy);
  if (name.empty()) return;
  const std::string_view path = between(text, kNeededBy, "\")");
  state.missing_dll = printable(name);
  state.dll_needed_by = printable(path.substr(path.rfind('\\') + 1));  // npos + 1 is 0
}

}  // namespace

std::array<std::span<const Service>, 21> all_services() {
  return {memory_services(),      section_services(),  file_services(),  file_information_services(),
          folder_services(),      lock_services(),     pipe_services(),  console_services(),
          wait_services(),        object_services(),   port_services(),  thread_services(),
          process_services(),     security_services(), child_services(), job_services(),
          information_services(), registry_services(), watch_services(), keyed_event_services(),
          atom_services()};
}

const Service* find_service(std::string_view name) {
  for (const std::span<const Service> part : all_services()) {
    const auto found = std::find_if(part.begin(), part.end(), [&](const Service& one) { return one.name == name; });
    if (found != part.end()) return &*found;
  }
  return nullptr;
}

void learn_services(State& state, const ImageContents& image, u64 base) {
  constexpr u32 kLoadNumber = 0xd2800008, kLoadMask = 0xffe0001f;  // mov x8, #N
  constexpr u32 kSaveLink = 0xaa1e03e9;                            // mov x9, x30
  constexpr u32 kCall = 0xd4000001, kReturn = 0xd65f03c0;          // svc #N, ret
  for (const PeExport& entry : image.pe.exports) {
    if (entry.rva == 0) continue;
    u32 words[2] = {};
    if (!state.space.read(base + entry.rva, words, sizeof words)) continue;
    if ((words[0] & kLoadMask) != kLoadNumber || words[1] != kSaveLink) continue;
    const u32 number = words[0] >> 5 & 0xffff;
    const u32 stub[2] = {kCall | number << 5, kReturn};
    state.space.write(base + entry.rva, stub, sizeof stub);
    state.services[number] = find_service(entry.name);
    state.service_names[number] = entry.name;
  }
}

// arguments: handle, code, parameters. The handle is the address of the DLL, or ntdll's own. Calls of ntdll and ws2_32
// are answered; the other DLLs with a part on the host get STATUS_NOT_IMPLEMENTED and work without it.
u64 answer_host_call(Call& call) {
  const u64 parameters = call.argument(2);
  if (call.argument(0) != kOwnHostPart) {
    const auto module = std::ranges::find(call.state.modules, call.argument(0), &Module::base);
    const bool is_sockets = module != call.state.modules.end() && same_ignoring_case(module->name, "ws2_32.dll");
    return is_sockets ? answer_name_call(call) : u64{kNotImplemented};
  }
  switch (call.argument32(1)) {
    case kHostLoadLibrary:
      return kNotFound;
    case kHostWriteText: {
      struct {
        u64 text;
        u32 size;
      } given{};
      if (!call.get(parameters, given)) return 0;
      std::string text(std::min<u32>(given.size, kDebugTextKept), '\0');
      if (!call.read(given.text, text.data(), text.size())) return 0;
      if (const std::string_view missing = missing_function(text); !missing.empty())
        return call.lack("the function " + printable(missing));
      note_missing_dll(call.state, text);
      call.state.debug_text += text;
      if (call.state.debug_text.size() > kDebugTextKept)
        call.state.debug_text.erase(0, call.state.debug_text.size() - kDebugTextKept);
      return given.size;
    }
    case kHostSystemTime: {
      const u64 now = kBootTime + call.now_ns / kNsPerTick;
      (void)call.put(parameters, now);
      return kSuccess;
    }
    default:
      return kNotImplemented;
  }
}

}  // namespace wperf::sim::nt
