// SPDX-License-Identifier: BSD-3-Clause
// The numbers of DWARF 2 to 5 and of GNU's extensions that dwarf/ knows.
#pragma once
#include "base/ints.h"

namespace wperf::symbols::dwarf {

enum Tag : u16 {
  kTagArrayType = 0x01,
  kTagClassType = 0x02,
  kTagEnumerationType = 0x04,
  kTagFormalParameter = 0x05,
  kTagCompileUnit = 0x11,
  kTagStructureType = 0x13,
  kTagSubroutineType = 0x15,
  kTagUnionType = 0x17,
  kTagInlinedSubroutine = 0x1d,
  kTagSubprogram = 0x2e,
  kTagVariable = 0x34,
  kTagPartialUnit = 0x3c,
  kTagSkeletonUnit = 0x4a,
};

enum Attribute : u16 {
  kAtSibling = 0x01,
  kAtName = 0x03,
  kAtStatementList = 0x10,
  kAtLowPc = 0x11,
  kAtHighPc = 0x12,
  kAtLanguage = 0x13,
  kAtCompilationFolder = 0x1b,
  kAtInline = 0x20,
  kAtAbstractOrigin = 0x31,
  kAtDeclaredLine = 0x3b,
  kAtDeclaration = 0x3c,
  kAtSpecification = 0x47,
  kAtRanges = 0x55,
  kAtCallFile = 0x58,
  kAtCallLine = 0x59,
  kAtLinkageName = 0x6e,
  kAtStrOffsetsBase = 0x72,
  kAtAddrBase = 0x73,
  kAtRnglistsBase = 0x74,
  kAtDwoName = 0x76,
  kAtMipsLinkageName = 0x2007,
  kAtGnuDwoName = 0x2130,
  kAtGnuDwoId = 0x2131,
  kAtGnuRangesBase = 0x2132,
  kAtGnuAddrBase = 0x2133,
  kAtGnuDiscriminator = 0x2136,
};

enum Form : u16 {
  kFormAddr = 0x01,
  kFormBlock2 = 0x03,
  kFormBlock4 = 0x04,
  kFormData2 = 0x05,
  kFormData4 = 0x06,
  kFormData8 = 0x07,
  kFormString = 0x08,
  kFormBlock = 0x09,
  kFormBlock1 = 0x0a,
  kFormData1 = 0x0b,
  kFormFlag = 0x0c,
  kFormSdata = 0x0d,
  kFormStrp = 0x0e,
  kFormUdata = 0x0f,
  kFormRefAddr = 0x10,
  kFormRef1 = 0x11,
  kFormRef2 = 0x12,
  kFormRef4 = 0x13,
  kFormRef8 = 0x14,
  kFormRefUdata = 0x15,
  kFormIndirect = 0x16,
  kFormSecOffset = 0x17,
  kFormExprloc = 0x18,
  kFormFlagPresent = 0x19,
  kFormStrx = 0x1a,
  kFormAddrx = 0x1b,
  kFormRefSup4 = 0x1c,
  kFormStrpSup = 0x1d,
  kFormData16 = 0x1e,
  kFormLineStrp = 0x1f,
  kFormRefSig8 = 0x20,
  kFormImplicitConst = 0x21,
  kFormLoclistx = 0x22,
  kFormRnglistx = 0x23,
  kFormRefSup8 = 0x24,
  kFormStrx1 = 0x25,
  kFormStrx2 = 0x26,
  kFormStrx3 = 0x27,
  kFormStrx4 = 0x28,
  kFormAddrx1 = 0x29,
  kFormAddrx2 = 0x2a,
  kFormAddrx3 = 0x2b,
  kFormAddrx4 = 0x2c,
  kFormGnuAddrIndex = 0x1f01,
  kFormGnuStrIndex = 0x1f02,
  kFormGnuRefAlt = 0x1f20,
  kFormGnuStrpAlt = 0x1f21,
};

enum UnitType : u8 {
  kUnitCompile = 1,
  kUnitType = 2,
  kUnitPartial = 3,
  kUnitSkeleton = 4,
  kUnitSplitCompile = 5,
  kUnitSplitType = 6
};

enum RangeEntry : u8 {
  kRangeEnd = 0,
  kRangeBaseX = 1,
  kRangeStartXEndX = 2,
  kRangeStartXLength = 3,
  kRangeOffsetPair = 4,
  kRangeBase = 5,
  kRangeStartEnd = 6,
  kRangeStartLength = 7
};

enum LineOpcode : u8 {
  kLineExtended = 0,
  kLineCopy = 1,
  kLineAdvancePc = 2,
  kLineAdvanceLine = 3,
  kLineSetFile = 4,
  kLineSetColumn = 5,
  kLineNegate = 6,
  kLineBasicBlock = 7,
  kLineConstAddPc = 8,
  kLineFixedAdvancePc = 9,
  kLinePrologueEnd = 10,
  kLineEpilogueBegin = 11,
  kLineSetIsa = 12
};
enum LineExtendedOpcode : u8 {
  kLineEndSequence = 1,
  kLineSetAddress = 2,
  kLineDefineFile = 3,
  kLineSetDiscriminator = 4
};
enum LineContent : u8 { kContentPath = 1, kContentFolder = 2 };

}  // namespace wperf::symbols::dwarf
