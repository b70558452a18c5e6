// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a PE file by RVA.
#pragma once
#include <algorithm>
#include <vector>

#include "code/symbols/pe/pe_file.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols {

using Bytes = bytes::Span;

// A PE file as the loader would lay it out, as far as its bytes are stored.
class ImageBytes {
 public:
  ImageBytes(Bytes file, const std::vector<Section>& sections, u32 headers_size)
      : file_(file), sections_(sections), headers_size_(headers_size) {}

  // The section around an RVA, stored or zero-filled; null outside of all.
  const Section* section_at(u32 rva) const {
    const auto after = std::upper_bound(sections_.begin(), sections_.end(), rva,
                                        [](u32 wanted, const Section& section) { return wanted < section.rva; });
    if (after == sections_.begin()) return nullptr;
    const Section& section = *(after - 1);
    return rva - section.rva < std::max(section.virtual_size, section.file_size) ? &section : nullptr;
  }

  // Every stored byte from an RVA to the end of its section (or of the headers).
  Bytes from(u32 rva) const {
    if (rva < headers_size_) return bytes::from(file_.first(std::min<usize>(file_.size(), headers_size_)), rva);
    const Section* section = section_at(rva);
    if (section == nullptr) return {};
    const Bytes stored = bytes::from(file_, section->file_offset);
    return bytes::from(stored.first(std::min<usize>(stored.size(), section->file_size)), rva - section->rva);
  }

 private:
  Bytes file_;
  const std::vector<Section>& sections_;
  u32 headers_size_;
};

}  // namespace wperf::symbols
