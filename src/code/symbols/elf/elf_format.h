// SPDX-License-Identifier: BSD-3-Clause
// The numbers of the ELF format (System V ABI, with GNU's extensions) that elf/ knows.
#pragma once
#include "base/ints.h"

namespace wperf::symbols::elf {

inline constexpr u8 kClass32 = 1, kClass64 = 2;
inline constexpr u8 kLittleEndian = 1, kBigEndian = 2;

inline constexpr u16 kTypeRelocatable = 1;
inline constexpr u16 kMachineI386 = 3, kMachineArm = 40, kMachineX86_64 = 62, kMachineArm64 = 183;

inline constexpr u32 kSegmentLoad = 1;
inline constexpr u32 kSegmentNote = 4;
inline constexpr u32 kSegmentExecutable = 1;

inline constexpr u32 kSectionSymtab = 2, kSectionRela = 4, kSectionNote = 7, kSectionNoBits = 8, kSectionRel = 9,
                     kSectionDynsym = 11;
inline constexpr u64 kFlagAllocated = 2, kFlagExecutable = 4, kFlagCompressed = 0x800;
inline constexpr u32 kCompressionZlib = 1, kCompressionZstd = 2;

inline constexpr u16 kIndexUndefined = 0, kIndexReserved = 0xff00, kIndexAbsolute = 0xfff1, kIndexExtended = 0xffff;
inline constexpr u8 kTypeNone = 0, kTypeObject = 1, kTypeFunction = 2, kTypeIfunc = 10;
inline constexpr u8 kBindLocal = 0, kBindGlobal = 1, kBindWeak = 2;
inline constexpr u8 kVisibilityInternal = 1, kVisibilityHidden = 2;

inline constexpr u32 kNoteBuildId = 3;

}  // namespace wperf::symbols::elf
