// SPDX-License-Identifier: BSD-3-Clause
// Tokens and permissions. The simulated Windows has one user, who may use all features of the machine.
#include <array>

#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

// S-1-5-21-0-0-0-1000, the user; S-1-16-8192, medium integrity
constexpr std::array<u32, 7> kUserSid = {0x00000501, 0x05000000, 21, 0, 0, 0, 1000};
constexpr std::array<u32, 3> kMediumSid = {0x00000101, 0x10000000, 8192};

constexpr u64 kTokenOfProcess = ~u64{3}, kTokenOfThread = ~u64{4}, kTokenInForce = ~u64{5};

bool is_token(Call& call, u64 handle) {
  return handle == kTokenOfProcess || handle == kTokenInForce || call.state.handles.at<TokenObject>(handle) != nullptr;
}

u64 open_process_token(Call& call) {
  const u64 at = call.name.ends_with("Ex") ? 3 : 2;
  return call.give_handle(call.argument(static_cast<u32>(at)), std::make_shared<TokenObject>());
}
u64 open_thread_token(Call&) {
  return kNoToken;
}

// arguments: token, access, attributes, effective only, type, new handle
u64 duplicate_token(Call& call) {
  if (call.argument(0) == kTokenOfThread) return kNoToken;
  if (!is_token(call, call.argument(0))) return kInvalidHandle;
  return call.give_handle(call.argument(5), std::make_shared<TokenObject>());
}

// Answers with `size` bytes and their number. Other calls have a different status for a buffer that is too small.
u64 answer_if_room(Call& call, u32 first_argument, const void* bytes, u64 size) {
  const u64 buffer = call.argument(first_argument), room = call.argument32(first_argument + 1);
  if (!call.put_if_wanted(call.argument(first_argument + 2), static_cast<u32>(size))) return 0;
  if (room < size) return kBufferTooSmall;
  return call.write(buffer, bytes, size) ? kSuccess : kAccessViolation;
}

// arguments: token, class, buffer, its size, size used
u64 token_information(Call& call) {
  constexpr u32 kUser = 1, kGroups = 2, kPrivileges = 3, kOwner = 4, kPrimaryGroup = 5, kDefaultAcl = 6, kType = 8,
                kStatistics = 10, kSession = 12, kElevationType = 18, kElevation = 20, kIntegrity = 25,
                kAppContainer = 29;
  if (call.argument(0) == kTokenOfThread) return kNoToken;
  if (!is_token(call, call.argument(0))) return kInvalidHandle;
  const u64 buffer = call.argument(2);
  const auto answer = [&](const void* bytes, u64 size) { return answer_if_room(call, 2, bytes, size); };
  struct {
    u64 sid, attributes;
    std::array<u32, 7> bytes;
  } user{buffer + 16, 0, kUserSid};
  struct {
    u64 sid, attributes;
    std::array<u32, 3> bytes;
  } integrity{buffer + 16, 0x60, kMediumSid};
  struct {
    u64 sid;
    std::array<u32, 7> bytes;
  } owner{buffer + 8, kUserSid};
  constexpr u64 kNone = 0;
  const u32 number = call.argument32(1) == kElevationType || call.argument32(1) == kType ? 1 : 0;
  switch (call.argument32(1)) {
    case kUser:
      return answer(&user, 16 + sizeof kUserSid);
    case kIntegrity:
      return answer(&integrity, 16 + sizeof kMediumSid);
    case kOwner:
    case kPrimaryGroup:
      return answer(&owner, 8 + sizeof kUserSid);
    case kGroups:
    case kDefaultAcl:
      return answer(&kNone, sizeof kNone);
    case kPrivileges:
      return answer(&kNone, sizeof(u32));
    case kStatistics: {
      constexpr std::array<u64, 7> kStatisticsOfToken{};
      return answer(&kStatisticsOfToken, sizeof kStatisticsOfToken);
    }
    case kType:
    case kSession:
    case kElevationType:
    case kElevation:
    case kAppContainer:
      return answer(&number, sizeof number);
    default:
      return kInvalidInfoClass;
  }
}

u64 accept(Call&) {
  return kSuccess;
}

// All objects belong to the user, and only the user has access.
// arguments: handle, parts, buffer, its size, size used
u64 query_security(Call& call) {
  constexpr u32 kOwner = 1, kGroup = 2, kAccessList = 4;
  constexpr u16 kHasList = 0x0004, kIsOneBlock = 0x8000;
  constexpr u32 kAll = 0x001f01ff;
  if (call.object_of(call.argument(0)) == nullptr) return kInvalidHandle;
  const u32 parts = call.argument32(1);
  // A SECURITY_DESCRIPTOR_RELATIVE, followed by the SID of its owner and group and by its ACL with one ACE.
  struct {
    u8 revision = 1, zero = 0;
    u16 control = kIsOneBlock;
    u32 owner = 0, group = 0, audit_list = 0, access_list = 0;  // offsets
    std::array<u32, 7> user = kUserSid;
    u16 list_revision = 2, list_size = 8 + 8 + sizeof kUserSid, entries = 1, zeros = 0;
    u16 allows = 0, entry_size = 8 + sizeof kUserSid;
    u32 access = kAll;
    std::array<u32, 7> who = kUserSid;
  } answer;
  static_assert(sizeof answer == 92);
  constexpr u32 kUserAt = 20, kListAt = kUserAt + sizeof kUserSid;
  if ((parts & kOwner) != 0) answer.owner = kUserAt;
  if ((parts & kGroup) != 0) answer.group = kUserAt;
  if ((parts & kAccessList) != 0) {
    answer.access_list = kListAt;
    answer.control |= kHasList;
  }
  return answer_if_room(call, 2, &answer, sizeof answer);
}

// arguments: descriptor, token, access, meaning of the generic rights, privileges, their size, granted access, status
u64 check_access(Call& call) {
  constexpr u32 kAsMuchAsPossible = 0x02000000;
  u32 access = call.argument32(2), meanings[4] = {};
  if (!call.read(call.argument(3), meanings, sizeof meanings)) return 0;
  if ((access & kAsMuchAsPossible) != 0) access = (access & ~kAsMuchAsPossible) | meanings[3];
  return call.put(call.argument(6), access) && call.put(call.argument(7), kSuccess) ? kSuccess : kAccessViolation;
}

// argument: a LUID
u64 make_local_id(Call& call) {
  constexpr u64 kReserved = 1000;
  return call.put(call.argument(0), kReserved + ++call.state.system->local_ids) ? kSuccess : kAccessViolation;
}

// arguments: token, PRIVILEGE_SET, whether the token has its privileges. No token has any.
u64 check_privileges(Call& call) {
  if (call.argument(0) == kTokenOfThread) return kNoToken;
  if (!is_token(call, call.argument(0))) return kInvalidHandle;
  u32 count = 0;
  if (!call.get(call.argument(1), count)) return 0;
  return call.put(call.argument(2), u8{count == 0}) ? kSuccess : kAccessViolation;
}

// Settings that a user may change have no effect here. arguments: token, class, buffer, its size
u64 set_token(Call& call) {
  constexpr u32 kOwner = 4, kPrimaryGroup = 5, kDefaultAcl = 6, kIntegrity = 25;
  constexpr u64 kPrivilegeNotHeld = 0xc0000061;
  if (call.argument(0) == kTokenOfThread) return kNoToken;
  if (!is_token(call, call.argument(0))) return kInvalidHandle;
  const u32 kind = call.argument32(1);
  const bool is_own = kind == kOwner || kind == kPrimaryGroup || kind == kDefaultAcl || kind == kIntegrity;
  return is_own ? u64{kSuccess} : kPrivilegeNotHeld;
}

constexpr Service kSecurity[] = {
    {"NtOpenProcessToken", open_process_token},
    {"NtOpenProcessTokenEx", open_process_token},
    {"NtOpenThreadToken", open_thread_token},
    {"NtOpenThreadTokenEx", open_thread_token},
    {"NtDuplicateToken", duplicate_token},
    {"NtQueryInformationToken", token_information},
    {"NtAdjustPrivilegesToken", accept},
    {"NtQuerySecurityObject", query_security},
    {"NtSetSecurityObject", accept},
    {"NtPrivilegeCheck", check_privileges},
    {"NtSetInformationToken", set_token},
    {"NtAccessCheck", check_access},
    {"NtAllocateLocallyUniqueId", make_local_id},
};

}  // namespace

std::span<const Service> security_services() {
  return kSecurity;
}

}  // namespace wperf::sim::nt
