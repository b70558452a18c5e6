// SPDX-License-Identifier: BSD-3-Clause
// Resolves host names and addresses for ws2_32, which leaves this to its host part. The simulated machine knows its own
// name, "localhost", and numeric addresses.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

// The errors of Winsock.
constexpr u64 kNoSuchHost = 11001, kNoSuchService = 10109, kFault = 10014, kUnknownFamily = 10047,
              kRoomTooSmall = 122;  // ERROR_INSUFFICIENT_BUFFER: ws2_32 asks again
constexpr std::string_view kLocalHost = "localhost";

std::string own_name() {
  return in_lower_case(std::string(kComputerName));
}

bool read_text(Call& call, u64 at, std::string& out) {
  constexpr usize kMost = 1025;
  out.clear();
  for (char one = 0; at != 0 && out.size() < kMost; out += one) {
    if (!call.get(at + out.size(), one)) return false;
    if (one == 0) return true;
  }
  return at == 0;
}

std::optional<u32> number(std::string_view text, u32 most, int base = 10) {
  u32 value = 0;
  const auto [last, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || problem != std::errc() || last != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

std::optional<Endpoint> v4_of(std::string_view text) {
  Endpoint one;
  for (usize index = 0; index < 4; ++index) {
    const usize dot = index < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const auto value = number(text.substr(0, dot), 255);
    if (!value.has_value()) return std::nullopt;
    one.host[index] = static_cast<u8>(*value);
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return one;
}

// Groups of up to four digits, with "::" for zeros at one place.
std::optional<Endpoint> v6_of(std::string_view text) {
  constexpr usize kGroups = 8;
  std::vector<u32> groups[2];  // before and after "::"
  const usize gap = text.find("::");
  const std::string_view parts[2] = {text.substr(0, gap), gap == std::string_view::npos ? "" : text.substr(gap + 2)};
  for (usize part = 0; part < 2; ++part) {
    for (std::string_view rest = parts[part]; !rest.empty();) {
      const usize colon = std::min(rest.find(':'), rest.size());
      const auto value = colon <= 4 ? number(rest.substr(0, colon), 0xffff, 16) : std::nullopt;
      if (!value.has_value() || colon + 1 == rest.size()) return std::nullopt;
      groups[part].push_back(*value);
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  const usize count = groups[0].size() + groups[1].size();
  if (gap == std::string_view::npos ? count != kGroups : count >= kGroups) return std::nullopt;
  groups[0].resize(kGroups - groups[1].size());
  groups[0].insert(groups[0].end(), groups[1].begin(), groups[1].end());
  Endpoint one{.family = Endpoint::kV6, .port = 0, .host = {}};
  for (usize index = 0; index < kGroups; ++index) {
    one.host[2 * index] = static_cast<u8>(groups[0][index] >> 8);
    one.host[2 * index + 1] = static_cast<u8>(groups[0][index]);
  }
  return one;
}

std::vector<Endpoint> addresses_of(const std::string& name) {
  if (const auto one = v4_of(name)) return {*one};
  if (const auto one = v6_of(name)) return {*one};
  const std::string small = in_lower_case(name);
  if (small != kLocalHost && small != own_name()) return {};
  return {Endpoint::loopback(Endpoint::kV6, 0), Endpoint::loopback(Endpoint::kV4, 0)};
}

std::string text_of(const Endpoint& one) {
  std::string text;
  if (one.family == Endpoint::kV4) {
    for (usize index = 0; index < 4; ++index) text += (index == 0 ? "" : ".") + std::to_string(one.host[index]);
    return text;
  }
  if (one.is_any()) return "::";
  if (one.host == Endpoint::loopback(Endpoint::kV6, 0).host) return "::1";
  if (one.as_v4().family == Endpoint::kV4) return "::ffff:" + text_of(one.as_v4());
  for (usize index = 0; index < 16; index += 2) {
    const u32 group = static_cast<u32>(one.host[index] << 8 | one.host[index + 1]);
    text += (index == 0 ? "" : ":") + hex(group).substr(2);
  }
  return text;
}

struct Hints {
  u32 flags = 0, family = 0, type = 0, protocol = 0;
};

// Appends one ADDRINFOA, followed by its address. `at`: the address of the ADDRINFOA in the program.
void append(std::vector<u8>& out, u64 at, const Hints& hints, const Endpoint& one, bool is_last) {
  constexpr u64 kHeader = 48, kRoom = 32;
  const std::vector<u8> address = one.bytes();
  struct {
    Hints hints;
    u64 address_size, name, address, next;
  } info{hints, address.size(), 0, at + kHeader, is_last ? 0 : at + kHeader + kRoom};
  static_assert(sizeof info == kHeader);
  info.hints.flags = 0;
  info.hints.family = one.family;
  const usize begin = out.size();
  out.resize(begin + kHeader + kRoom);
  std::memcpy(out.data() + begin, &info, kHeader);
  std::copy(address.begin(), address.end(), out.begin() + static_cast<std::ptrdiff_t>(begin + kHeader));
}

u64 write_result(Call& call, u64 at, u64 size_at, std::span<const u8> bytes) {
  u32 room = 0;
  const u32 size = static_cast<u32>(bytes.size());
  if (!call.get(size_at, room)) return kFault;
  if (!call.put(size_at, size)) return kFault;
  if (room < size) return kRoomTooSmall;
  return call.write(at, bytes.data(), bytes.size()) ? 0 : kFault;
}

u64 get_addresses(Call& call) {
  constexpr u32 kPassive = 1, kOnlyDigits = 4;
  struct {
    u64 node, service, hints, result, size;
  } asked{};
  std::string node, service;
  Hints hints;
  if (!call.get(call.argument(2), asked) || !read_text(call, asked.node, node) ||
      !read_text(call, asked.service, service) || (asked.hints != 0 && !call.get(asked.hints, hints)))
    return kFault;
  u16 port = 0;
  if (!service.empty()) {
    const auto known = service == "http" ? 80 : service == "https" ? 443 : number(service, 0xffff);
    if (!known.has_value()) return kNoSuchService;
    port = static_cast<u16>(*known);
  }
  std::vector<Endpoint> found;
  if (!node.empty()) {
    found = addresses_of(node);
    if ((hints.flags & kOnlyDigits) != 0 && found.size() > 1) found.clear();
  } else {
    for (const u16 family : {Endpoint::kV6, Endpoint::kV4}) {
      found.push_back(Endpoint::loopback(family, 0));
      if ((hints.flags & kPassive) != 0) found.back().host = {};
    }
  }
  if (hints.family != 0) std::erase_if(found, [&](const Endpoint& one) { return one.family != hints.family; });
  if (found.empty()) return kNoSuchHost;
  std::vector<u8> out;
  for (usize index = 0; index < found.size(); ++index) {
    found[index].port = port;
    append(out, asked.result + out.size(), hints, found[index], index + 1 == found.size());
  }
  return write_result(call, asked.result, asked.size, out);
}

// A `hostent`: pointers to the name, to a list of other names, to a list of addresses.
u64 get_host(Call& call) {
  struct {
    u64 name, result, size;
  } asked{};
  std::string name;
  if (!call.get(call.argument(2), asked) || !read_text(call, asked.name, name)) return kFault;
  std::vector<Endpoint> found = addresses_of(name);
  std::erase_if(found, [](const Endpoint& one) { return one.family != Endpoint::kV4; });
  if (found.empty()) return kNoSuchHost;
  struct {
    u64 name, other_names;
    u16 family = Endpoint::kV4, address_size = 4;
    u64 addresses;
    u64 no_names = 0, list[2] = {};
    std::array<u8, 8> address{};
  } host{};
  const u64 after = asked.result + offsetof(decltype(host), no_names);
  host.other_names = after;
  host.addresses = after + 8;
  host.list[0] = asked.result + offsetof(decltype(host), address);
  host.name = asked.result + sizeof host;
  std::copy_n(found.front().host.begin(), 4, host.address.begin());
  std::vector<u8> out(sizeof host + name.size() + 1);
  std::memcpy(out.data(), &host, sizeof host);
  std::copy(name.begin(), name.end(), out.begin() + sizeof host);
  return write_result(call, asked.result, asked.size, out);
}

bool put_text(Call& call, u64 at, u32 room, const std::string& text) {
  return at == 0 || (text.size() < room && call.write(at, text.c_str(), text.size() + 1));
}

u64 get_own_name(Call& call) {
  struct {
    u64 name;
    u32 size;
  } asked{};
  if (!call.get(call.argument(2), asked)) return kFault;
  return put_text(call, asked.name, asked.size, own_name()) ? 0 : kFault;
}

u64 get_name(Call& call) {
  constexpr u32 kHostInDigits = 2, kNeedsName = 4;
  struct {
    u64 address;
    u32 address_size;
    u64 host;
    u32 host_size;
    u64 service;
    u32 service_size, flags;
  } asked{};
  std::array<u8, Endpoint::kMostBytes> bytes{};
  if (!call.get(call.argument(2), asked) ||
      !call.read(asked.address, bytes.data(), std::min<u64>(asked.address_size, bytes.size())))
    return kFault;
  const auto address = Endpoint::read(std::span(bytes).first(std::min<u64>(asked.address_size, bytes.size())));
  if (!address.has_value()) return kUnknownFamily;
  const bool is_named = (asked.flags & kHostInDigits) == 0 && address->is_own() && !address->is_any();
  if (!is_named && (asked.flags & kNeedsName) != 0) return kNoSuchHost;
  const std::string host = is_named ? own_name() : text_of(*address);
  if (!put_text(call, asked.host, asked.host_size, host) ||
      !put_text(call, asked.service, asked.service_size, std::to_string(address->port)))
    return kRoomTooSmall;
  return 0;
}

}  // namespace

u64 answer_name_call(Call& call) {
  enum : u32 { kAddresses = 0, kHostByName = 2, kOwn = 3, kName = 4 };
  switch (call.argument32(1)) {
    case kAddresses:
      return get_addresses(call);
    case kHostByName:
      return get_host(call);
    case kOwn:
      return get_own_name(call);
    case kName:
      return get_name(call);
    default:
      return kNoSuchHost;
  }
}

}  // namespace wperf::sim::nt
