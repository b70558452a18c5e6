// SPDX-License-Identifier: BSD-3-Clause
// A process creates a child process, which gets an image, parameters and the inherited handles.
#include <algorithm>
#include <array>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

// The creator's RTL_USER_PROCESS_PARAMETERS.
struct Parameters {
  u64 standard_handles[3] = {};
  u64 console = 0;
  u32 console_flags = 0, group = 0;
  std::string current_folder, image_path, command_line;
  std::vector<u16> environment;
  StartupFacts startup;
};

bool read_environment(Call& call, u64 address, std::vector<u16>& out) {
  constexpr usize kMost = 1 << 20;
  out.clear();
  while (out.size() < kMost) {
    u16 unit = 0;
    if (!call.get(address + out.size() * sizeof unit, unit)) return false;
    if (unit == 0 && (out.empty() || out.back() == 0)) return true;  // an empty text ends the list
    out.push_back(unit);
  }
  return false;
}

// Reads the bytes of a UNICODE_STRING.
template <class Unit>
bool read_counted(Call& call, u64 address, std::vector<Unit>& out) {
  u16 size = 0;
  u64 at = 0;
  if (!call.get(address, size) || !call.get(address + 8, at)) return false;
  out.resize(at == 0 ? 0 : size / sizeof(Unit));
  return out.empty() || call.read(at, out.data(), out.size() * sizeof(Unit));
}

bool read_startup(Call& call, u64 address, StartupFacts& out) {
  u64 text_at = address + 0xb0;
  for (std::vector<u16>& text : out.texts) {
    if (!read_counted(call, text_at, text)) return false;
    text_at += Call::kUnicodeHeader;
  }
  return call.read(address + 0x88, out.window.data(), sizeof out.window) && read_counted(call, text_at, out.data);
}

bool read_parameters(Call& call, u64 address, Parameters& out) {
  u64 environment = 0;
  return call.get(address + 0x10, out.console) && call.get(address + 0x18, out.console_flags) &&
         call.read(address + 0x20, out.standard_handles, sizeof out.standard_handles) &&
         call.read_unicode(address + 0x38, out.current_folder) && call.read_unicode(address + 0x60, out.image_path) &&
         call.read_unicode(address + 0x70, out.command_line) && call.get(address + 0x80, environment) &&
         call.get(address + 0x408, out.group) && read_startup(call, address, out.startup) &&
         (environment == 0 || read_environment(call, environment, out.environment));
}

// Whether the new process leaves the console of its creator. kernelbase also requests a new console if the creator has
// no console handle because its streams are not a terminal.
bool leaves_console(Call& call, const Parameters& parameters) {
  constexpr u64 kNone = 0, kNew = ~u64{0}, kHidden = ~u64{1};
  u64 block = 0, own = 0;
  (void)call.state.guest.read(call.state.peb + 0x20, &block, sizeof block);
  (void)call.state.guest.read(block + 0x10, &own, sizeof own);
  return parameters.console == kNone || parameters.console == kHidden || (parameters.console == kNew && own != 0);
}

// PS_ATTRIBUTE_LIST: {size, {attribute, size, value or address, address of the returned size}…}.
struct Attribute {
  u64 number = 0, size = 0, value = 0, returned_size_at = 0;
};
constexpr u64 kClientId = 3, kImageName = 5, kImageInformation = 6, kHandleList = 11, kJobList = 19;

bool read_attributes(Call& call, u64 address, std::vector<Attribute>& out) {
  constexpr u64 kNumber = 0xffff, kMost = 32;
  u64 size = 0;
  if (address == 0) return true;
  if (!call.get(address, size)) return false;
  out.resize(std::min(size / sizeof(Attribute), kMost));
  if (!call.read(address + sizeof size, out.data(), out.size() * sizeof(Attribute))) return false;
  for (Attribute& attribute : out) attribute.number &= kNumber;
  return true;
}

const Attribute* find(const std::vector<Attribute>& attributes, u64 number) {
  const auto found = std::ranges::find(attributes, number, &Attribute::number);
  return found != attributes.end() ? &*found : nullptr;
}

// The name of the image, "\??\C:\app\a.exe".
bool read_image_name(Call& call, const std::vector<Attribute>& attributes, const Parameters& parameters,
                     std::string& out) {
  const Attribute* const given = find(attributes, kImageName);
  if (given == nullptr) {
    out = std::string(kNtPrefix) + parameters.image_path;
    return true;
  }
  std::vector<u16> units(std::min<u64>(given->size, 0xfffe) / sizeof(u16));
  if (!call.read(given->value, units.data(), units.size() * sizeof(u16))) return false;
  out = to_utf8(units);
  return true;
}

// The handles of the new process. It gets the creator's standard handles even if no handle is inherited.
bool choose_handles(Call& call, const std::vector<Attribute>& attributes, const Parameters& parameters,
                    Inheritance& out) {
  constexpr u32 kInheritHandles = 4;
  if ((call.argument32(6) & kInheritHandles) != 0) {
    std::vector<u64> only;
    if (const Attribute* const list = find(attributes, kHandleList)) {
      only.resize(std::min<u64>(list->size / sizeof(u64), Handles::kMost));
      if (!call.read(list->value, only.data(), only.size() * sizeof(u64))) return false;
    }
    out.handles = call.state.handles.inherited(only);
  }
  for (usize index = 0; index < 3; ++index) {
    const u64 handle = parameters.standard_handles[index];
    const ObjectPointer object = call.state.handles.at(handle);
    if (object == nullptr) continue;
    out.standard_handles[index] = out.handles.at(handle) == object ? handle : out.handles.add(object, true);
  }
  return true;
}

bool write_attributes(Call& call, const std::vector<Attribute>& attributes, const State& made) {
  const u64 ids[2] = {made.process_id, made.threads.front()->id};
  std::array<std::byte, kImageInformationSize> image;
  fill_image_information(*made.program, made.program_base, image.data());
  for (const Attribute& attribute : attributes) {
    if (attribute.number == kClientId && !call.write(attribute.value, ids, std::min<u64>(attribute.size, sizeof ids)))
      return false;
    if (attribute.number == kImageInformation &&
        !call.write(attribute.value, image.data(), std::min<u64>(attribute.size, image.size())))
      return false;
  }
  return true;
}

// arguments: process handle, thread handle, their access, their attributes, flags of the process, flags of the thread,
// parameters, information, attribute list
u64 create_process(Call& call) {
  constexpr u32 kCreateSuspended = 1;
  constexpr usize kMostProcesses = 1024;
  State& state = call.state;
  Parameters parameters;
  std::vector<Attribute> attributes;
  auto inheritance = std::make_shared<Inheritance>();
  std::string image;
  if (!read_parameters(call, call.argument(8), parameters) || !read_attributes(call, call.argument(10), attributes) ||
      !read_image_name(call, attributes, parameters, image) ||
      !choose_handles(call, attributes, parameters, *inheritance))
    return kAccessViolation;
  if (state.system->host == nullptr || state.system->processes.size() >= kMostProcesses) return kInsufficientResources;
  const Place place = state.files.find(image);
  if (place.status != kSuccess) return place.status;
  if (!place.exists || place.files == nullptr) return kObjectNameNotFound;
  inheritance->files = state.shared_files;
  inheritance->registry = state.registry;
  inheritance->streams = state.streams;
  inheritance->input_read = state.input_read;
  inheritance->program_path = place.path;
  inheritance->console_flags = parameters.console_flags;
  inheritance->console = leaves_console(call, parameters) ? 0 : state.console;
  inheritance->group = parameters.group;
  inheritance->current_folder = parameters.current_folder;
  inheritance->environment = std::move(parameters.environment);
  inheritance->startup = std::move(parameters.startup);
  const u32 id =
      state.system->host->start({state.files.host_path(place.path), parameters.command_line,
                                 state.threads.front()->processor, state.affinity, state.process_id, inheritance},
                                call.now_ns);
  State* const made = id != 0 ? find_process(*state.system, id) : nullptr;
  if (made == nullptr) return kInvalidImageFormat;
  constexpr u32 kBreaksAway = 1;
  for (const auto& one : state.jobs) {
    const auto job = one.lock();
    if (job != nullptr && (call.argument32(6) & kBreaksAway) == 0) join_job(*made, job, call.now_ns);
  }
  if (const Attribute* const list = find(attributes, kJobList); list != nullptr && list->size >= sizeof(u64)) {
    u64 handle = 0;
    if (!call.get(list->value, handle)) return 0;
    if (const auto job = state.handles.at<Job>(handle)) join_job(*made, job, call.now_ns);
  }
  made->threads.front()->suspended = (call.argument32(7) & kCreateSuspended) != 0 ? 1 : 0;
  if (!write_attributes(call, attributes, *made)) return 0;
  if (const Status status = call.give_handle(call.argument(0), made->process_object); status != kSuccess) return status;
  return call.give_handle(call.argument(1), made->threads.front()->object);
}

constexpr Service kChildren[] = {{"NtCreateUserProcess", create_process}};

}  // namespace

std::span<const Service> child_services() {
  return kChildren;
}

}  // namespace wperf::sim::nt
