// SPDX-License-Identifier: BSD-3-Clause
// The answers of system calls that this layer gives, with the values of Windows.
#pragma once
#include "base/ints.h"

namespace wperf::sim::nt {

using Status = u32;

inline constexpr Status kSuccess = 0, kWaitAbandoned = 0x80, kUserApc = 0xc0, kAlerted = 0x101, kTimeout = 0x102,
                        kPending = 0x103;
inline constexpr Status kObjectNameExists = 0x40000000;
inline constexpr Status kGuardPage = 0x80000001, kBreakpoint = 0x80000003, kBufferOverflow = 0x80000005,
                        kNoMoreFiles = 0x80000006, kNoMoreEntries = 0x8000001a;
inline constexpr Status kUnsuccessful = 0xc0000001, kNotImplemented = 0xc0000002, kInvalidInfoClass = 0xc0000003,
                        kInfoLengthMismatch = 0xc0000004, kAccessViolation = 0xc0000005, kInvalidHandle = 0xc0000008,
                        kInvalidCid = 0xc000000b, kInvalidParameter = 0xc000000d, kNoSuchFile = 0xc000000f,
                        kInvalidDeviceRequest = 0xc0000010, kEndOfFile = 0xc0000011, kNoMemory = 0xc0000017,
                        kConflictingAddresses = 0xc0000018, kUnableToFreeVm = 0xc000001a,
                        kIllegalInstruction = 0xc000001d, kAccessDenied = 0xc0000022, kBufferTooSmall = 0xc0000023,
                        kObjectTypeMismatch = 0xc0000024, kNotCommitted = 0xc000002d, kObjectNameInvalid = 0xc0000033,
                        kObjectNameNotFound = 0xc0000034, kObjectNameCollision = 0xc0000035,
                        kObjectPathNotFound = 0xc000003a, kInvalidPageProtection = 0xc0000045,
                        kMutantNotOwned = 0xc0000046, kSemaphoreLimit = 0xc0000047, kSectionTooBig = 0xc0000040,
                        kInvalidImageFormat = 0xc000007b, kLockNotGranted = 0xc0000055, kFileLockConflict = 0xc0000054,
                        kRangeNotLocked = 0xc000007e, kNoToken = 0xc000007c, kDiskFull = 0xc000007f,
                        kIntegerDivideByZero = 0xc0000094, kInsufficientResources = 0xc000009a,
                        kFileIsDirectory = 0xc00000ba, kStackOverflow = 0xc00000fd, kDirectoryNotEmpty = 0xc0000101,
                        kNotADirectory = 0xc0000103, kTooManyOpenedFiles = 0xc000011f, kNotFound = 0xc0000225,
                        kFailFast = 0xc0000409, kAssertionFailure = 0xc0000420, kSharingViolation = 0xc0000043,
                        kKeyDeleted = 0xc000017c, kDeletePending = 0xc0000056, kCannotDelete = 0xc0000121,
                        kPipeBroken = 0xc000014b, kInstanceNotAvailable = 0xc00000ab, kPipeNotAvailable = 0xc00000ac,
                        kPipeClosing = 0xc00000b1, kPipeConnected = 0xc00000b2, kPipeListening = 0xc00000b3,
                        kPipeEmpty = 0xc00000d9, kCancelled = 0xc0000120, kNotMappedView = 0xc0000019,
                        kSectionProtection = 0xc000004e, kMappedFileSizeZero = 0xc000011e,
                        kMappedAlignment = 0xc0000220, kUserMappedFile = 0xc0000243, kInvalidViewSize = 0xc000001f,
                        kSuspendLimit = 0xc000004a, kThreadIsTerminating = 0xc000004b,
                        kProcessIsTerminating = 0xc000010a, kDllNotFound = 0xc0000135, kInvalidConnection = 0xc0000140,
                        kNetworkUnreachable = 0xc000023c, kDeviceNotReady = 0xc00000a3, kIoTimeout = 0xc00000b5,
                        kIoDeviceError = 0xc0000185, kPipeDisconnected = 0xc00000b0, kNotSupported = 0xc00000bb,
                        kNotOwnAddress = 0xc0000207, kAddressInUse = 0xc000020a, kConnectionReset = 0xc000020d,
                        kConnectionRefused = 0xc0000236, kConnectionActive = 0xc000023b,
                        kProtocolNotSupported = 0xc000a013, kNotSameObject = 0xc00001ac;

}  // namespace wperf::sim::nt
