// SPDX-License-Identifier: BSD-3-Clause
// The mount manager, which knows the two names of the machine's only volume: C: and \\?\Volume{…}.
#include <array>
#include <vector>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

// MOUNTMGR_MOUNT_POINT.
struct MountPoint {
  struct Part {
    u32 offset = 0;
    u16 bytes = 0, padding = 0;
  };
  Part link, unique_id, device;
};
static_assert(sizeof(MountPoint) == 24);

// Reads a part of the request. Returns false for a bad pointer.
bool read_part(Call& call, MountPoint::Part part, std::string& out) {
  out.clear();
  if (part.bytes == 0 || u64{part.offset} + part.bytes > call.argument32(7)) return part.bytes == 0;
  std::vector<u16> units(part.bytes / sizeof(u16));
  if (!call.read(call.argument(6) + part.offset, units.data(), units.size() * sizeof(u16))) return false;
  out = to_utf8(units);
  return true;
}

bool is_drive(std::string_view link) {
  return same_ignoring_case(link, "\\DosDevices\\C:") || same_ignoring_case(link, "\\??\\C:");
}

// The names that fit the request.
std::vector<std::string> links_for(std::string_view link, std::string_view device) {
  if (!device.empty() && !same_ignoring_case(device, kVolumeDevice)) return {};
  std::vector<std::string> links;
  if (link.empty() || is_drive(link)) links.emplace_back("\\DosDevices\\C:");
  if (link.empty() || is_drive(link) || same_ignoring_case(link, kVolumeName)) links.emplace_back(kVolumeName);
  return links;
}

u64 query_points(Call& call) {
  MountPoint asked;
  std::string link, device;
  if (call.argument32(7) < sizeof asked) return kInvalidParameter;
  if (!call.get(call.argument(6), asked) || !read_part(call, asked.link, link) ||
      !read_part(call, asked.device, device))
    return kAccessViolation;
  const std::vector<std::string> links = links_for(link, device);
  if (links.empty()) return kObjectNameNotFound;
  std::vector<MountPoint> points(links.size());
  std::vector<u16> texts;
  const usize head = 2 * sizeof(u32) + points.size() * sizeof(MountPoint);
  const auto add = [&](std::string_view text) {
    const std::vector<u16> units = to_utf16(text);
    const MountPoint::Part part{static_cast<u32>(head + texts.size() * sizeof(u16)),
                                static_cast<u16>(units.size() * sizeof(u16)), 0};
    texts.insert(texts.end(), units.begin(), units.end());
    return part;
  };
  for (usize index = 0; index < links.size(); ++index) {
    points[index].link = add(links[index]);
    points[index].device = add(kVolumeDevice);
  }
  const std::array<u32, 2> header = {static_cast<u32>(head + texts.size() * sizeof(u16)),
                                     static_cast<u32>(points.size())};
  const u64 buffer = call.argument(8), room = call.argument32(9);
  if (room < sizeof header) return kBufferTooSmall;
  if (!call.put(buffer, header)) return kAccessViolation;
  const bool fits = room >= header[0];
  if (fits && (!call.write(buffer + sizeof header, points.data(), points.size() * sizeof(MountPoint)) ||
               !call.write(buffer + head, texts.data(), texts.size() * sizeof(u16))))
    return kAccessViolation;
  const Status status = fits ? kSuccess : kBufferOverflow;
  return call.put_io_status(call.argument(4), status, fits ? header[0] : sizeof header) ? status : kAccessViolation;
}

}  // namespace

bool names_mount_manager(std::string_view name) {
  return same_ignoring_case(name, "\\??\\MountPointManager") || same_ignoring_case(name, "\\Device\\MountPointManager");
}

u64 control_mounts(Call& call) {
  constexpr u32 kQueryPoints = 0x6d0008;
  return call.argument32(5) == kQueryPoints ? query_points(call) : u64{kInvalidDeviceRequest};
}

}  // namespace wperf::sim::nt
