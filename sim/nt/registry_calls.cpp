// SPDX-License-Identifier: BSD-3-Clause
// The registry: a few keys of HKEY_LOCAL_MACHINE that programs need. Other keys do not exist, and nothing can be
// written.
#include <algorithm>
#include <vector>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr std::string_view kRoot = "\\Registry\\Machine";

struct Value {
  static constexpr u32 kText = 1, kNumber = 4;  // REG_SZ, REG_DWORD
  std::string_view key, name, text;             // the key without the root
  u32 number = 0;                               // if there is no text

  bool is_text() const { return text.data() != nullptr; }
  u32 type() const { return is_text() ? kText : kNumber; }
  std::vector<u8> data() const {
    std::vector<u16> units = to_utf16(text);
    if (!is_text()) units = {static_cast<u16>(number), static_cast<u16>(number >> 16)};
    if (is_text()) units.push_back(0);
    const auto* const bytes = reinterpret_cast<const u8*>(units.data());
    return {bytes, bytes + units.size() * sizeof(u16)};
  }
};

// Without these providers, programs that use the older cryptographic interface get no random numbers.
#define WPERF_CRYPTOGRAPHY "SOFTWARE\\Microsoft\\Cryptography"
#define WPERF_PROVIDERS WPERF_CRYPTOGRAPHY "\\Defaults\\"
#define WPERF_STRONG "Microsoft Strong Cryptographic Provider"
#define WPERF_ENHANCED "Microsoft Enhanced RSA and AES Cryptographic Provider"
constexpr std::string_view kProviderPath = "C:\\windows\\system32\\rsaenh.dll";
#define WPERF_ZONES "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Time Zones"
#define WPERF_CONTROL "SYSTEM\\CurrentControlSet\\Control\\"
#define WPERF_NETWORK "SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters"
// The values of a key follow each other, and so do its subkeys.
constexpr Value kValues[] = {
    {"SOFTWARE\\Classes\\.css", "Content Type", "text/css"},
    {"SOFTWARE\\Classes\\.html", "Content Type", "text/html"},
    {"SOFTWARE\\Classes\\.js", "Content Type", "text/javascript"},
    {"SOFTWARE\\Classes\\.json", "Content Type", "application/json"},
    {"SOFTWARE\\Classes\\.png", "Content Type", "image/png"},
    {"SOFTWARE\\Classes\\.txt", "Content Type", "text/plain"},
    {WPERF_CRYPTOGRAPHY, "MachineGuid", "7c1d3a52-9e0b-4f6e-8a47-2b5d60c9f318"},
    {WPERF_PROVIDERS "Provider\\" WPERF_STRONG, "Image Path", kProviderPath},
    {WPERF_PROVIDERS "Provider\\" WPERF_STRONG, "Type", {}, 1},
    {WPERF_PROVIDERS "Provider\\" WPERF_ENHANCED, "Image Path", kProviderPath},
    {WPERF_PROVIDERS "Provider\\" WPERF_ENHANCED, "Type", {}, 24},
    {WPERF_PROVIDERS "Provider Types\\Type 001", "Name", WPERF_STRONG},
    {WPERF_PROVIDERS "Provider Types\\Type 001", "TypeName", "RSA Full (Signature and Key Exchange)"},
    {WPERF_PROVIDERS "Provider Types\\Type 024", "Name", WPERF_ENHANCED},
    {WPERF_PROVIDERS "Provider Types\\Type 024", "TypeName", "RSA Full and AES"},
    {WPERF_ZONES "\\UTC", "Dlt", "UTC"},
    {WPERF_ZONES "\\UTC", "Std", "UTC"},
    {WPERF_CONTROL "ComputerName\\ActiveComputerName", "ComputerName", kComputerName},
    {WPERF_CONTROL "ComputerName\\ComputerName", "ComputerName", kComputerName},
    {WPERF_NETWORK, "Domain", ""},
    {WPERF_NETWORK, "Hostname", kComputerName},
    {WPERF_NETWORK, "NV Domain", ""},
    {WPERF_NETWORK, "NV Hostname", kComputerName},
};

// The part of `path` below `key`, without the backslash; empty if it is not below.
std::string_view below(std::string_view path, std::string_view key) {
  if (key.empty()) return path;
  const bool is_below =
      path.size() > key.size() && path[key.size()] == '\\' && same_ignoring_case(path.substr(0, key.size()), key);
  return is_below ? path.substr(key.size() + 1) : std::string_view();
}

struct Contents {
  std::vector<std::string_view> keys;
  std::vector<const Value*> values;
};

// The contents of a key with a full name; both lists are empty if it does not exist.
Contents contents_of(std::string_view name) {
  Contents result;
  std::string_view key = name;
  if (same_ignoring_case(name, kRoot)) {
    key = {};
  } else if (key = below(name, kRoot); key.empty()) {
    return result;
  }
  for (const Value& value : kValues) {
    if (same_ignoring_case(value.key, key)) result.values.push_back(&value);
    const std::string_view rest = below(value.key, key);
    const std::string_view child = rest.substr(0, rest.find('\\'));
    if (!child.empty() && (result.keys.empty() || result.keys.back() != child)) result.keys.push_back(child);
  }
  return result;
}

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

Status open(Call& call) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  while (name.text.ends_with('\\')) name.text.pop_back();
  const Contents found = contents_of(name.text);
  if (found.keys.empty() && found.values.empty()) return kObjectNameNotFound;
  auto key = std::make_shared<Key>();
  key->name = name.text;
  return call.give_handle(call.argument(0), key);
}

u64 open_key(Call& call) {
  return open(call);
}

// arguments: handle, access, attributes, index, class, options, disposition
u64 create_key(Call& call) {
  constexpr u32 kOpenedExistingKey = 2;
  const Status status = open(call);
  if (status == kObjectNameNotFound) return kAccessDenied;
  if (status != kSuccess) return status;
  return call.put_if_wanted(call.argument(6), kOpenedExistingKey) ? kSuccess : kAccessViolation;
}

struct KeyCall {
  std::shared_ptr<Key> key;
  Contents contents;

  explicit KeyCall(Call& call) : key(call.state.handles.at<Key>(call.argument(0))) {
    if (key != nullptr) contents = contents_of(key->name);
  }
};

// arguments: key, class, buffer, its size, size used
u64 query_key(Call& call) {
  constexpr u32 kFull = 2, kName = 3;
  const KeyCall known(call);
  if (known.key == nullptr) return kInvalidHandle;
  const u64 buffer = call.argument(2), size_at = call.argument(4);
  const u32 room = call.argument32(3);
  if (call.argument32(1) == kName) {
    const std::vector<u16> name = to_utf16(known.key->name);
    return Record().add(bytes_of(name)).add(name).answer(call, buffer, room, size_at, sizeof(u32));
  }
  if (call.argument32(1) != kFull) return kInvalidInfoClass;
  u32 key_name = 0, value_name = 0, value_data = 0;
  for (const std::string_view key : known.contents.keys) key_name = std::max(key_name, bytes_of(to_utf16(key)));
  for (const Value* const value : known.contents.values) {
    value_name = std::max(value_name, bytes_of(to_utf16(value->name)));
    value_data = std::max(value_data, static_cast<u32>(value->data().size()));
  }
  Record record;
  record.add(0).add(0).add(0).add(~0U).add(0);  // time of the last write, index, class
  record.add(static_cast<u32>(known.contents.keys.size())).add(key_name).add(0);
  record.add(static_cast<u32>(known.contents.values.size())).add(value_name).add(value_data);
  return record.answer(call, buffer, room, size_at, 44);
}

// arguments: key, index, class, buffer, its size, size used
u64 enumerate_key(Call& call) {
  constexpr u32 kBasic = 0, kNode = 1;
  const KeyCall known(call);
  if (known.key == nullptr) return kInvalidHandle;
  if (call.argument32(1) >= known.contents.keys.size()) return kNoMoreEntries;
  const std::vector<u16> name = to_utf16(known.contents.keys[call.argument32(1)]);
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
u64 answer_value(Call& call, const Value& value) {
  constexpr u32 kBasic = 0, kFull = 1, kPartial = 2;
  constexpr u32 kShortHead = 12, kFullHead = 20;
  const std::vector<u16> name = to_utf16(value.name);
  const std::vector<u8> data = value.data();
  const u32 size = static_cast<u32>(data.size());
  const u32 information_class = call.argument32(2);
  Record record;
  record.add(0).add(value.type());
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
  if (known.key == nullptr) return kInvalidHandle;
  if (!call.read_unicode(call.argument(1), name)) return kAccessViolation;
  for (const Value* const value : known.contents.values)
    if (same_ignoring_case(value->name, name)) return answer_value(call, *value);
  return kObjectNameNotFound;
}

// arguments: key, index, class, buffer, its size, size used
u64 enumerate_value(Call& call) {
  const KeyCall known(call);
  if (known.key == nullptr) return kInvalidHandle;
  if (call.argument32(1) >= known.contents.values.size()) return kNoMoreEntries;
  return answer_value(call, *known.contents.values[call.argument32(1)]);
}

u64 denied(Call& call) {
  return KeyCall(call).key != nullptr ? kAccessDenied : kInvalidHandle;
}

constexpr Service kRegistry[] = {
    {"NtOpenKey", open_key},
    {"NtOpenKeyEx", open_key},
    {"NtCreateKey", create_key},
    {"NtQueryKey", query_key},
    {"NtQueryValueKey", query_value},
    {"NtEnumerateKey", enumerate_key},
    {"NtEnumerateValueKey", enumerate_value},
    {"NtSetValueKey", denied},
    {"NtDeleteKey", denied},
    {"NtDeleteValueKey", denied},
    {"NtNotifyChangeKey", denied},
};

}  // namespace

std::span<const Service> registry_services() {
  return kRegistry;
}

}  // namespace wperf::sim::nt
