// SPDX-License-Identifier: BSD-3-Clause
// Creates, opens and changes the objects that threads wait for: events, semaphores, mutants, timers. Duplicates and
// closes handles of all objects.
#include <algorithm>
#include <array>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {

static constexpr u64 kIgnoresCase = 0x40;  // OBJ_CASE_INSENSITIVE

u64 create_named(Call& call, const ObjectPointer& made) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  if (name.text.empty()) return call.give_handle(call.argument(0), made);
  const ObjectPointer before = find_name(*call.state.system, name.text, (name.attributes & kIgnoresCase) != 0);
  if (before == nullptr) {
    made->name = name.text;
    if (!keep_name(call.state, name.text, made)) return kInsufficientResources;
    return call.give_handle(call.argument(0), made);
  }
  constexpr u64 kOpenIf = 0x80;
  if (before->kind != made->kind) return kObjectTypeMismatch;
  if ((name.attributes & kOpenIf) == 0) return kObjectNameCollision;
  const Status status = call.give_handle(call.argument(0), before);
  return status == kSuccess ? kObjectNameExists : status;
}

// Windows' events for low and for high free memory; the machine always has much free memory. Returns null for other
// names.
static ObjectPointer memory_event(std::string_view name) {
  const bool is_low = same_ignoring_case(name, "\\KernelObjects\\LowMemoryCondition");
  if (!is_low && !same_ignoring_case(name, "\\KernelObjects\\HighMemoryCondition")) return nullptr;
  auto event = std::make_shared<Event>(false);
  event->signalled = !is_low;
  return event;
}

u64 open_named(Call& call, Object::Kind kind) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  if (kind == Object::Kind::event) {
    if (const ObjectPointer event = memory_event(name.text)) return call.give_handle(call.argument(0), event);
  }
  const ObjectPointer object = find_name(*call.state.system, name.text, (name.attributes & kIgnoresCase) != 0);
  if (object == nullptr) return kObjectNameNotFound;
  return object->kind == kind ? call.give_handle(call.argument(0), object) : kObjectTypeMismatch;
}

Status signal(Call& call, Object& object) {
  switch (object.kind) {
    case Object::Kind::event:
      object.signalled = true;
      break;
    case Object::Kind::semaphore: {
      auto& semaphore = static_cast<Semaphore&>(object);
      if (semaphore.count == semaphore.most) return kSemaphoreLimit;
      ++semaphore.count;
      break;
    }
    case Object::Kind::mutant: {
      auto& mutant = static_cast<Mutant&>(object);
      if (mutant.owner != call.thread.id) return kMutantNotOwned;
      if (--mutant.depth == 0) mutant.owner = 0;
      break;
    }
    default:
      return kObjectTypeMismatch;
  }
  wake_waiters(*call.state.system, object, call.now_ns);
  return kSuccess;
}

namespace {

template <class T>
u64 open_named_as(Call& call) {
  return open_named(call, T::kKind);
}

// arguments: handle, access, attributes, type (1: resets itself), signalled
u64 create_event(Call& call) {
  auto event = std::make_shared<Event>(call.argument32(3) == 1);
  event->signalled = (call.argument32(4) & 0xff) != 0;
  return create_named(call, event);
}

u64 change_event(Call& call, bool signalled) {
  const auto event = call.state.handles.at<Event>(call.argument(0));
  if (event == nullptr) return kInvalidHandle;
  const u32 before = event->signalled ? 1 : 0;
  if (!call.put_if_wanted(call.argument(1), before)) return 0;
  if (signalled) return signal(call, *event);
  event->signalled = false;
  return kSuccess;
}

u64 set_event(Call& call) {
  return change_event(call, true);
}
u64 reset_event(Call& call) {
  return change_event(call, false);
}
u64 clear_event(Call& call) {
  const auto event = call.state.handles.at<Event>(call.argument(0));
  if (event == nullptr) return kInvalidHandle;
  event->signalled = false;
  return kSuccess;
}

// arguments: handle, access, attributes, count, most
u64 create_semaphore(Call& call) {
  const u32 count = call.argument32(3), most = call.argument32(4);
  if (most == 0 || most > INT32_MAX || count > most) return kInvalidParameter;
  return create_named(call, std::make_shared<Semaphore>(count, most));
}

// arguments: handle, count, previous count
u64 release_semaphore(Call& call) {
  const auto semaphore = call.state.handles.at<Semaphore>(call.argument(0));
  if (semaphore == nullptr) return kInvalidHandle;
  const u32 more = call.argument32(1);
  if (more == 0 || more > semaphore->most - semaphore->count) return kSemaphoreLimit;
  if (!call.put_if_wanted(call.argument(2), semaphore->count)) return 0;
  semaphore->count += more;
  wake_waiters(*call.state.system, *semaphore, call.now_ns);
  return kSuccess;
}

// arguments: handle, access, attributes, owned at first
u64 create_mutant(Call& call) {
  auto mutant = std::make_shared<Mutant>();
  if ((call.argument32(3) & 0xff) != 0) {
    mutant->owner = call.thread.id;
    mutant->depth = 1;
  }
  return create_named(call, mutant);
}

u64 release_mutant(Call& call) {
  const auto mutant = call.state.handles.at<Mutant>(call.argument(0));
  if (mutant == nullptr) return kInvalidHandle;
  const u32 before = 1 - mutant->depth;
  const Status status = signal(call, *mutant);
  return status != kSuccess || call.put_if_wanted(call.argument(1), before) ? status : kAccessViolation;
}

// arguments: handle, access, attributes, type (1: resets itself)
u64 create_timer(Call& call) {
  return create_named(call, std::make_shared<Timer>(call.argument32(3) == 1));
}

// arguments: handle, due time, routine, its context, wake the machine, period in ms, previous state
u64 set_timer(Call& call) {
  const auto timer = call.state.handles.at<Timer>(call.argument(0));
  if (timer == nullptr) return kInvalidHandle;
  u64 due_ns = 0;
  if (call.argument(1) == 0 || !read_deadline(call, call.argument(1), due_ns)) return kAccessViolation;
  const u8 before = timer->signalled ? 1 : 0;
  if (!call.put_if_wanted(call.argument(6), before)) return 0;
  timer->signalled = false;
  timer->due_ns = due_ns;
  timer->period_ns = u64{call.argument32(5)} * 1'000'000;
  timer->routine = call.argument(2);
  timer->context = call.argument(3);
  timer->owed_ns = kNever;
  auto& timers = call.thread.timers;
  const auto is_this = [&](const std::weak_ptr<Timer>& one) { return one.lock() == timer; };
  if (timer->routine != 0 && std::ranges::none_of(timers, is_this)) timers.push_back(timer);
  timer->caller = call.thread.id;
  wake_waiters(*call.state.system, *timer, call.now_ns);
  return kSuccess;
}

// arguments: handle, previous state
u64 cancel_timer(Call& call) {
  const auto timer = call.state.handles.at<Timer>(call.argument(0));
  if (timer == nullptr) return kInvalidHandle;
  const u8 before = timer->signalled ? 1 : 0;
  if (!call.put_if_wanted(call.argument(1), before)) return 0;
  timer->due_ns = timer->owed_ns = kNever;
  timer->period_ns = 0;
  wake_waiters(*call.state.system, *timer, call.now_ns);
  return kSuccess;
}

// The state of an object. arguments: handle, class (0), buffer, its size, size used
template <class T, class Describe>
u64 query(Call& call, const Describe& describe) {
  const auto object = call.state.handles.at<T>(call.argument(0));
  if (object == nullptr) return kInvalidHandle;
  if (call.argument32(1) != 0) return kInvalidInfoClass;
  const auto answer = describe(*object);
  return call.answer_with(call.argument(2), call.argument32(3), &answer, sizeof answer, call.argument(4));
}

u64 query_event(Call& call) {
  return query<Event>(call, [](const Event& event) {
    return std::array<u32, 2>{event.resets_itself ? 1u : 0u, event.signalled ? 1u : 0u};
  });
}
u64 query_semaphore(Call& call) {
  return query<Semaphore>(call, [](const Semaphore& one) { return std::array<u32, 2>{one.count, one.most}; });
}
u64 query_mutant(Call& call) {
  return query<Mutant>(call, [&](const Mutant& mutant) {
    struct {
      u32 count;
      u8 is_own, abandoned, zeros[2];
    } answer{1 - mutant.depth, u8{mutant.owner == call.thread.id}, u8{mutant.abandoned}, {}};
    return answer;
  });
}
u64 query_timer(Call& call) {
  return query<Timer>(call, [&](const Timer& timer) {
    struct {
      std::int64_t remaining;
      u8 signalled, zeros[7];
    } answer{0, u8{timer.signalled || timer.due_ns <= call.now_ns}, {}};
    if (timer.due_ns != kNever && timer.due_ns > call.now_ns)
      answer.remaining = static_cast<std::int64_t>((timer.due_ns - call.now_ns) / kNsPerTick);
    return answer;
  });
}

// Ends the waits of the threads that wait now.
u64 pulse_event(Call& call) {
  const u64 status = change_event(call, true);
  if (status == kSuccess) call.state.handles.at<Event>(call.argument(0))->signalled = false;
  return status;
}

u64 compare(Call& call) {
  const ObjectPointer first = call.object_of(call.argument(0)), second = call.object_of(call.argument(1));
  if (first == nullptr || second == nullptr) return kInvalidHandle;
  return first == second ? kSuccess : kNotSameObject;
}

u64 create_directory(Call& call) {
  return create_named(call, std::make_shared<Directory>());
}

u64 open_directory(Call& call) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  const ObjectPointer known = find_name(*call.state.system, name.text, (name.attributes & kIgnoresCase) != 0);
  if (known != nullptr && known->kind == Object::Kind::directory) return call.give_handle(call.argument(0), known);
  auto directory = std::make_shared<Directory>();
  directory->name = name.text;
  return call.give_handle(call.argument(0), directory);
}

// The directory of the names of drives and devices.
bool lists_devices(std::string_view name) {
  if (name.ends_with('\\')) name.remove_suffix(1);
  constexpr std::array<std::string_view, 4> kNames = {"\\??", "\\DosDevices", "\\GLOBAL??", "\\DosDevices\\Global"};
  return std::ranges::any_of(kNames, [&](std::string_view one) { return same_ignoring_case(name, one); });
}

// Puts a name and its type into a directory's answer, as OBJECT_DIRECTORY_INFORMATION with the entry of zeros that ends
// the list. Returns the size of both.
u64 put_directory_entry(Call& call, u64 buffer, u64 room, std::string_view name) {
  constexpr u64 kEntry = 32, kEnd = 32;
  const std::vector<u16> name_units = to_utf16(name), type_units = to_utf16("SymbolicLink");
  const u64 name_size = name_units.size() * 2, type_size = type_units.size() * 2;
  const u64 name_at = buffer + kEntry + kEnd, type_at = name_at + name_size + 2,
            size = type_at + type_size + 2 - buffer;
  if (size > room) return size;
  const u64 texts[8] = {name_size | (name_size + 2) << 16, name_at, type_size | (type_size + 2) << 16, type_at};
  const u16 zero = 0;
  (void)(call.put(buffer, texts) && call.write(name_at, name_units.data(), name_size) &&
         call.put(name_at + name_size, zero) && call.write(type_at, type_units.data(), type_size) &&
         call.put(type_at + type_size, zero));
  return size;
}

// Each call returns one name of the drives and devices; other directories count as empty. arguments: directory, buffer,
// its size, whether only one entry, whether from the start, position (in and out), size used
u64 query_directory(Call& call) {
  constexpr std::array<std::string_view, 3> kDevices = {"C:", "NUL", "PIPE"};
  constexpr Status kMoreEntries = 0x105;
  const auto directory = call.state.handles.at<Directory>(call.argument(0));
  if (directory == nullptr) return kInvalidHandle;
  u32 position = 0;
  const bool from_start = (call.argument32(4) & 0xff) != 0;
  if (!from_start && !call.get(call.argument(5), position)) return 0;
  if (!lists_devices(directory->name) || position >= kDevices.size()) return kNoMoreEntries;
  const u64 room = call.argument32(2);
  const u64 size = put_directory_entry(call, call.argument(1), room, kDevices[position]);
  if (!call.put_if_wanted(call.argument(6), static_cast<u32>(size))) return 0;
  if (size > room) return kBufferTooSmall;
  if (!call.put(call.argument(5), ++position)) return 0;
  const bool is_one = (call.argument32(3) & 0xff) != 0;
  return is_one || position == kDevices.size() ? kSuccess : kMoreEntries;
}

// Returns `status`, unless the closed handle ends the calling process.
u64 close_in(Call& call, State& process, u64 handle, Status status) {
  constexpr u64 kHandleNotClosable = 0xc0000235;
  ObjectPointer closed = process.handles.at(handle);
  if (process.handles.is_protected(handle)) return kHandleNotClosable;
  const File* const file =
      closed != nullptr && closed->kind == Object::Kind::file ? static_cast<const File*>(closed.get()) : nullptr;
  const bool may_be_locked = file != nullptr && file->uses != nullptr;
  if (!process.handles.close(handle)) return kInvalidHandle;
  if (close_job(*call.state.system, closed, call.state.process_id)) return call.end_process(0);
  const File::Type type = file != nullptr ? file->type : File::Type::null;
  const bool is_last = closed->handles == 0;
  const bool was_watched = file != nullptr && file->watch != nullptr && is_last;
  closed = nullptr;
  if (was_watched) end_closed_watches(*call.state.system, call.now_ns);
  if (type == File::Type::pipe) go_on_with_pipes(*call.state.system, call.now_ns);
  if (type == File::Type::socket) go_on_with_sockets(*call.state.system, call.now_ns);
  if (may_be_locked && is_last) go_on_with_locks(*call.state.system, call.now_ns, file);
  return status;
}

u64 close_handle(Call& call) {
  return close_in(call, call.state, call.argument(0), kSuccess);
}

// arguments: source process, handle, target process, new handle, access, attributes, options
u64 duplicate(Call& call) {
  constexpr u32 kCloseSource = 1, kSameAttributes = 4, kInherit = 2;
  State* const from = call.process_of(call.argument(0));
  if (from == nullptr) return kInvalidHandle;
  const bool is_own = from == &call.state;
  const ObjectPointer object = is_own ? call.object_of(call.argument(1)) : from->handles.at(call.argument(1));
  if (object == nullptr) return kInvalidHandle;
  Status status = kSuccess;
  const u32 options = call.argument32(6);
  if (call.argument(3) != 0) {
    State* const to = call.process_of(call.argument(2));
    if (to == nullptr) return kInvalidHandle;
    const bool inherits = (options & kSameAttributes) != 0 ? from->handles.inherits(call.argument(1))
                                                           : (call.argument32(5) & kInherit) != 0;
    const u64 handle = to->handles.add(object, inherits);
    if (handle == 0) return kInsufficientResources;
    if (!call.put(call.argument(3), handle)) {
      to->handles.close(handle);
      status = kAccessViolation;
    }
  }
  const bool closes = (options & kCloseSource) != 0 && from->handles.at(call.argument(1)) != nullptr;
  return closes ? close_in(call, *from, call.argument(1), status) : status;
}

constexpr Service kObjects[] = {
    {"NtCreateEvent", create_event},
    {"NtOpenEvent", open_named_as<Event>},
    {"NtSetEvent", set_event},
    {"NtResetEvent", reset_event},
    {"NtClearEvent", clear_event},
    {"NtPulseEvent", pulse_event},
    {"NtQueryEvent", query_event},
    {"NtCreateSemaphore", create_semaphore},
    {"NtQuerySemaphore", query_semaphore},
    {"NtOpenSemaphore", open_named_as<Semaphore>},
    {"NtReleaseSemaphore", release_semaphore},
    {"NtCreateMutant", create_mutant},
    {"NtOpenMutant", open_named_as<Mutant>},
    {"NtReleaseMutant", release_mutant},
    {"NtQueryMutant", query_mutant},
    {"NtCreateTimer", create_timer},
    {"NtOpenTimer", open_named_as<Timer>},
    {"NtSetTimer", set_timer},
    {"NtCancelTimer", cancel_timer},
    {"NtQueryTimer", query_timer},
    {"NtCreateDirectoryObject", create_directory},
    {"NtOpenDirectoryObject", open_directory},
    {"NtQueryDirectoryObject", query_directory},
    {"NtClose", close_handle},
    {"NtDuplicateObject", duplicate},
    {"NtCompareObjects", compare},
};

}  // namespace

std::span<const Service> object_services() {
  return kObjects;
}

}  // namespace wperf::sim::nt
