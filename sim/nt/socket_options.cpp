// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "sim/nt/socket_controls.h"

namespace wperf::sim::nt {
namespace {

struct Option {
  u32 get, set, at_first;
};
constexpr u32 kBufferSize = 64 << 10;
constexpr Option kOptions[] = {
    {control::own(220), control::own(221), 0},            // broadcast
    {control::own(223), control::own(224), 0},            // keep-alive
    {control::own(225), control::own(226), 0},            // linger
    {control::own(227), control::own(228), 0},            // out-of-band data inline
    {control::own(230), control::own(229), kBufferSize},  // to receive
    {control::kReceiveTimeout, control::own(231), 0},
    {control::kReuseAddress, control::own(234), 0},
    {control::own(236), control::own(235), kBufferSize},  // to send
    {control::kSendTimeout, control::own(238), 0},
    {control::own(256), control::own(257), 0},    // packet information
    {control::own(258), control::own(259), 0},    // type of service
    {control::own(260), control::own(261), 128},  // time to live
    {control::own(275), control::own(276), 128},  // hops
    {control::kOnlyV6, control::own(280), 1},
    {control::own(284), control::own(285), 0},     // no delay
    {control::own(288), control::own(289), 0},     // packet information of IPv6
    {control::own(297), control::own(298), 0},     // exclusive use of the address
    {control::own(299), control::own(300), 7200},  // keep-alive: seconds, count, interval
    {control::own(301), control::own(302), 10},
    {control::own(303), control::own(304), 1},
};

}  // namespace

bool sets_option(u32 code) {
  return std::ranges::find(kOptions, code, &Option::set) != std::end(kOptions);
}

void keep_option(Socket& socket, u32 code, std::vector<u8> value) {
  socket.options[std::ranges::find(kOptions, code, &Option::set)->get] = std::move(value);
}

std::optional<std::vector<u8>> option_of(const Socket& socket, u32 code) {
  const auto known = std::ranges::find(kOptions, code, &Option::get);
  if (known == std::end(kOptions)) return std::nullopt;
  if (const auto set = socket.options.find(code); set != socket.options.end()) return set->second;
  std::vector<u8> value(sizeof known->at_first);
  std::memcpy(value.data(), &known->at_first, value.size());
  return value;
}

u32 option_value(const Socket& socket, u32 code) {
  const std::vector<u8> bytes = option_of(socket, code).value_or(std::vector<u8>());
  u32 value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

}  // namespace wperf::sim::nt
