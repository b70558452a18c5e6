// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/registry.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "sim/nt/file_facts.h"
#include "sim/nt/state.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

struct Split {
  std::string_view parent, last;
};

Split split_last(std::string_view path) {
  const usize slash = path.rfind('\\');
  if (slash == std::string_view::npos) return {{}, path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

bool comes_before(std::string_view left, std::string_view right) {
  return in_lower_case(std::string(left)) < in_lower_case(std::string(right));
}

template <class Keys>
auto place_of_key(Keys& keys, std::string_view name) {
  return std::lower_bound(keys.begin(), keys.end(), name,
                          [](const auto& key, std::string_view wanted) { return comes_before(key->name, wanted); });
}

template <class Values>
auto place_of_value(Values& values, std::string_view name) {
  return std::lower_bound(values.begin(), values.end(), name, [](const RegistryValue& value, std::string_view wanted) {
    return comes_before(value.name, wanted);
  });
}

std::vector<u8> data_of(std::string_view text) {
  std::vector<u16> units = to_utf16(text);
  units.push_back(0);
  const auto* const bytes = reinterpret_cast<const u8*>(units.data());
  return {bytes, bytes + units.size() * sizeof(u16)};
}

}  // namespace

std::string_view vendor_of(const ProcessorFacts& processor) {
  switch (processor.midr >> 24 & 0xff) {
    case 0x41:
      return "Arm Limited";
    case 0x51:
      return "Qualcomm Inc";
    case 0x6d:
      return "Microsoft Corporation";
    case 0xc0:
      return "Ampere Computing";
    default:
      return "";
  }
}

std::string identifier_of(const ProcessorFacts& processor) {
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "ARMv8 (64-bit) Family 8 Model %3X Revision %3X", processor.part(),
                processor.revision());
  return text.data();
}

std::shared_ptr<RegistryKey> RegistryKey::find_key(std::string_view part) const {
  const auto found = place_of_key(keys, part);
  return found != keys.end() && same_ignoring_case((*found)->name, part) ? *found : nullptr;
}

const RegistryValue* RegistryKey::find_value(std::string_view wanted) const {
  const auto found = place_of_value(values, wanted);
  return found != values.end() && same_ignoring_case(found->name, wanted) ? &*found : nullptr;
}

std::shared_ptr<RegistryKey> Registry::find(std::string_view path) const {
  if (!path.starts_with('\\')) return nullptr;
  std::shared_ptr<RegistryKey> key;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('\\'));
    path.remove_prefix(part.size());
    key = (key == nullptr ? root_ : *key).find_key(part);
    if (key == nullptr) return nullptr;
  }
  return key;
}

Registry::Problem Registry::create(std::string_view path, std::shared_ptr<RegistryKey>& key, bool& is_new) {
  is_new = false;
  key = find(path);
  if (key != nullptr) return Problem::none;
  const Split parts = split_last(path);
  const std::shared_ptr<RegistryKey> parent = find(parts.parent);
  if (parent == nullptr) return Problem::not_found;
  if (parts.last.empty() || parts.last.size() > kLongestName) return Problem::bad_name;
  if (keys_ >= kMostKeys || bytes_ + parts.last.size() > kMostBytes) return Problem::full;
  key = std::make_shared<RegistryKey>();
  key->name = parts.last;
  parent->keys.insert(place_of_key(parent->keys, parts.last), key);
  ++keys_;
  bytes_ += key->name.size();
  is_new = true;
  return Problem::none;
}

Registry::Problem Registry::set(RegistryKey& key, RegistryValue value) {
  if (value.name.size() > kLongestValueName) return Problem::bad_name;
  const auto place = place_of_value(key.values, value.name);
  const bool is_there = place != key.values.end() && same_ignoring_case(place->name, value.name);
  const u64 before = is_there ? place->name.size() + place->data.size() : 0;
  const u64 after = value.name.size() + value.data.size();
  if (value.data.size() > kMostValueBytes || bytes_ - before + after > kMostBytes ||
      (!is_there && key.values.size() >= kMostKeys)) {
    return Problem::full;
  }
  bytes_ += after - before;
  if (is_there) {
    *place = std::move(value);
  } else {
    key.values.insert(place, std::move(value));
  }
  return Problem::none;
}

Registry::Problem Registry::remove_value(RegistryKey& key, std::string_view name) {
  const auto place = place_of_value(key.values, name);
  if (place == key.values.end() || !same_ignoring_case(place->name, name)) return Problem::not_found;
  bytes_ -= place->name.size() + place->data.size();
  key.values.erase(place);
  return Problem::none;
}

Registry::Problem Registry::remove(std::string_view path) {
  const Split parts = split_last(path);
  const std::shared_ptr<RegistryKey> key = find(path), parent = find(parts.parent);
  if (key == nullptr || parent == nullptr) return Problem::not_found;
  if (!key->keys.empty()) return Problem::has_keys;
  for (const RegistryValue& value : key->values) bytes_ -= value.name.size() + value.data.size();
  bytes_ -= key->name.size();
  --keys_;
  key->values.clear();
  key->is_deleted = true;
  parent->keys.erase(place_of_key(parent->keys, key->name));
  return Problem::none;
}

bool Registry::watch(Watch watch) {
  constexpr usize kMost = 4096;
  std::erase_if(watches_, [](const Watch& one) { return one.event.expired(); });
  if (watches_.size() >= kMost) return false;
  watches_.push_back(std::move(watch));
  return true;
}

std::vector<std::shared_ptr<Object>> Registry::changed(std::string_view path) {
  std::vector<std::shared_ptr<Object>> events;
  std::erase_if(watches_, [&](const Watch& one) {
    const bool is_above = path.size() > one.path.size() && path[one.path.size()] == '\\' && one.with_subkeys;
    if (!same_ignoring_case(path, one.path) &&
        !(is_above && same_ignoring_case(path.substr(0, one.path.size()), one.path))) {
      return false;
    }
    if (auto event = one.event.lock()) events.push_back(std::move(event));
    return true;
  });
  return events;
}

RegistryKey& Registry::make(std::string_view path) {
  RegistryKey* key = &root_;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('\\'));
    path.remove_prefix(part.size());
    std::shared_ptr<RegistryKey> next = key->find_key(part);
    if (next == nullptr) {
      next = std::make_shared<RegistryKey>();
      next->name = part;
      key->keys.insert(place_of_key(key->keys, part), next);
      ++keys_;
      bytes_ += part.size();
    }
    key = next.get();
  }
  return *key;
}

void Registry::add(std::string_view path, std::string_view name, std::string_view text, u32 type) {
  (void)set(make(path), {std::string(name), type, data_of(text)});
}
void Registry::add(std::string_view path, std::string_view name, u32 number) {
  const auto* const bytes = reinterpret_cast<const u8*>(&number);
  (void)set(make(path), {std::string(name), RegistryValue::kNumber, {bytes, bytes + sizeof number}});
}

// The keys that Windows fills when it starts.
void Registry::add_processors(const std::vector<ProcessorFacts>& processors) {
  const std::string folder = "\\Registry\\Machine\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\";
  for (usize index = 0; index < processors.size(); ++index) {
    const ProcessorFacts& facts = processors[index];
    const std::string path = folder + std::to_string(index);
    add(path, "ProcessorNameString", facts.name);
    add(path, "Identifier", identifier_of(facts));
    add(path, "VendorIdentifier", vendor_of(facts));
    add(path, "~MHz", facts.mhz);
    const auto* const midr = reinterpret_cast<const u8*>(&facts.midr);
    (void)set(make(path), {"CP 4000", RegistryValue::kLongNumber, {midr, midr + sizeof facts.midr}});
  }
}

// The version is Windows 11 24H2, whose registry still has the product's earlier name.
void Registry::add_version() {
  constexpr u32 kRevision = 1742;  // of the version that was first sold
  const std::string version = "\\Registry\\Machine\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
  const std::string build = std::to_string(kBuild), branch = ".ge_release.240331-1435";
  add(version, "BuildBranch", "ge_release");
  add(version, "BuildLab", build + branch);
  add(version, "BuildLabEx", build + ".1.arm64fre" + branch);
  add(version, "CurrentBuild", build);
  add(version, "CurrentBuildNumber", build);
  add(version, "CurrentMajorVersionNumber", 10);
  add(version, "CurrentMinorVersionNumber", u32{0});
  add(version, "CurrentType", "Multiprocessor Free");
  add(version, "CurrentVersion", "6.3");
  add(version, "DisplayVersion", "24H2");
  add(version, "EditionID", "Professional");
  add(version, "InstallationType", "Client");
  add(version, "InstallDate", static_cast<u32>(kBootTime / kTicksPerSecond - kSecondsTo1970));
  add(version, "ProductName", "Windows 10 Pro");
  add(version, "ReleaseId", "2009");
  add(version, "SystemRoot", "C:\\windows");
  add(version, "UBR", kRevision);
}

// Settings of a fresh Windows.
void Registry::add_settings() {
  const std::string machine = "\\Registry\\Machine\\", control = machine + "SYSTEM\\CurrentControlSet\\Control\\";
  const std::string environment = control + "Session Manager\\Environment";
  add(environment, "ComSpec", "%SystemRoot%\\system32\\cmd.exe", RegistryValue::kExpandableText);
  add(environment, "OS", "Windows_NT");
  add(environment, "Path", "%SystemRoot%\\system32;%SystemRoot%", RegistryValue::kExpandableText);
  add(environment, "PATHEXT", ".COM;.EXE;.BAT;.CMD");
  add(environment, "PROCESSOR_ARCHITECTURE", "ARM64");
  add(environment, "windir", "%SystemRoot%", RegistryValue::kExpandableText);
  add(control + "FileSystem", "LongPathsEnabled", u32{0});
  for (const char* const name : {"Default", "InstallLanguage"}) add(control + "Nls\\Language", name, "0409");
  const std::string firmware = machine + "HARDWARE\\DESCRIPTION\\System\\BIOS";
  for (const char* const name : {"BIOSVendor", "SystemManufacturer"}) add(firmware, name, "wperf");
  add(firmware, "SystemProductName", "simulated machine");
}

Registry::Registry(const std::vector<ProcessorFacts>& processors) {
  add_processors(processors);
  const std::string machine = "\\Registry\\Machine\\", software = machine + "SOFTWARE\\";
  for (const auto& [ending, type] : {std::pair{"css", "text/css"},
                                     {"html", "text/html"},
                                     {"js", "text/javascript"},
                                     {"json", "application/json"},
                                     {"png", "image/png"},
                                     {"txt", "text/plain"}}) {
    add(software + "Classes\\." + ending, "Content Type", type);
  }

  // Without these providers, programs that use the older cryptographic interface get no random numbers.
  const std::string cryptography = software + "Microsoft\\Cryptography", providers = cryptography + "\\Defaults\\";
  add(cryptography, "MachineGuid", "7c1d3a52-9e0b-4f6e-8a47-2b5d60c9f318");
  for (const auto& [provider, number] : {std::pair{"Microsoft Strong Cryptographic Provider", 1U},
                                         {"Microsoft Enhanced RSA and AES Cryptographic Provider", 24U}}) {
    add(providers + "Provider\\" + provider, "Image Path", "C:\\windows\\system32\\rsaenh.dll");
    add(providers + "Provider\\" + provider, "Type", number);
    const std::string type = providers + "Provider Types\\Type " + (number == 1 ? "001" : "024");
    add(type, "Name", provider);
    add(type, "TypeName", number == 1 ? "RSA Full (Signature and Key Exchange)" : "RSA Full and AES");
  }

  add_version();
  const std::string version = software + "Microsoft\\Windows NT\\CurrentVersion";
  const std::string utc = version + "\\Time Zones\\UTC";
  add(utc, "Display", "(UTC) Coordinated Universal Time");
  add(utc, "Dlt", "UTC");
  add(utc, "Std", "UTC");
  constexpr usize kRules = 44;  // the bytes of REG_TZI_FORMAT: no bias, no daylight saving time
  (void)set(make(utc), {"TZI", RegistryValue::kBinary, std::vector<u8>(kRules)});
  add(version + "\\ProfileList", "ProfilesDirectory", "%SystemDrive%\\users", RegistryValue::kExpandableText);
  add(version + "\\ProfileList", "ProgramData", "%SystemDrive%\\ProgramData", RegistryValue::kExpandableText);
  add(version + "\\ProfileList", "Public", "%SystemDrive%\\users\\Public", RegistryValue::kExpandableText);
  add(version + "\\ProfileList\\" + std::string(kUserSidText), "ProfileImagePath", "%SystemDrive%\\users\\user",
      RegistryValue::kExpandableText);
  add(software + "Microsoft\\Windows\\CurrentVersion", "ProgramFilesDir", "C:\\Program Files");
  add(software + "Microsoft\\Windows\\CurrentVersion", "CommonFilesDir", "C:\\Program Files\\Common Files");

  const std::string control = machine + "SYSTEM\\CurrentControlSet\\";
  add(control + "Control\\ComputerName\\ActiveComputerName", "ComputerName", kComputerName);
  add(control + "Control\\ComputerName\\ComputerName", "ComputerName", kComputerName);
  const std::string network = control + "Services\\Tcpip\\Parameters";
  for (const char* const name : {"Domain", "NV Domain"}) add(network, name, "");
  for (const char* const name : {"Hostname", "NV Hostname"}) add(network, name, kComputerName);

  add_settings();
  const std::string user = "\\Registry\\User\\" + std::string(kUserSidText);
  for (const char* const key : {"\\Environment", "\\Software\\Microsoft", "\\Volatile Environment"})
    (void)make(user + key);
  (void)make("\\Registry\\User\\.Default");
}

}  // namespace wperf::sim::nt
