// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/access.h"

namespace wperf::driver {
namespace {

// Self-relative security descriptors as bytes in memory ([MS-DTYP] 2.4.6). SIDs here have one or two sub-authorities.
struct Sid1 {
  u8 revision = 1, sub_authority_count = 1;
  u8 authority[6] = {0, 0, 0, 0, 0, 5};  // NT
  u32 sub_authority;
};
struct Sid2 {
  u8 revision = 1, sub_authority_count = 2;
  u8 authority[6] = {0, 0, 0, 0, 0, 5};
  u32 sub_authority[2];
};
struct AceHead {
  u8 type = 0;  // access allowed
  u8 flags = 0;
  u16 size;
  u32 mask;
};
struct Ace1 {
  AceHead head;
  Sid1 sid;
};
struct Ace2 {
  AceHead head;
  Sid2 sid;
};
struct Acl {
  u8 revision = 2, reserved = 0;
  u16 size, ace_count, reserved2 = 0;
};
static_assert(sizeof(Sid1) == 12 && sizeof(Sid2) == 16 && sizeof(AceHead) == 8 && sizeof(Acl) == 8);

constexpr u32 kBuiltin = 32;
constexpr Sid1 kSystem = {.sub_authority = 18};
constexpr Sid1 kLocalService = {.sub_authority = 19};
constexpr Sid1 kNetworkService = {.sub_authority = 20};
constexpr Sid2 kAdministrators = {.sub_authority = {kBuiltin, 544}};
constexpr Sid2 kPerformanceLogUsers = {.sub_authority = {kBuiltin, 559}};

// The access right that every request needs on its handle (abi/wire.h, WPERF_CODE).
constexpr ACCESS_MASK kNeeded = FILE_READ_DATA | FILE_WRITE_DATA;

template <u32 groups>
struct Descriptor {
  u8 revision = 1, reserved = 0;
  u16 control = 0x8004;  // self-relative, has a DACL
  u32 owner, group, sacl, dacl;
  Sid2 owner_sid = kAdministrators;
  Sid1 group_sid = kSystem;
  Acl acl;
  Ace1 system;
  Ace2 group_aces[groups];
};

template <u32 groups>
constexpr Descriptor<groups> descriptor_for(const Sid2 (&allowed)[groups]) {
  using Shape = Descriptor<groups>;
  Shape made = {.owner = __builtin_offsetof(Shape, owner_sid),
                .group = __builtin_offsetof(Shape, group_sid),
                .sacl = 0,
                .dacl = __builtin_offsetof(Shape, acl),
                .acl = {.size = sizeof(Acl) + sizeof(Ace1) + groups * sizeof(Ace2), .ace_count = groups + 1},
                .system = {{.size = sizeof(Ace1), .mask = kNeeded}, kSystem},
                .group_aces = {}};
  for (u32 i = 0; i < groups; ++i) {
    made.group_aces[i] = {{.size = sizeof(Ace2), .mask = kNeeded}, allowed[i]};
  }
  return made;
}

constexpr auto kUsersAllowedIn = descriptor_for({kAdministrators, kPerformanceLogUsers});
constexpr auto kAdministratorsOnly = descriptor_for({kAdministrators});

bool passes(const void* descriptor, SECURITY_SUBJECT_CONTEXT& subject, KPROCESSOR_MODE mode) {
  ACCESS_MASK granted = 0;
  NTSTATUS status = STATUS_ACCESS_DENIED;
  return SeAccessCheck(const_cast<void*>(descriptor), &subject, FALSE, kNeeded, 0, nullptr,
                       IoGetFileObjectGenericMapping(), mode, &granted, &status) != FALSE;
}

bool equal(PSID a, const void* b) {
  return RtlEqualSid(a, const_cast<void*>(b)) != FALSE;
}

bool is_shared_by_services(PSID account) {
  return equal(account, &kLocalService) || equal(account, &kNetworkService);
}

// Even after a failure the caller must release `user`, which may be partly filled in.
NTSTATUS user_of(PACCESS_TOKEN token, User* user) {
  PVOID information = nullptr;
  NTSTATUS status = SeQueryInformationToken(token, TokenUser, &information);
  if (!NT_SUCCESS(status)) {
    return status;
  }
  user->token_user = static_cast<TOKEN_USER*>(information);
  information = nullptr;
  status = SeQueryInformationToken(token, TokenIntegrityLevel, &information);
  if (!NT_SUCCESS(status)) {
    return status;
  }
  user->integrity = static_cast<u32>(reinterpret_cast<ULONG_PTR>(information));
  if (!is_shared_by_services(user->token_user->User.Sid)) {
    return STATUS_SUCCESS;
  }
  information = nullptr;
  status = SeQueryInformationToken(token, TokenGroups, &information);
  user->groups = NT_SUCCESS(status) ? static_cast<TOKEN_GROUPS*>(information) : nullptr;
  return status;
}

PSID logon_of(const TOKEN_GROUPS& groups) {
  for (ULONG i = 0; i < groups.GroupCount; ++i) {
    if ((groups.Groups[i].Attributes & SE_GROUP_LOGON_ID) == SE_GROUP_LOGON_ID) {
      return groups.Groups[i].Sid;
    }
  }
  return nullptr;
}

bool may_see(const User& user, const User& owner) {
  if (!equal(owner.token_user->User.Sid, user.token_user->User.Sid) || owner.integrity > user.integrity) {
    return false;
  }
  if (user.groups == nullptr || owner.groups == nullptr) {
    return user.groups == owner.groups;
  }
  const PSID logon = logon_of(*user.groups);
  const PSID other = logon_of(*owner.groups);
  return logon != nullptr && other != nullptr && equal(logon, other);
}

}  // namespace

NTSTATUS admit(const IO_SECURITY_CONTEXT& context, KPROCESSOR_MODE mode, Requester* requester) {
  SECURITY_SUBJECT_CONTEXT& subject = context.AccessState->SubjectSecurityContext;
  if (!passes(&kUsersAllowedIn, subject, mode)) {
    return STATUS_ACCESS_DENIED;
  }
  requester->rights.administrator = passes(&kAdministratorsOnly, subject, mode);
  // If the thread impersonates a user, the request is that user's.
  const PACCESS_TOKEN token = subject.ClientToken != nullptr ? subject.ClientToken : subject.PrimaryToken;
  const NTSTATUS status = user_of(token, &requester->user);
  if (!NT_SUCCESS(status)) {
    release_user(requester->user);
  }
  return status;
}

void release_user(User& user) {
  if (user.token_user != nullptr) {
    ExFreePool(user.token_user);
    user.token_user = nullptr;
  }
  if (user.groups != nullptr) {
    ExFreePool(user.groups);
    user.groups = nullptr;
  }
}

bool is_process_of(const User& user, u32 process, u64 start) {
  PEPROCESS object = nullptr;
  if (!NT_SUCCESS(PsLookupProcessByProcessId(reinterpret_cast<HANDLE>(ULONG_PTR{process}), &object))) {
    return false;
  }
  const PACCESS_TOKEN token = PsReferencePrimaryToken(object);
  User owner;
  const bool same = static_cast<u64>(PsGetProcessCreateTimeQuadPart(object)) == start &&
                    NT_SUCCESS(user_of(token, &owner)) && may_see(user, owner);
  release_user(owner);
  PsDereferencePrimaryToken(token);
  static_cast<void>(ObDereferenceObject(object));
  return same;
}

}  // namespace wperf::driver
