// SPDX-License-Identifier: BSD-3-Clause
// SeAccessCheck, SeQueryInformationToken.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/security.h"
#include "tests/nthost/machine/memory.h"

using namespace wperf::nthost;

extern "C" BOOLEAN SeAccessCheck(PSECURITY_DESCRIPTOR descriptor, SECURITY_SUBJECT_CONTEXT* subject, BOOLEAN locked,
                                 ACCESS_MASK desired, ACCESS_MASK granted_before, PRIVILEGE_SET** privileges,
                                 GENERIC_MAPPING* mapping, KPROCESSOR_MODE mode, ACCESS_MASK* granted,
                                 NTSTATUS* status) {
  WPERF_ALLOW_ONLY(kPassive);
  (void)locked;
  if (privileges != nullptr) *privileges = nullptr;
  if (mode == KernelMode) {  // as documented: the caller of a kernel-mode check is trusted
    *granted = desired | granted_before;
    *status = STATUS_SUCCESS;
    return TRUE;
  }
  if (descriptor == nullptr) {
    *status = STATUS_ACCESS_DENIED;
    return FALSE;
  }
  // An impersonated client counts only from SecurityImpersonation on.
  PACCESS_TOKEN token = subject->ClientToken != nullptr ? subject->ClientToken : subject->PrimaryToken;
  if (subject->ClientToken != nullptr && subject->ImpersonationLevel < SecurityImpersonation) {
    *status = STATUS_ACCESS_DENIED;
    return FALSE;
  }
  ACCESS_MASK rights = 0;
  const bool allowed =
      is_granted(descriptor, *static_cast<Token*>(token), desired & ~granted_before, *mapping, &rights);
  *granted = allowed ? rights | granted_before : 0;
  *status = allowed ? STATUS_SUCCESS : STATUS_ACCESS_DENIED;
  return allowed;
}

namespace {

constexpr wperf::u32 kTokenTag = 0x20206553;
constexpr ULONG kEnabledByDefault = 7;  // SE_GROUP_MANDATORY, _ENABLED_BY_DEFAULT, _ENABLED

// The groups Everyone and logon; their SIDs follow.
NTSTATUS groups_of(const Token& token, PVOID* information) {
  const wperf::u32 head = __builtin_offsetof(TOKEN_GROUPS, Groups) + 2 * sizeof(SID_AND_ATTRIBUTES);
  const wperf::u32 size = head + sizeof kEveryoneSid + sizeof token.logon_sid;
  auto* groups = static_cast<TOKEN_GROUPS*>(allocate_pool(size, kTokenTag, "SeQueryInformationToken"));
  if (groups == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  auto* sids = reinterpret_cast<wperf::u8*>(groups) + head;
  memcpy(sids, kEveryoneSid, sizeof kEveryoneSid);
  memcpy(sids + sizeof kEveryoneSid, token.logon_sid, sizeof token.logon_sid);
  groups->GroupCount = 2;
  groups->Groups[0] = {sids, kEnabledByDefault};
  groups->Groups[1] = {sids + sizeof kEveryoneSid, SE_GROUP_LOGON_ID | kEnabledByDefault};
  *information = groups;
  return STATUS_SUCCESS;
}

}  // namespace

extern "C" NTSTATUS SeQueryInformationToken(PACCESS_TOKEN token, TOKEN_INFORMATION_CLASS information_class,
                                            PVOID* information) {
  WPERF_ALLOW_ONLY(kPassive);
  const Token& it = *static_cast<Token*>(token);
  if (information_class == TokenIntegrityLevel) {  // stored in the variable itself, so there is no memory to free
    *information = reinterpret_cast<PVOID>(ULONG_PTR{it.integrity});
    return STATUS_SUCCESS;
  }
  if (information_class == TokenGroups) return groups_of(it, information);
  if (information_class != TokenUser) give_up("SeQueryInformationToken: class {} is not offered", information_class);
  const wperf::u32 size = sid_size(it.user_sid);
  auto* user = static_cast<TOKEN_USER*>(allocate_pool(sizeof(TOKEN_USER) + size, kTokenTag, __func__));
  if (user == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  user->User = {user + 1, 0};
  memcpy(user + 1, it.user_sid, size);
  *information = user;
  return STATUS_SUCCESS;
}
