// SPDX-License-Identifier: BSD-3-Clause
// The Windows numbers that the installer's decisions depend on, with the names from winerror.h, setupapi.h and cfg.h in
// this project's spelling. They are defined here because explanation.cpp and installer.cpp also build without
// windows.h; codes_win.cpp compares them with the headers.
#pragma once
#include "base/ints.h"

namespace wperf::devgen::code {

inline constexpr u32 kFileNotFound = 2;
inline constexpr u32 kPathNotFound = 3;
inline constexpr u32 kAccessDenied = 5;
inline constexpr u32 kGenFailure = 31;
inline constexpr u32 kSharingViolation = 32;
inline constexpr u32 kModuleNotFound = 126;
inline constexpr u32 kProcedureNotFound = 127;
inline constexpr u32 kBadExeFormat = 193;
inline constexpr u32 kMachineMismatch = 216;
inline constexpr u32 kInvalidImageHash = 577;
inline constexpr u32 kElevationRequired = 740;
inline constexpr u32 kServiceRefusesControl = 1052;
inline constexpr u32 kServiceAlreadyRunning = 1056;
inline constexpr u32 kServiceDisabled = 1058;
inline constexpr u32 kServiceDoesNotExist = 1060;
inline constexpr u32 kServiceNotActive = 1062;
inline constexpr u32 kServiceMarkedForDelete = 1072;
inline constexpr u32 kServiceExists = 1073;
inline constexpr u32 kDriverBlocked = 1275;
inline constexpr u32 kCancelled = 1223;
inline constexpr u32 kBadDriver = 2001;
inline constexpr u32 kRestartRequired = 3010;
inline constexpr u32 kTrustNoSignature = 0x800B0100;
inline constexpr u32 kTrustSubjectNotTrusted = 0x800B0004;
inline constexpr u32 kCertExpired = 0x800B0101;
inline constexpr u32 kCertUntrustedRoot = 0x800B0109;
inline constexpr u32 kTrustBadDigest = 0x80096010;
inline constexpr u32 kNoSuchDevice = 0xE000020B;
inline constexpr u32 kNoCompatibleDriver = 0xE0000228;
inline constexpr u32 kNoCatalogForInf = 0xE000022F;
inline constexpr u32 kInWow64 = 0xE0000235;
inline constexpr u32 kAuthenticodeDisallowed = 0xE0000240;
inline constexpr u32 kAuthenticodeNotEstablished = 0xE0000242;
inline constexpr u32 kAuthenticodePublisherNotTrusted = 0xE0000243;
inline constexpr u32 kSignatureSystemMismatch = 0xE0000244;
inline constexpr u32 kOnlyAuthenticode = 0xE0000245;
inline constexpr u32 kDriverStoreAddFailed = 0xE0000247;
inline constexpr u32 kDeviceInstallBlocked = 0xE0000248;
inline constexpr u32 kDriverInstallBlocked = 0xE0000249;
inline constexpr u32 kFileHashNotInCatalog = 0xE000024B;

// CM_PROB_… of a device
inline constexpr u32 kProblemFailedStart = 10;
inline constexpr u32 kProblemNeedsRestart = 14;
inline constexpr u32 kProblemWillBeRemoved = 21;
inline constexpr u32 kProblemDisabled = 22;
inline constexpr u32 kProblemNotConfigured = 1;
inline constexpr u32 kProblemFailedInstall = 28;
inline constexpr u32 kProblemFailedAdd = 31;
inline constexpr u32 kProblemDriverFailedPriorUnload = 38;
inline constexpr u32 kProblemDriverFailedLoad = 39;
inline constexpr u32 kProblemHeldForEject = 47;
inline constexpr u32 kProblemDriverBlocked = 48;
inline constexpr u32 kProblemUnsignedDriver = 52;

// IMAGE_FILE_MACHINE_…
inline constexpr u16 kMachineX64 = 0x8664;
inline constexpr u16 kMachineArm64 = 0xAA64;
inline constexpr u16 kMachineX86 = 0x014C;

}  // namespace wperf::devgen::code
