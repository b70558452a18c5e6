// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/call.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

struct UnicodeString {
  u16 length, capacity;
  u32 padding;
  u64 text;
};

struct ObjectAttributes {
  u32 length, padding;
  u64 root, name;
  u32 attributes, padding2;
  u64 security, quality;
};

constexpr std::string_view kSessionNames = "\\Sessions\\1\\BaseNamedObjects\\", kGlobalNames = "\\BaseNamedObjects\\";

// Follows the links in the folders of named objects: "Local" is the folder itself, "Global" is the folder of all
// sessions.
std::string follow_links(std::string name) {
  struct Link {
    std::string_view folder, link, target;
  };
  constexpr Link kLinks[] = {
      {kSessionNames, "Local\\", kSessionNames},      {kSessionNames, "Global\\", kGlobalNames},
      {kSessionNames, "Session\\1\\", kSessionNames}, {kSessionNames, "Session\\0\\", kGlobalNames},
      {kGlobalNames, "Local\\", kGlobalNames},        {kGlobalNames, "Global\\", kGlobalNames},
  };
  const auto leads_on = [&](const Link& one) {
    return name.starts_with(one.folder) && std::string_view(name).substr(one.folder.size()).starts_with(one.link);
  };
  for (auto link = std::ranges::find_if(kLinks, leads_on); link != std::ranges::end(kLinks);
       link = std::ranges::find_if(kLinks, leads_on))
    name.replace(0, link->folder.size() + link->link.size(), link->target);
  return name;
}

// Whether the folder of a named object exists.
bool has_folder(const System& system, std::string_view name) {
  for (const std::string_view folder : {kSessionNames, kGlobalNames}) {
    if (!name.starts_with(folder)) continue;
    const usize end = name.rfind('\\');
    if (end < folder.size()) return true;
    const ObjectPointer made = find_name(system, name.substr(0, end), false);
    return made != nullptr && made->kind == Object::Kind::directory;
  }
  return true;  // of a file or a key
}

}  // namespace

u64 Call::argument(u32 index) const {
  constexpr u32 kInRegisters = 8;
  if (index < kInRegisters) return thread.registers.x[index];
  u64 value = 0;
  if (!state.guest.read(thread.registers.sp + (index - kInRegisters) * sizeof value, &value, sizeof value)) return 0;
  return value;
}

bool Call::read(u64 address, void* out, u64 size) {
  const bool done = state.guest.read(address, out, size);
  bad_pointer_ |= !done;
  return done;
}

bool Call::write(u64 address, const void* in, u64 size) {
  const bool done = state.guest.write(address, in, size);
  bad_pointer_ |= !done;
  return done;
}

bool Call::read_unicode(u64 address, std::string& out) {
  UnicodeString text{};
  out.clear();
  if (!get(address, text)) return false;
  std::vector<u16> units(text.length / sizeof(u16));
  if (!units.empty() && !read(text.text, units.data(), units.size() * sizeof(u16))) return false;
  out = to_utf8(units);
  return true;
}

bool Call::put_unicode(u64 address, std::span<const u16> text, bool ends_with_zero) {
  static_assert(sizeof(UnicodeString) == kUnicodeHeader);
  const u64 size = text.size_bytes();
  const u16 zero = 0, length = static_cast<u16>(size);
  const UnicodeString header{length, static_cast<u16>(length + (ends_with_zero ? sizeof zero : 0)), 0,
                             address + kUnicodeHeader};
  return put(address, header) && write(header.text, text.data(), size) &&
         (!ends_with_zero || put(header.text + size, zero));
}

Status Call::read_name(u64 attributes, ObjectName& out) {
  out = {};
  if (attributes == 0) return kSuccess;
  ObjectAttributes given{};
  if (!get(attributes, given)) return kAccessViolation;
  out.attributes = given.attributes;
  constexpr u64 kInherit = 2;
  inherits_ = (given.attributes & kInherit) != 0;
  if (given.name != 0 && !read_unicode(given.name, out.text)) return kAccessViolation;
  if (given.root != 0) {
    if (const Status status = add_root(given.root, out.text); status != kSuccess) return status;
  }
  out.text = follow_links(std::move(out.text));
  return has_folder(*state.system, out.text) ? kSuccess : kObjectPathNotFound;
}

Status Call::add_root(u64 root, std::string& text) const {
  if (const auto folder = state.handles.at<File>(root)) {
    std::string path = folder->path;
    if (!text.empty() && !path.ends_with('\\')) path += '\\';
    text = path + text;
  } else if (const ObjectPointer object = state.handles.at(root); object == nullptr) {
    return kInvalidHandle;
  } else if (!object->name.empty()) {
    text = object->name + (text.empty() ? "" : "\\" + text);
  }
  return kSuccess;
}

bool Call::put_io_status(u64 address, Status status, u64 information) {
  const u64 block[2] = {status, information};
  return write(address, block, sizeof block);
}

Status Call::answer_with(u64 buffer, u64 room, const void* bytes, u64 size, u64 size_at) {
  if (!put_if_wanted(size_at, static_cast<u32>(size))) return kAccessViolation;
  if (room < size) return kInfoLengthMismatch;
  return write(buffer, bytes, size) ? kSuccess : kAccessViolation;
}

Status Call::answer_with_status(u64 status_at, u64 buffer, u64 room, const void* bytes, u64 size) {
  if (room < size) return kInfoLengthMismatch;
  return write(buffer, bytes, size) && put_io_status(status_at, kSuccess, size) ? kSuccess : kAccessViolation;
}

Status Call::give_handle(u64 address, ObjectPointer object) {
  const u64 handle = state.handles.add(std::move(object), inherits_);
  if (handle == 0) return kInsufficientResources;
  if (put(address, handle)) return kSuccess;
  state.handles.close(handle);
  return kAccessViolation;
}

Thread* Call::thread_of(u64 handle) {
  if (handle == kThisThread) return &thread;
  const auto object = state.handles.at<ThreadObject>(handle);
  if (object == nullptr) return nullptr;
  return find_thread(state, object->id);
}

Thread* Call::thread_of_any_process(u64 handle) {
  if (Thread* const own = thread_of(handle)) return own;
  const auto object = state.handles.at<ThreadObject>(handle);
  for (const State* const process : state.system->processes) {
    Thread* const found = object != nullptr ? find_thread(*process, object->id) : nullptr;
    if (found != nullptr) return found;
  }
  return nullptr;
}

ObjectPointer Call::object_of(u64 handle) {
  if (handle == kThisThread) return thread.object;
  if (handle == kThisProcess) return state.process_object;
  return state.handles.at(handle);
}

std::shared_ptr<ProcessObject> Call::process_object_of(u64 handle) {
  const ObjectPointer object = object_of(handle);
  if (object == nullptr || object->kind != Object::Kind::process) return nullptr;
  return std::static_pointer_cast<ProcessObject>(object);
}

State* Call::process_of(u64 handle) {
  const auto process = process_object_of(handle);
  return process != nullptr ? find_process(*state.system, process->id) : nullptr;
}

u64 Call::end_process(u32 code) {
  state.exit_code = code;
  outcome_ = CallOutcome::ended;
  return kNoAnswer;
}

u64 Call::end_this_thread(u32 code) {
  end_thread(state, thread, code, now_ns);
  outcome_ = CallOutcome::thread_ended;
  return count_living_threads(state) != 0 ? kNoAnswer : end_process(code);
}

void Call::end_with(u64 answer) const {
  if (bad_pointer_) answer = kAccessViolation;
  if (answer != kNoAnswer) thread.registers.x[0] = answer;
}

u64 Call::crash(std::string why) {
  state.exit_code = kNotImplemented;
  state.lacked = true;
  state.crash_text = std::move(why);
  outcome_ = CallOutcome::crashed;
  return kNoAnswer;
}

u64 Call::refuse(const std::string& why) {
  return crash(std::string(name) + ": " + why);
}

u64 Call::lack(const std::string& thing) {
  return crash("it called " + thing + ", which the Windows of the simulated machine does not have");
}

}  // namespace wperf::sim::nt
