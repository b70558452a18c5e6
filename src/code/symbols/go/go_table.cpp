// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/go/go_table.h"

#include "code/symbols/go/go_format.h"

namespace wperf::symbols {

u64 GoValues::number() {
  constexpr u32 kMostBits = 35;
  u64 value = 0;
  for (u32 shift = 0; shift < kMostBits; shift += 7) {
    const u8 byte = list_.take<u8>();
    value |= u64{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  list_.fail();
  return 0;
}

bool GoValues::step() {
  const u64 difference = number();
  if (difference == 0 && has_begun_) list_.fail();  // the end of the list
  const u64 length = number();
  // No linker writes a length of 0, so a list has at most as many entries as the function has instructions.
  if (length == 0 || !list_.sound()) {
    list_.fail();
    return false;
  }
  has_begun_ = true;
  const auto half = static_cast<u32>(difference >> 1);
  value_ += (difference & 1) != 0 ? ~half : half;
  begin_ = end_;
  end_ += length * quantum_;
  return true;
}

std::optional<u32> GoValues::at(u64 address) {
  while (end_ <= address) {
    if (!step()) return std::nullopt;
  }
  return has_begun_ && address >= begin_ ? std::optional(value_) : std::nullopt;
}

std::optional<GoTable> GoTable::read(EndianBytes bytes) {
  const auto magic = bytes.at_or_zero<u32>(0);
  const auto quantum = bytes.at_or_zero<u8>(go::kQuantumAt);
  const bool known = magic == go::kMagic20 || magic == go::kMagic18 || magic == go::kMagic16 || magic == go::kMagic2;
  if (!known || bytes.at_or_zero<u16>(go::kPaddingAt) != 0 || bytes.at_or_zero<u8>(go::kPointerSizeAt) != 8) return {};
  if (quantum != 1 && quantum != 2 && quantum != 4) return {};
  GoTable out;
  out.quantum_ = quantum;
  out.count_ = bytes.at_or_zero<u64>(go::kCountAt);
  // Each function has a place and a record.
  if (out.count_ == 0 || out.count_ > bytes.size() / 8) return {};
  out.oldest_ = magic == go::kMagic2;
  out.wide_ = out.oldest_ || magic == go::kMagic16;
  if (!out.wide_) out.stored_text_ = bytes.at_or_zero<u64>(go::kTextAt);
  const bool sound =
      out.oldest_ ? out.read_oldest_parts(bytes) : out.read_parts(bytes, out.wide_ ? go::kPartsAt16 : go::kPartsAt18);
  if (!sound || !out.is_ordered() || !out.function(0).has_value()) return {};
  return out;
}

bool GoTable::read_parts(EndianBytes bytes, u64 parts_at) {
  u64 at[go::kParts] = {};
  for (u64 i = 0; i < go::kParts; ++i) {
    at[i] = bytes.at_or_zero<u64>(parts_at + 8 * i);
    // The linker writes the parts in this order.
    if (at[i] >= bytes.size() || at[i] <= (i == 0 ? parts_at : at[i - 1])) return false;
  }
  names_at_ = at[0];
  names_ = bytes.slice(at[0], at[1] - at[0]);
  units_ = bytes.slice(at[1], at[2] - at[1]);
  files_ = bytes.slice(at[2], at[3] - at[2]);
  values_ = bytes.slice(at[3], at[4] - at[3]);
  functions_ = bytes.from(at[4]);
  records_ = functions_;
  return true;
}

bool GoTable::read_oldest_parts(EndianBytes bytes) {
  functions_ = bytes.from(go::kFunctionsAt2);
  names_ = records_ = values_ = bytes;
  const u64 files_at = bytes.at_or_zero<u32>(go::kFunctionsAt2 + 16 * count_ + 8);
  units_ = bytes.from(files_at);
  files_ = bytes;
  return true;
}

u64 GoTable::place(u64 index) const {
  return wide_ ? functions_.at_or_zero<u64>(16 * index) : functions_.at_or_zero<u32>(8 * index);
}

u64 GoTable::record_at(u64 index) const {
  return wide_ ? functions_.at_or_zero<u64>(16 * index + 8) : functions_.at_or_zero<u32>(8 * index + 4);
}

bool GoTable::is_ordered() const {
  const u64 entry = wide_ ? 16 : 8;
  if (!functions_.holds(0, count_ * entry + entry / 2)) return false;
  for (u64 i = 0; i < count_; ++i) {
    if (place(i) > place(i + 1)) return false;
  }
  return first() < last();
}

std::optional<u64> GoTable::index_at(u64 address) const {
  if (address < text_ || address - text_ < first() || address - text_ >= last()) return std::nullopt;
  u64 low = 0, high = count_;  // the last function that begins at or before the address is in [low, high)
  while (high - low > 1) {
    const u64 middle = low + (high - low) / 2;
    if (place(middle) <= address - text_) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

std::optional<GoFunction> GoTable::function(u64 index) const {
  const u64 record = record_at(index);
  const u64 begin = wide_ ? records_.at_or_zero<u64>(record) : records_.at_or_zero<u32>(record);
  if (begin != place(index)) return std::nullopt;
  const auto name = names_.text(records_.at_or_zero<u32>(record + (wide_ ? 8 : 4)));
  if (!name.has_value() || name->empty()) return std::nullopt;
  return GoFunction{.begin = text_ + begin, .end = text_ + place(index + 1), .name = *name};
}

std::optional<GoFunction> GoTable::function_at(u64 address) const {
  const auto index = index_at(address);
  return index.has_value() ? function(*index) : std::nullopt;
}

std::string_view GoTable::file_name(u64 record, u32 number) const {
  constexpr u64 kNoFile = ~u32{0};
  if (oldest_ && number == 0) return {};  // files are numbered from 1
  const u64 first = oldest_ ? 0 : records_.at_or_zero<u32>(record + go::kUnitAt + (wide_ ? 4 : 0));
  const u64 name_at = units_.at_or_zero<u32>(4 * (first + number));
  return name_at != kNoFile ? files_.text(name_at).value_or("") : "";
}

GoLine GoTable::line_at(u64 address) const {
  const auto index = index_at(address);
  if (!index.has_value()) return {};
  const u64 record = record_at(*index);
  if (last_.index != *index || address < last_.address) {
    const u64 shift = wide_ ? 4 : 0, begin = text_ + place(*index);
    const auto list = [&](u64 offset_at) {
      const u64 offset = records_.at_or_zero<u32>(record + offset_at + shift);
      return GoValues(offset != 0 ? values_.from(offset) : EndianBytes(), begin, quantum_);
    };
    last_ = {.index = *index, .address = 0, .files = list(go::kFileListAt), .lines = list(go::kLineListAt)};
  }
  last_.address = address;
  const auto file = last_.files.at(address), line = last_.lines.at(address);
  if (!file.has_value() || !line.has_value()) return {};
  if (last_.file_name.empty() || last_.file != *file) {
    last_.file = *file;
    last_.file_name = file_name(record, *file);
  }
  constexpr u32 kMostLines = ~u32{0} >> 1;  // a damaged list may lead below 0
  if (last_.file_name.empty() || *line > kMostLines) return {};
  return {.file = last_.file_name, .line = *line};
}

void GoTable::for_each(const std::function<void(const GoFunction&)>& visit) const {
  // In a sound table each name belongs to one function. In a damaged table all functions may share one long name.
  u64 left = 2 * names_.size();
  for (u64 i = 0; i < count_; ++i) {
    const auto one = function(i);
    if (!one.has_value() || one->name.size() > left) return;
    left -= one->name.size();
    if (one->begin != one->end) visit(*one);
  }
}

}  // namespace wperf::symbols
