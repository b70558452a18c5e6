// SPDX-License-Identifier: BSD-3-Clause
// SeAccessCheck, SeQueryInformationToken.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/pool.h"
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
  // An impersonating client counts, and only from SecurityImpersonation on.
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

extern "C" NTSTATUS SeQueryInformationToken(PACCESS_TOKEN token, TOKEN_INFORMATION_CLASS information_class,
                                            PVOID* information) {
  WPERF_ALLOW_ONLY(kPassive);
  if (information_class != TokenUser) give_up("SeQueryInformationToken: class {} is not offered", information_class);
  const Token& it = *static_cast<Token*>(token);
  const wperf::u32 size = sid_size(it.user_sid);
  auto* user = static_cast<TOKEN_USER*>(allocate_pool(sizeof(TOKEN_USER) + size, 0x20206553, __func__));
  if (user == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  user->User = {user + 1, 0};
  memcpy(user + 1, it.user_sid, size);
  *information = user;
  return STATUS_SUCCESS;
}
