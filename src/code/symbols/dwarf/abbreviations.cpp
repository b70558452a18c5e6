// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/dwarf/abbreviations.h"

#include "code/symbols/dwarf/dwarf_format.h"

namespace wperf::symbols::dwarf {

u32 form_size(u16 form, const Widths& widths) {
  switch (form) {
    case kFormFlagPresent:
    case kFormImplicitConst:
      return 0;
    case kFormData1:
    case kFormFlag:
    case kFormRef1:
    case kFormStrx1:
    case kFormAddrx1:
      return 1;
    case kFormData2:
    case kFormRef2:
    case kFormStrx2:
    case kFormAddrx2:
      return 2;
    case kFormStrx3:
    case kFormAddrx3:
      return 3;
    case kFormData4:
    case kFormRef4:
    case kFormStrx4:
    case kFormAddrx4:
    case kFormRefSup4:
      return 4;
    case kFormData8:
    case kFormRef8:
    case kFormRefSig8:
    case kFormRefSup8:
      return 8;
    case kFormData16:
      return 16;
    case kFormAddr:
      return widths.address;
    case kFormRefAddr:
      return widths.version <= 2 ? widths.address : widths.offset;
    case kFormStrp:
    case kFormSecOffset:
    case kFormLineStrp:
    case kFormStrpSup:
    case kFormGnuRefAlt:
    case kFormGnuStrpAlt:
      return widths.offset;
    default:
      return kVariableSize;
  }
}

AbbreviationTable::AbbreviationTable(EndianBytes section, u64 offset, const Widths& widths) {
  Cursor cursor(section, offset);
  while (!cursor.failed()) {
    const u64 code = cursor.uleb();
    if (code == 0) break;
    Abbreviation one;
    one.tag = static_cast<u16>(cursor.uleb());
    one.has_children = cursor.number<u8>() != 0;
    one.first = static_cast<u32>(attributes_.size());
    u64 size = 0;
    while (!cursor.failed()) {
      AttributeSpec spec;
      spec.attribute = static_cast<u16>(cursor.uleb());
      spec.form = static_cast<u16>(cursor.uleb());
      if (spec.form == kFormImplicitConst) spec.implicit = cursor.sleb();
      if (spec.attribute == 0 && spec.form == 0) break;
      if (spec.attribute == kAtSibling) one.has_sibling = true;
      const u32 width = form_size(spec.form, widths);
      size = width == kVariableSize || size == kVariableSize ? kVariableSize : size + width;
      attributes_.push_back(spec);
    }
    if (cursor.failed()) break;
    one.count = static_cast<u32>(attributes_.size()) - one.first;
    one.fixed_size = size < kVariableSize ? static_cast<u32>(size) : kVariableSize;
    if (code == dense_.size() + 1) {
      dense_.push_back(one);
    } else {
      sparse_.emplace(code, one);
    }
  }
  bytes_read_ = cursor.offset() - std::min(offset, cursor.offset());
}

}  // namespace wperf::symbols::dwarf
