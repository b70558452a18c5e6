// SPDX-License-Identifier: BSD-3-Clause
// The machine's only network adapter, the loopback. Wine's iphlpapi.dll would query a driver that the simulated Windows
// lacks.
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "sim/nt/network.h"
#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kNoError = 0, kBadParameter = 87, kTooSmall = 111, kNoData = 232;  // errors of Windows

// The answer of GetAdaptersAddresses(): structures in the program's buffer that point to each other.
class AdapterList {
 public:
  AdapterList(u64 address, std::span<const u16> families) : address_(address) {
    constexpr u32 kIndex = 1, kLoopback = 24, kUp = 1, kDedicated = 1;
    const u64 adapter = add(kAdapterSize);
    put(adapter, u32{kAdapterSize});
    put(adapter + 4, kIndex);
    put(adapter + 0x10, add_text("{6B29FC40-CA47-1067-B31D-00DD010662DA}"));
    put(adapter + 0x18, add_addresses(families));
    put(adapter + 0x38, add_wide(""));
    put(adapter + 0x40, add_wide("Software Loopback Interface 1"));
    put(adapter + 0x48, add_wide("Loopback Pseudo-Interface 1"));
    put(adapter + 0x5c, kSupportsV4 | kSupportsV6);
    put(adapter + 0x60, ~u32{0});  // the largest packet
    put(adapter + 0x64, kLoopback);
    put(adapter + 0x68, kUp);
    put(adapter + 0x6c, kIndex);  // for IPv6
    for (const u64 speed : {0xb8, 0xc0}) put(adapter + speed, u64{1'073'741'824});
    for (const u64 metric : {0xd8, 0xdc}) put(adapter + metric, u32{75});
    put(adapter + 0xe0, u64{kLoopback} << 48);  // its LUID
    put(adapter + 0xf8, u32{1});                // compartment
    put(adapter + 0x10c, kDedicated);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  static constexpr u32 kAdapterSize = 448, kAddressSize = 64, kSupportsV4 = 0x80, kSupportsV6 = 0x100;

  // Returns the offset of new zeros.
  u64 add(u64 size) {
    const u64 at = bytes_.size();
    bytes_.resize(at + (size + 7) / 8 * 8);
    return at;
  }
  template <class T>
  void put(u64 at, const T& value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  // The functions below return the address in the program.
  u64 add_text(std::string_view text) {
    const u64 at = add(text.size() + 1);
    std::memcpy(bytes_.data() + at, text.data(), text.size());
    return address_ + at;
  }
  u64 add_wide(std::string_view text) {
    const std::vector<u16> units = to_utf16(text);
    const u64 at = add(units.size() * 2 + 2);
    if (!units.empty()) std::memcpy(bytes_.data() + at, units.data(), units.size() * 2);
    return address_ + at;
  }
  u64 add_addresses(std::span<const u16> families) {
    u64 first = 0;
    for (const u16 family : families) first = add_address(family, first);
    return first;
  }
  u64 add_address(u16 family, u64 next) {
    constexpr u32 kWellKnown = 2, kPreferred = 4;
    const std::vector<u8> name = Endpoint::loopback(family, 0).bytes();
    const u64 at = add(kAddressSize), socket_address = add(name.size());
    put(at, u32{kAddressSize});
    put(at + 0x8, next);
    put(at + 0x10, address_ + socket_address);
    put(at + 0x18, static_cast<u32>(name.size()));
    for (const u64 origin : {0x20, 0x24}) put(at + origin, kWellKnown);
    put(at + 0x28, kPreferred);
    for (const u64 lifetime : {0x2c, 0x30, 0x34}) put(at + lifetime, ~u32{0});
    put(at + 0x38, family == Endpoint::kV4 ? u8{8} : u8{128});  // the length of the prefix
    std::memcpy(bytes_.data() + socket_address, name.data(), name.size());
    return address_ + at;
  }

  u64 address_;
  std::vector<std::byte> bytes_;
};

}  // namespace

// arguments: family, flags, reserved, buffer, address of its size
u64 list_adapters(Call& call) {
  constexpr u32 kAllFamilies = 0, kWithoutAddresses = 1;
  const u32 family = call.argument32(0);
  u32 room = 0;
  if (family != kAllFamilies && family != Endpoint::kV4 && family != Endpoint::kV6) return kBadParameter;
  std::vector<u16> families;
  for (const u16 one : {Endpoint::kV6, Endpoint::kV4})
    if (family == kAllFamilies || family == one) families.push_back(one);
  if ((call.argument32(1) & kWithoutAddresses) != 0) families.clear();
  if (call.argument(4) == 0 || !call.get(call.argument(4), room)) return kBadParameter;
  const AdapterList list(call.argument(3), families);
  const u32 size = static_cast<u32>(list.bytes().size());
  if (!call.put(call.argument(4), size)) return kBadParameter;
  if (room < size || call.argument(3) == 0) return kTooSmall;
  return call.write(call.argument(3), list.bytes().data(), size) ? kNoError : kNoData;
}

}  // namespace wperf::sim::nt
