// SPDX-License-Identifier: BSD-3-Clause
// Control codes for files and folders: no file is a link, sparse or compressed.
#include <algorithm>

#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

u64 answer_nothing(Call& call) {
  return call.put_io_status(call.argument(4), kSuccess, 0) ? kSuccess : kAccessViolation;
}

// All bytes of a file are on the disk, so the answer is the part of the given range that is in the file.
u64 answer_ranges(Call& call, const File& file) {
  struct {
    u64 begin, size;
  } range{};
  if (file.type != File::Type::disk || call.argument32(7) < sizeof range) return kInvalidParameter;
  if (!call.get(call.argument(6), range)) return kAccessViolation;
  FileFacts facts;
  if (file.files->facts(file.number, facts) != FileProblem::none) return kUnsuccessful;
  constexpr u64 kMost = INT64_MAX;
  if (range.begin > kMost || range.size > kMost - range.begin) return kInvalidParameter;
  if (range.begin >= facts.bytes || range.size == 0) return answer_nothing(call);
  range.size = std::min(range.size, facts.bytes - range.begin);
  if (call.argument32(9) < sizeof range) return kBufferTooSmall;
  return call.answer_with_status(call.argument(4), call.argument(8), call.argument32(9), &range, sizeof range);
}

}  // namespace

u64 control_file(Call& call, const File& file) {
  constexpr u32 kGetLink = 0x900a8, kSetSparse = 0x900c4, kGetCompression = 0x9003c, kRanges = 0x940cf,
                kGetObjectId = 0x9009c;
  constexpr u64 kNoLink = 0xc0000275,
                kNoObjectId = 0xc00002f0;  // STATUS_NOT_A_REPARSE_POINT, STATUS_OBJECTID_NOT_FOUND
  switch (call.argument32(5)) {
    case kGetLink:
      return kNoLink;
    case kGetObjectId:
      return kNoObjectId;
    case kSetSparse:
      return file.type == File::Type::disk ? answer_nothing(call) : u64{kInvalidParameter};
    case kGetCompression: {
      constexpr u16 kNone = 0;
      if (call.argument32(9) < sizeof kNone) return kInvalidParameter;
      return call.answer_with_status(call.argument(4), call.argument(8), call.argument32(9), &kNone, sizeof kNone);
    }
    case kRanges:
      return answer_ranges(call, file);
    default:
      return kInvalidDeviceRequest;
  }
}

}  // namespace wperf::sim::nt
