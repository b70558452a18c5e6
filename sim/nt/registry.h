// SPDX-License-Identifier: BSD-3-Clause
// The registry that a program and its children see: the keys that programs look up, and the keys that they create. It
// exists as long as these programs.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::sim::nt {

struct Object;

// A core of the machine.
struct ProcessorFacts {
  std::string name;  // "neoverse-n1"
  u64 midr = 0;      // its identification register
  u32 mhz = 0;
  u64 l1i_bytes = 0, l1d_bytes = 0, l2_bytes = 0;
  u64 l3_bytes = 0;  // of its cluster; 0: none
  u32 cluster = 0;

  u16 part() const { return static_cast<u16>(midr >> 4 & 0xfff); }
  // 0x301 for r3p1.
  u16 revision() const { return static_cast<u16>((midr >> 20 & 15) << 8 | (midr & 15)); }
};

// "ARMv8 (64-bit) Family 8 Model D0C Revision 301".
std::string identifier_of(const ProcessorFacts& processor);
std::string_view vendor_of(const ProcessorFacts& processor);

struct RegistryValue {
  // REG_SZ, REG_EXPAND_SZ, REG_BINARY, REG_DWORD, REG_QWORD
  static constexpr u32 kText = 1, kExpandableText = 2, kBinary = 3, kNumber = 4, kLongNumber = 11;
  std::string name;
  u32 type = 0;
  std::vector<u8> data;
};

struct RegistryKey {
  std::string name;  // the last part of its path
  bool is_deleted = false;
  std::vector<std::shared_ptr<RegistryKey>> keys;  // sorted, as Windows lists them
  std::vector<RegistryValue> values;               // sorted

  std::shared_ptr<RegistryKey> find_key(std::string_view part) const;
  const RegistryValue* find_value(std::string_view wanted) const;
};

class Registry {
 public:
  static constexpr usize kMostKeys = 65536, kLongestName = 255, kLongestValueName = 16383, kMostValueBytes = 1 << 20;
  static constexpr u64 kMostBytes = 64 << 20;

  explicit Registry(const std::vector<ProcessorFacts>& processors = {});
  // Paths are like "\Registry\Machine\SOFTWARE". Null if there is no such key.
  std::shared_ptr<RegistryKey> find(std::string_view path) const;

  enum class Problem : u8 { none, not_found, bad_name, full, has_keys };
  // Finds or makes the last key of the path; its parent must exist.
  Problem create(std::string_view path, std::shared_ptr<RegistryKey>& key, bool& is_new);
  Problem set(RegistryKey& key, RegistryValue value);
  Problem remove_value(RegistryKey& key, std::string_view name);
  Problem remove(std::string_view path);

  // An event that is signalled at the next change of the key with this path, or of a key below it.
  struct Watch {
    std::string path;
    bool with_subkeys = false;
    std::weak_ptr<Object> event;
  };
  bool watch(Watch watch);  // false: there are too many
  // Removes and returns the events for a change of this key.
  std::vector<std::shared_ptr<Object>> changed(std::string_view path);

 private:
  void add(std::string_view path, std::string_view name, std::string_view text, u32 type = RegistryValue::kText);
  void add(std::string_view path, std::string_view name, u32 number);
  void add_version();
  void add_settings();
  void add_processors(const std::vector<ProcessorFacts>& processors);
  RegistryKey& make(std::string_view path);  // with its parents

  RegistryKey root_;
  std::vector<Watch> watches_;
  usize keys_ = 0;
  u64 bytes_ = 0;
};

}  // namespace wperf::sim::nt
