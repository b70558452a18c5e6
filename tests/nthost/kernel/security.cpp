// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/kernel/security.h"

#include "tests/nthost/check.h"
#include "tests/nthost/machine/memory.h"

namespace wperf::nthost {
namespace {

constexpr u8 kAuthenticatedUsers[12] = {1, 1, 0, 0, 0, 0, 0, 5, 11};
constexpr u8 kSystemSid[12] = {1, 1, 0, 0, 0, 0, 0, 5, 18};
constexpr u8 kAdministrators[16] = {1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2};
constexpr u8 kUsers[16] = {1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x21, 2};
constexpr u8 kPerformanceLogUsers[16] = {1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x2f, 2};

constexpr u16 kDaclPresent = 0x0004, kSelfRelative = 0x8000;
constexpr u8 kAllow = 0, kDeny = 1, kInheritOnly = 0x08;
constexpr ACCESS_MASK kReadControl = 0x0002'0000, kWriteDacl = 0x0004'0000, kMaximumAllowed = 0x0200'0000;

struct Descriptor {
  u8 revision, reserved;
  u16 control;
  u32 owner, group, sacl, dacl;
};
struct Acl {
  u8 revision, reserved;
  u16 size, count, reserved_too;
};
struct Ace {
  u8 type, flags;
  u16 size;
  ACCESS_MASK mask;
  u8 sid[8];  // followed by its sub-authorities
};
static_assert(sizeof(Descriptor) == 20 && sizeof(Acl) == 8 && __builtin_offsetof(Ace, sid) == 8);

bool equal_sids(const void* a, const void* b) {
  return sid_size(a) == sid_size(b) && memcmp(a, b, sid_size(a)) == 0;
}

ACCESS_MASK map_generic(ACCESS_MASK mask, const GENERIC_MAPPING& mapping) {
  if ((mask & 0x8000'0000) != 0) mask |= mapping.GenericRead;
  if ((mask & 0x4000'0000) != 0) mask |= mapping.GenericWrite;
  if ((mask & 0x2000'0000) != 0) mask |= mapping.GenericExecute;
  if ((mask & 0x1000'0000) != 0) mask |= mapping.GenericAll;
  return mask & 0x0fff'ffff;
}

const Descriptor& checked(const void* descriptor) {
  const auto& it = *static_cast<const Descriptor*>(descriptor);
  if (it.revision != 1 || (it.control & kSelfRelative) == 0) give_up("a security descriptor is not self-relative");
  return it;
}

}  // namespace

u32 sid_size(const void* sid) {
  const u8* bytes = static_cast<const u8*>(sid);
  if (bytes[0] != 1 || bytes[1] > 15) give_up("the SID at {x} is none", sid);
  return 8 + 4u * bytes[1];
}

void make_token(Token& token, const Person& person) {
  token = {};
  token.person = person;
  const u32 usual = person.system ? kSystemIntegrity : person.administrator ? kHighIntegrity : kMediumIntegrity;
  token.integrity = person.integrity != 0 ? person.integrity : usual;
  const u8 logon_head[8] = {1, 3, 0, 0, 0, 0, 0, 5};
  const u32 logon[] = {5, 0, person.logon};
  memcpy(token.logon_sid, logon_head, sizeof logon_head);
  memcpy(token.logon_sid + sizeof logon_head, logon, sizeof logon);
  if (person.system || person.service != 0) {
    memcpy(token.user_sid, kSystemSid, sizeof kSystemSid);
    if (person.service != 0) memcpy(token.user_sid + sizeof logon_head, &person.service, sizeof person.service);
    return;
  }
  const u32 numbers[] = {21, 1, 2, 3, person.user};
  const u8 head[8] = {1, 5, 0, 0, 0, 0, 0, 5};
  memcpy(token.user_sid, head, sizeof head);
  memcpy(token.user_sid + sizeof head, numbers, sizeof numbers);
}

bool is_in(const Token& token, const void* sid) {
  if (equal_sids(sid, token.user_sid) || equal_sids(sid, kEveryoneSid) || equal_sids(sid, kAuthenticatedUsers))
    return true;
  const bool administrator = token.person.administrator || token.person.system;
  if (administrator && equal_sids(sid, kAdministrators)) return true;
  if (!token.person.system && equal_sids(sid, kUsers)) return true;
  return token.person.performance_log && equal_sids(sid, kPerformanceLogUsers);
}

bool is_granted(const void* descriptor, const Token& token, ACCESS_MASK desired, const GENERIC_MAPPING& mapping,
                ACCESS_MASK* granted) {
  const Descriptor& it = checked(descriptor);
  if ((desired & kMaximumAllowed) != 0) give_up("SeAccessCheck: MAXIMUM_ALLOWED is not offered");
  desired = map_generic(desired, mapping);
  *granted = 0;
  if ((it.control & kDaclPresent) == 0 || it.dacl == 0) {
    *granted = desired;
    return true;
  }
  const u8* base = static_cast<const u8*>(descriptor);
  ACCESS_MASK remaining = desired;
  if (it.owner != 0 && is_in(token, base + it.owner)) remaining &= ~(kReadControl | kWriteDacl);
  const auto& acl = *reinterpret_cast<const Acl*>(base + it.dacl);
  u32 at = sizeof(Acl);
  for (u32 i = 0; i < acl.count && remaining != 0; ++i) {
    const auto& ace = *reinterpret_cast<const Ace*>(base + it.dacl + at);
    if (at + ace.size > acl.size || ace.size < 8 + sid_size(ace.sid)) give_up("SeAccessCheck: the ACL is malformed");
    at += ace.size;
    if ((ace.flags & kInheritOnly) != 0 || !is_in(token, ace.sid)) continue;
    const ACCESS_MASK mask = map_generic(ace.mask, mapping);
    if (ace.type == kAllow) {
      remaining &= ~mask;
    } else if (ace.type == kDeny) {
      if ((remaining & mask) != 0) return false;
    } else {
      give_up("SeAccessCheck: ACE type {} is not offered", ace.type);
    }
  }
  if (remaining != 0) return false;
  *granted = desired;
  return true;
}

}  // namespace wperf::nthost
