// SPDX-License-Identifier: BSD-3-Clause
#include "driver/core/dmc_channels.h"

#include "driver/core/dmc620_registers.h"

namespace wperf::driver {
namespace {

constexpr u64 kPage = 4096;
constexpr u64 kMaxFrame = 16 << 20;         // larger than the frame of any controller
constexpr u64 kPhysicalEnd = u64{1} << 52;  // the architecture's widest physical address

bool is_sound(u64 base, u64 size) {
  if (base == 0 || base % kPage != 0 || size % kPage != 0) {
    return false;
  }
  return size >= dmc620::kIdentityPage + dmc620::kIdentitySize && size <= kMaxFrame && base <= kPhysicalEnd - size;
}

bool are_sound(const WperfDmcSetupRequest& request) {
  if (request.channel_count == 0 || request.channel_count > WPERF_MAX_DMC_CHANNELS || request.reserved != 0) {
    return false;
  }
  for (u32 i = 0; i < request.channel_count; ++i) {
    const auto& channel = request.channels[i];
    if (!is_sound(channel.base, channel.size)) {
      return false;
    }
    for (u32 k = 0; k < i; ++k) {
      const auto& other = request.channels[k];
      if (channel.base < other.base + other.size && other.base < channel.base + channel.size) {
        return false;
      }
    }
  }
  return true;
}

// This code only reads, so that it does no harm if the address belongs to another device.
bool is_memory_controller(Hal& hal, u64 base) {
  void* page = hal.map_device_memory(base + dmc620::kIdentityPage, dmc620::kIdentitySize, DeviceAccess::read_only);
  if (page == nullptr) {
    return false;
  }
  bool agrees = true;
  for (const dmc620::IdentityRegister& it : dmc620::kIdentity) {
    agrees = agrees && (hal.read_device(page, it.offset) & it.mask) == it.value;
  }
  hal.unmap_device_memory(page, dmc620::kIdentitySize);
  return agrees;
}

}  // namespace

WperfStatus DmcChannels::set_up(Hal& hal, const WperfDmcSetupRequest& request) {
  if (!are_sound(request)) {
    return WPERF_BAD_ARGUMENT;
  }
  DmcChannels fresh;
  for (u32 i = 0; i < request.channel_count; ++i) {
    const u64 base = request.channels[i].base;
    fresh.frames_[i] = is_memory_controller(hal, base)
                           ? hal.map_device_memory(base, dmc620::kFrameSize, DeviceAccess::read_write)
                           : nullptr;
    if (fresh.frames_[i] == nullptr) {
      fresh.unmap(hal);
      return WPERF_ACCESS_DENIED;
    }
    ++fresh.count_;
  }
  unmap(hal);
  *this = fresh;
  return WPERF_OK;
}

void DmcChannels::unmap(Hal& hal) {
  for (u32 i = 0; i < count_; ++i) {
    hal.unmap_device_memory(frames_[i], dmc620::kFrameSize);
    frames_[i] = nullptr;
  }
  count_ = 0;
}

}  // namespace wperf::driver
