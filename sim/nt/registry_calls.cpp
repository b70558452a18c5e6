// SPDX-License-Identifier: BSD-3-Clause
// The system calls of the registry.
#include <algorithm>
#include <vector>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

// Fills a structure of the registry: numbers, and a name or data at its end.
class Record {
 public:
  Record& add(u32 number) { return add(&number, sizeof number); }
  Record& add(const std::vector<u16>& text) { return add(text.data(), text.size() * sizeof(u16)); }
  Record& add(const void* bytes, usize size) {
    const auto* const begin = static_cast<const u8*>(bytes);
    bytes_.insert(bytes_.end(), begin, begin + size);
    return *this;
  }
  // Answers with as many bytes as fit, but at least `head`.
  u64 answer(Call& call, u64 buffer, u32 room, u64 size_at, usize head) const {
    if (!call.put_if_wanted(size_at, static_cast<u32>(bytes_.size()))) return kAccessViolation;
    if (room < head) return kBufferTooSmall;
    if (!call.write(buffer, bytes_.data(), std::min<usize>(room, bytes_.size()))) return kAccessViolation;
    return room < bytes_.size() ? kBufferOverflow : kSuccess;
  }

 private:
  std::vector<u8> bytes_;
};

u32 bytes_of(const std::vector<u16>& text) {
  return static_cast<u32>(text.size() * sizeof(u16));
}

Registry& registry_of(Call& call) {
  if (call.state.registry == nullptr) call.state.registry = std::make_shared<Registry>(call.state.system->processors);
  return *call.state.registry;
}

Status read_path(Call& call, std::string& path) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  while (name.text.ends_with('\\')) name.text.pop_back();
  path = std::move(name.text);
  return kSuccess;
}

// Signals the events of programs that watch this key.
void tell_watchers(Call& call, std::string_view path) {
  for (const auto& event : registry_of(call).changed(path)) (void)signal(call, *event);
}

Status status_of(Registry::Problem problem) {
  switch (problem) {
    case Registry::Problem::none:
      return kSuccess;
    case Registry::Problem::not_found:
      return kObjectNameNotFound;
    case Registry::Problem::bad_name:
      return kObjectNameInvalid;
    case Registry::Problem::has_keys:
      return kCannotDelete;
    case Registry::Problem::full:
      break;
  }
  return kInsufficientResources;
}

u64 open_key(Call& call) {
  std::string path;
  if (const Status status = read_path(call, path); status != kSuccess) return status;
  auto key = registry_of(call).find(path);
  if (key == nullptr) return kObjectNameNotFound;
  return call.give_handle(call.argument(0), std::make_shared<Key>(std::move(path), std::move(key)));
}

// arguments: handle, access, attributes, index, class, options, disposition
u64 create_key(Call& call) {
  constexpr u32 kLink = 2, kCreatedNewKey = 1, kOpenedExistingKey = 2;
  if ((call.argument32(5) & kLink) != 0) return call.lack("links in the registry");
  std::string path;
  if (const Status status = read_path(call, path); status != kSuccess) return status;
  std::shared_ptr<RegistryKey> key;
  bool is_new = false;
  if (const auto problem = registry_of(call).create(path, key, is_new); problem != Registry::Problem::none)
    return status_of(problem);
  if (is_new) tell_watchers(call, std::string_view(path).substr(0, path.rfind('\\')));
  const u32 disposition = is_new ? kCreatedNewKey : kOpenedExistingKey;
  if (!call.put_if_wanted(call.argument(6), disposition)) return 0;
  return call.give_handle(call.argument(0), std::make_shared<Key>(std::move(path), std::move(key)));
}

// The key of the handle in the call's first argument, or the status with the reason why the handle cannot be used.
struct KeyCall {
  std::shared_ptr<Key> handle;
  RegistryKey* key = nullptr;
  Status status = kSuccess;

  explicit KeyCall(Call& call) : handle(call.state.handles.at<Key>(call.argument(0))) {
    if (handle == nullptr) {
      status = kInvalidHandle;
    } else if (handle->key->is_deleted) {
      status = kKeyDeleted;
    } else {
      key = handle->key.get();
    }
  }
};

// arguments: key, class, buffer, its size, size used
u64 query_key(Call& call) {
  constexpr u32 kFull = 2, kName = 3;
  const KeyCall known(call);
  if (known.key == nullptr) return known.status;
  const u64 buffer = call.argument(2), size_at = call.argument(4);
  const u32 room = call.argument32(3);
  if (call.argument32(1) == kName) {
    const std::vector<u16> name = to_utf16(known.handle->name);
    return Record().add(bytes_of(name)).add(name).answer(call, buffer, room, size_at, sizeof(u32));
  }
  if (call.argument32(1) != kFull) return kInvalidInfoClass;
  u32 key_name = 0, value_name = 0, value_data = 0;
  for (const auto& key : known.key->keys) key_name = std::max(key_name, bytes_of(to_utf16(key->name)));
  for (const RegistryValue& value : known.key->values) {
    value_name = std::max(value_name, bytes_of(to_utf16(value.name)));
    value_data = std::max(value_data, static_cast<u32>(value.data.size()));
  }
  Record record;
  record.add(0).add(0).add(0).add(~0U).add(0);  // time of the last write, index, class
  record.add(static_cast<u32>(known.key->keys.size())).add(key_name).add(0);
  record.add(static_cast<u32>(known.key->values.size())).add(value_name).add(value_data);
  return record.answer(call, buffer, room, size_at, 44);
}

// arguments: key, index, class, buffer, its size, size used
u64 enumerate_key(Call& call) {
  constexpr u32 kBasic = 0, kNode = 1;
  const KeyCall known(call);
  if (known.key == nullptr) return known.status;
  if (call.argument32(1) >= known.key->keys.size()) return kNoMoreEntries;
  const std::vector<u16> name = to_utf16(known.key->keys[call.argument32(1)]->name);
  Record record;
  record.add(0).add(0).add(0);
  if (call.argument32(2) == kNode) {
    record.add(~0U).add(0);
  } else if (call.argument32(2) != kBasic) {
    return kInvalidInfoClass;
  }
  const usize head = call.argument32(2) == kNode ? 24 : 16;
  record.add(bytes_of(name)).add(name);
  return record.answer(call, call.argument(3), call.argument32(4), call.argument(5), head);
}

// The arguments from the third on: class, buffer, its size, size used.
u64 answer_value(Call& call, const RegistryValue& value) {
  constexpr u32 kBasic = 0, kFull = 1, kPartial = 2;
  constexpr u32 kShortHead = 12, kFullHead = 20;
  const std::vector<u16> name = to_utf16(value.name);
  const std::vector<u8>& data = value.data;
  const u32 size = static_cast<u32>(data.size());
  const u32 information_class = call.argument32(2);
  Record record;
  record.add(0).add(value.type);
  switch (information_class) {
    case kBasic:
      record.add(bytes_of(name)).add(name);
      break;
    case kFull:
      record.add(kFullHead + bytes_of(name)).add(size).add(bytes_of(name)).add(name).add(data.data(), data.size());
      break;
    case kPartial:
      record.add(size).add(data.data(), data.size());
      break;
    default:
      return kInvalidInfoClass;
  }
  const usize head = information_class == kFull ? kFullHead : kShortHead;
  return record.answer(call, call.argument(3), call.argument32(4), call.argument(5), head);
}

// arguments: key, name, class, buffer, its size, size used
u64 query_value(Call& call) {
  const KeyCall known(call);
  std::string name;
  if (known.key == nullptr) return known.status;
  if (!call.read_unicode(call.argument(1), name)) return kAccessViolation;
  const RegistryValue* const value = known.key->find_value(name);
  return value != nullptr ? answer_value(call, *value) : u64{kObjectNameNotFound};
}

// arguments: key, index, class, buffer, its size, size used
u64 enumerate_value(Call& call) {
  const KeyCall known(call);
  if (known.key == nullptr) return known.status;
  if (call.argument32(1) >= known.key->values.size()) return kNoMoreEntries;
  return answer_value(call, known.key->values[call.argument32(1)]);
}

// arguments: key, name, index, type, data, size
u64 set_value(Call& call) {
  const KeyCall known(call);
  if (known.key == nullptr) return known.status;
  RegistryValue value;
  if (!call.read_unicode(call.argument(1), value.name)) return kAccessViolation;
  const u32 size = call.argument32(5);
  if (size > Registry::kMostValueBytes) return kInsufficientResources;
  value.type = call.argument32(3);
  value.data.resize(size);
  if (size != 0 && !call.read(call.argument(4), value.data.data(), size)) return 0;
  const Status status = status_of(registry_of(call).set(*known.key, std::move(value)));
  if (status == kSuccess) tell_watchers(call, known.handle->name);
  return status;
}

// arguments: key, name
u64 delete_value(Call& call) {
  const KeyCall known(call);
  std::string name;
  if (known.key == nullptr) return known.status;
  if (!call.read_unicode(call.argument(1), name)) return kAccessViolation;
  const Status status = status_of(registry_of(call).remove_value(*known.key, name));
  if (status == kSuccess) tell_watchers(call, known.handle->name);
  return status;
}

u64 delete_key(Call& call) {
  const KeyCall known(call);
  if (known.key == nullptr) return known.status;
  const std::string path = known.handle->name;
  const Status status = status_of(registry_of(call).remove(path));
  if (status == kSuccess) tell_watchers(call, std::string_view(path).substr(0, path.rfind('\\')));
  return status;
}

u64 flush_key(Call& call) {
  return KeyCall(call).status;
}

// arguments: key, event, routine, context, I/O status, filter, with subkeys, buffer, its size, returns at once
u64 notify_change(Call& call) {
  const KeyCall known(call);
  if (known.key == nullptr) return known.status;
  if ((call.argument32(9) & 0xff) == 0) return call.lack("waits for changes of the registry without an event");
  if (call.argument(2) != 0) return call.lack("routines that are called when the registry changes");
  const auto event = call.state.handles.at<Event>(call.argument(1));
  if (event == nullptr) return kInvalidHandle;
  event->signalled = false;
  if (!registry_of(call).watch({known.handle->name, (call.argument32(6) & 0xff) != 0, event}))
    return kInsufficientResources;
  return kPending;
}

constexpr Service kRegistry[] = {
    {"NtOpenKey", open_key},
    {"NtOpenKeyEx", open_key},
    {"NtCreateKey", create_key},
    {"NtQueryKey", query_key},
    {"NtQueryValueKey", query_value},
    {"NtEnumerateKey", enumerate_key},
    {"NtEnumerateValueKey", enumerate_value},
    {"NtSetValueKey", set_value},
    {"NtDeleteKey", delete_key},
    {"NtDeleteValueKey", delete_value},
    {"NtFlushKey", flush_key},
    {"NtNotifyChangeKey", notify_change},
};

}  // namespace

std::span<const Service> registry_services() {
  return kRegistry;
}

}  // namespace wperf::sim::nt
