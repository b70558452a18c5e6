// SPDX-License-Identifier: BSD-3-Clause
// Checks the numbers of codes.h against the headers of Windows. Generates no code.
#include <windows.h>
// These come after windows.h, which they need.
#include <cfgmgr32.h>
#include <setupapi.h>

#include "devgen/codes.h"

namespace wperf::devgen::code {

static_assert(kFileNotFound == ERROR_FILE_NOT_FOUND && kPathNotFound == ERROR_PATH_NOT_FOUND);
static_assert(kAccessDenied == ERROR_ACCESS_DENIED && kGenFailure == ERROR_GEN_FAILURE);
static_assert(kSharingViolation == ERROR_SHARING_VIOLATION && kModuleNotFound == ERROR_MOD_NOT_FOUND);
static_assert(kProcedureNotFound == ERROR_PROC_NOT_FOUND && kBadExeFormat == ERROR_BAD_EXE_FORMAT);
static_assert(kMachineMismatch == ERROR_EXE_MACHINE_TYPE_MISMATCH);
static_assert(kCancelled == ERROR_CANCELLED);
static_assert(kServiceRefusesControl == ERROR_INVALID_SERVICE_CONTROL);
static_assert(kServiceAlreadyRunning == ERROR_SERVICE_ALREADY_RUNNING && kServiceDisabled == ERROR_SERVICE_DISABLED);
static_assert(kServiceDoesNotExist == ERROR_SERVICE_DOES_NOT_EXIST && kServiceNotActive == ERROR_SERVICE_NOT_ACTIVE);
static_assert(kServiceMarkedForDelete == ERROR_SERVICE_MARKED_FOR_DELETE && kServiceExists == ERROR_SERVICE_EXISTS);
static_assert(kDriverBlocked == ERROR_DRIVER_BLOCKED && kBadDriver == ERROR_BAD_DRIVER);
static_assert(kRestartRequired == ERROR_SUCCESS_REBOOT_REQUIRED);
static_assert(kTrustNoSignature == static_cast<u32>(TRUST_E_NOSIGNATURE));
static_assert(kTrustSubjectNotTrusted == static_cast<u32>(TRUST_E_SUBJECT_NOT_TRUSTED));
static_assert(kCertExpired == static_cast<u32>(CERT_E_EXPIRED) &&
              kTrustBadDigest == static_cast<u32>(TRUST_E_BAD_DIGEST));
static_assert(kCertUntrustedRoot == static_cast<u32>(CERT_E_UNTRUSTEDROOT));
static_assert(kNoSuchDevice == ERROR_NO_SUCH_DEVINST && kNoCatalogForInf == ERROR_NO_CATALOG_FOR_OEM_INF);
static_assert(kInWow64 == ERROR_IN_WOW64 && kNoCompatibleDriver == ERROR_NO_COMPAT_DRIVERS);
static_assert(kAuthenticodeDisallowed == ERROR_AUTHENTICODE_DISALLOWED);
static_assert(kAuthenticodeNotEstablished == ERROR_AUTHENTICODE_TRUST_NOT_ESTABLISHED);
static_assert(kAuthenticodePublisherNotTrusted == ERROR_AUTHENTICODE_PUBLISHER_NOT_TRUSTED);
static_assert(kSignatureSystemMismatch == ERROR_SIGNATURE_OSATTRIBUTE_MISMATCH);
static_assert(kOnlyAuthenticode == ERROR_ONLY_VALIDATE_VIA_AUTHENTICODE);
// 577, 740 and 0xE0000247 to 0xE000024B are not in the available headers. They come from the published lists of system
// errors.

static_assert(kProblemNotConfigured == CM_PROB_NOT_CONFIGURED && kProblemFailedStart == CM_PROB_FAILED_START);
static_assert(kProblemNeedsRestart == CM_PROB_NEED_RESTART && kProblemWillBeRemoved == CM_PROB_WILL_BE_REMOVED);
static_assert(kProblemDisabled == CM_PROB_DISABLED && kProblemFailedInstall == CM_PROB_FAILED_INSTALL);
static_assert(kProblemFailedAdd == CM_PROB_FAILED_ADD && kProblemDriverFailedLoad == CM_PROB_DRIVER_FAILED_LOAD);
static_assert(kProblemDriverFailedPriorUnload == CM_PROB_DRIVER_FAILED_PRIOR_UNLOAD);
static_assert(kProblemHeldForEject == CM_PROB_HELD_FOR_EJECT && kProblemDriverBlocked == CM_PROB_DRIVER_BLOCKED);
static_assert(kProblemUnsignedDriver == CM_PROB_UNSIGNED_DRIVER);

static_assert(kMachineX64 == IMAGE_FILE_MACHINE_AMD64 && kMachineX86 == IMAGE_FILE_MACHINE_I386);
static_assert(kMachineArm64 == IMAGE_FILE_MACHINE_ARM64);

}  // namespace wperf::devgen::code
