// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/code_objects.h"

#include <array>

#include "code/python/code_mark.h"
#include "code/python/objects.h"

namespace wperf::python {
namespace {

constexpr usize kMostRemembered = 1 << 16;

std::optional<MarkedFields> read_marked_fields(ProcessMemory& memory, const Layout& layout, u64 code) {
  const MarkedPart part = marked_part(layout);
  std::array<std::byte, kMostMarkedBytes> bytes;
  const std::span<std::byte> wanted = std::span(bytes).first(part.end - part.begin);
  if (!memory.read_bytes(code + part.begin, wanted)) return std::nullopt;
  return marked_fields(layout, wanted);
}

}  // namespace

std::optional<u32> CodeObjects::id_of(const RawFrame& frame) {
  if (frame.code == 0) return id_of_instruction(frame.instruction);
  if (frame.mark == 0) return std::nullopt;
  const Key key{frame.code, frame.mark};
  if (const auto known = ids_.find(key); known != ids_.end()) return known->second;
  if (is_given_up(key)) return std::nullopt;
  std::optional<CodeObject> object = read(frame);
  if (!object.has_value()) return std::nullopt;
  return add(key, *std::move(object));
}

std::optional<u32> CodeObjects::id_of_instruction(u64 instruction) const {
  const auto after = by_instruction_.upper_bound(instruction);
  if (after == by_instruction_.begin()) return std::nullopt;
  const u32 id = std::prev(after)->second;
  if (instruction - objects_[id].instructions >= lines(id).size()) return std::nullopt;
  return id;
}

u32 CodeObjects::add(const Key& key, CodeObject object) {
  const auto id = static_cast<u32>(objects_.size());
  failures_.erase(key);
  bytes_ += object.file.size() + object.qualified_name.size();
  bytes_ += object.lines.rows().size() * sizeof(LineTable::Row);
  by_instruction_[object.instructions] = id;
  objects_.push_back(std::move(object));
  ids_.emplace(key, id);
  return id;
}

// Counts an attempt. After a few failures the address is considered wrong: it comes from a torn stack.
bool CodeObjects::is_given_up(const Key& key) {
  constexpr u8 kMostAttempts = 3;
  if (objects_.size() >= kMostObjects || bytes_ >= kMostTotalBytes) return true;
  if (failures_.size() >= kMostRemembered) failures_.clear();
  u8& attempts = failures_[key];
  if (attempts == kMostAttempts) return true;
  ++attempts;
  return false;
}

std::optional<CodeObject> CodeObjects::read(const RawFrame& frame) {
  const auto fields = read_marked_fields(memory_, layout_, frame.code);
  if (!fields.has_value() || mark_of(*fields) != frame.mark) return std::nullopt;
  auto file = read_text(memory_, layout_, fields->file);
  auto name = read_text(memory_, layout_, fields->qualified_name);
  auto table = read_byte_object(memory_, layout_, fields->line_table);
  if (!file.has_value() || !name.has_value() || !table.has_value()) return std::nullopt;
  if (file->type != name->type || fields->first_line > 0x7fffffff) return std::nullopt;
  // If the marked fields are unchanged, the name and line objects read in between still belong to the code object.
  const auto again = read_marked_fields(memory_, layout_, frame.code);
  if (!again.has_value() || mark_of(*again) != frame.mark) return std::nullopt;
  CodeObject out;
  out.file = std::move(file->text);
  out.qualified_name = std::move(name->text);
  out.lines = LineTable(*table, fields->first_line);
  out.instructions = frame.code + layout_.code.instructions;
  return out;
}

}  // namespace wperf::python
