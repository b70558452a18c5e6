// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/dwarf/dwarf_file.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "code/address.h"
#include "code/symbols/dwarf/dwarf_format.h"
#include "code/symbols/dwarf/dwarf_unit.h"
#include "code/symbols/dwarf/line_table.h"
#include "code/symbols/dwarf/scopes.h"

namespace wperf::symbols {

using dwarf::InfoFile;
using dwarf::kNoScope;
using dwarf::LineTable;
using dwarf::Scope;
using dwarf::ScopeTable;
using dwarf::Unit;

struct DwarfFile::State {
  struct LoadedUnit {
    const Unit* code = nullptr;  // the unit that contains the functions: the unit itself, or its split unit
    ScopeTable scopes;
    const LineTable* lines = nullptr;
  };

  void open(const DwarfSections& sections, const DwarfSections& alternate_sections);
  void index_units();
  const LoadedUnit& load(u32 number);
  const Unit* open_split_unit(const Unit& skeleton);
  const LineTable* load_lines(const Unit& unit);
  const LoadedUnit* unit_at(u64 address);
  const InfoFile* file_of(const LoadedUnit& unit, const Scope& scope) const {
    return scope.entry_is_alternate ? alternate.get() : unit.code->file;
  }
  std::string_view name_of(const LoadedUnit& unit, const Scope& scope) const {
    const InfoFile* const file = file_of(unit, scope);
    return file != nullptr ? dwarf::function_name(*file, scope.entry) : std::string_view();
  }
  u32 declared_line_of(const LoadedUnit& unit, const Scope& scope) const {
    const InfoFile* const file = file_of(unit, scope);
    return file != nullptr ? dwarf::declared_line(*file, scope.entry) : 0;
  }
  void frames_at(u64 address, std::vector<DwarfFrame>& out, bool declarations);
  std::optional<DwarfFunction> function_at(u64 address);
  std::span<const code::AddressRange> pieces_at(u64 address);

  std::unique_ptr<InfoFile> main, alternate;
  std::vector<std::unique_ptr<InfoFile>> split_files;
  SplitOpener open_split;
  std::vector<dwarf::Stretch> covered;  // code that units cover
  std::vector<std::unique_ptr<LoadedUnit>> loaded;
  std::map<u64, LineTable> line_tables;
  DwarfDamage damage;
};

void DwarfFile::State::open(const DwarfSections& sections, const DwarfSections& alternate_sections) {
  if (!alternate_sections.info.empty()) {
    alternate = std::make_unique<InfoFile>(alternate_sections);
    alternate->read_units(damage);
  }
  main = std::make_unique<InfoFile>(sections, alternate.get());
  main->read_units(damage);
  loaded.resize(main->units.size());
  index_units();
}

void DwarfFile::State::index_units() {
  std::vector<dwarf::Layer> layers;
  std::vector<code::AddressRange> ranges;
  const auto is_old = [](const Unit& unit) {
    return unit.widths.version == 2 && unit.ranges.kind == dwarf::ValueKind::none;
  };
  const bool any_old = std::any_of(main->units.begin(), main->units.end(), is_old);
  const auto table = any_old ? dwarf::read_address_table(*main) : std::map<u64, std::vector<code::AddressRange>>();
  for (u32 i = 0; i < main->units.size(); ++i) {
    const Unit& unit = main->units[i];
    if (unit.type == dwarf::kUnitType || unit.tag == dwarf::kTagPartialUnit) continue;
    ranges.clear();
    const dwarf::Value low = {
        unit.low_pc.has_value() ? dwarf::ValueKind::address : dwarf::ValueKind::none, unit.low_pc.value_or(0), {}};
    dwarf::read_ranges(unit, {low, unit.high_pc, unit.ranges}, ranges, damage);
    if (const auto more = table.find(unit.offset); more != table.end() && is_old(unit)) {
      ranges.insert(ranges.end(), more->second.begin(), more->second.end());
    }
    const bool says_it = unit.ranges.kind != dwarf::ValueKind::none || unit.high_pc.kind != dwarf::ValueKind::none;
    if (!says_it && unit.has_children) ranges = load(i).scopes.covered();
    // If several units claim the same code (because the linker kept only one of several copies of a function), the code
    // is assigned to the first unit.
    for (const code::AddressRange& range : ranges) layers.push_back({range, ~i, i});
  }
  covered = dwarf::flatten(std::move(layers));
}

const Unit* DwarfFile::State::open_split_unit(const Unit& skeleton) {
  const std::string_view name = dwarf::text_of(skeleton, skeleton.split_name);
  if (name.empty() || !open_split) return nullptr;
  DwarfSections sections = open_split({name, dwarf::text_of(skeleton, skeleton.folder), skeleton.split_id});
  if (!sections.cu_index.empty()) sections = dwarf::sections_of_unit(sections, skeleton.split_id);
  if (sections.info.empty()) return nullptr;
  auto file = std::make_unique<InfoFile>(sections);
  file->read_units(damage);
  for (Unit& unit : file->units) {
    if (unit.split_id != skeleton.split_id || unit.type == dwarf::kUnitSplitType) continue;
    unit.skeleton = &skeleton;
    split_files.push_back(std::move(file));
    return &unit;
  }
  ++damage.units;  // the split file belongs to another build
  return nullptr;
}

const LineTable* DwarfFile::State::load_lines(const Unit& unit) {
  if (!unit.statement_list.has_value()) return nullptr;
  const u64 offset = *unit.statement_list;
  auto known = line_tables.find(offset);
  if (known == line_tables.end()) known = line_tables.try_emplace(offset, unit, offset, damage).first;
  return &known->second;
}

const DwarfFile::State::LoadedUnit& DwarfFile::State::load(u32 number) {
  std::unique_ptr<LoadedUnit>& place = loaded[number];
  if (place != nullptr) return *place;
  place = std::make_unique<LoadedUnit>();
  const Unit& unit = main->units[number];
  const Unit* const split = unit.split_name.kind != dwarf::ValueKind::none ? open_split_unit(unit) : nullptr;
  place->code = split != nullptr ? split : &unit;
  place->scopes = ScopeTable(*place->code, damage);
  place->lines = load_lines(unit);
  return *place;
}

const DwarfFile::State::LoadedUnit* DwarfFile::State::unit_at(u64 address) {
  const auto after = std::partition_point(covered.begin(), covered.end(),
                                          [&](const dwarf::Stretch& one) { return one.begin <= address; });
  if (after == covered.begin() || (after - 1)->owner == kNoScope) return nullptr;
  return &load((after - 1)->owner);
}

std::optional<DwarfFunction> DwarfFile::State::function_at(u64 address) {
  const LoadedUnit* const unit = unit_at(address);
  const u32 scope = unit != nullptr ? unit->scopes.find(address) : kNoScope;
  if (scope == kNoScope) return std::nullopt;
  const std::string_view name = name_of(*unit, unit->scopes[unit->scopes.function_of(scope)]);
  if (name.empty()) return std::nullopt;
  const code::AddressRange piece = unit->scopes.function_piece(address);
  return DwarfFunction{.begin = piece.begin, .end = piece.end, .name = name};
}

std::span<const code::AddressRange> DwarfFile::State::pieces_at(u64 address) {
  const LoadedUnit* const unit = unit_at(address);
  const u32 scope = unit != nullptr ? unit->scopes.find(address) : kNoScope;
  return scope != kNoScope ? unit->scopes.pieces_of(unit->scopes.function_of(scope))
                           : std::span<const code::AddressRange>();
}

void DwarfFile::State::frames_at(u64 address, std::vector<DwarfFrame>& out, bool declarations) {
  const LoadedUnit* const found = unit_at(address);
  if (found == nullptr) return;
  const LoadedUnit& unit = *found;
  u32 at = unit.scopes.find(address);
  const auto declared = [&] {
    return at != kNoScope ? declared_line_of(unit, unit.scopes[unit.scopes.function_of(at)]) : 0;
  };
  DwarfFrame frame;
  if (unit.lines != nullptr) {
    if (const LineTable::Row* row = unit.lines->find(address, declared); row != nullptr) {
      frame.line = row->line;
      frame.discriminator = row->discriminator;
      frame.file = unit.lines->path(row->file);
    }
  }
  if (at == kNoScope) {
    if (!frame.file.empty()) out.push_back(frame);
    return;
  }
  while (at != kNoScope) {
    const Scope& scope = unit.scopes[at];
    at = scope.parent;
    // A damaged file may nest a thousand functions; frames between the innermost ones and the outermost function are
    // left out.
    if (out.size() < code::kMostFrames - 1 || at == kNoScope) {
      frame.function = name_of(unit, scope);
      if (declarations) frame.declared_line = declared_line_of(unit, scope);
      frame.inlined = scope.is_inlined;
      out.push_back(frame);
    }
    frame.file = unit.lines != nullptr ? unit.lines->path(scope.call_file) : std::string_view();
    frame.line = scope.call_line;
    frame.discriminator = scope.call_discriminator;
  }
}

DwarfFile::DwarfFile() : state_(std::make_unique<State>()) {}
DwarfFile::DwarfFile(DwarfFile&&) noexcept = default;
DwarfFile& DwarfFile::operator=(DwarfFile&&) noexcept = default;
DwarfFile::~DwarfFile() = default;

DwarfFile DwarfFile::open(const DwarfSections& sections, const DwarfSections& alternate, SplitOpener open_split) {
  DwarfFile out;
  out.state_->open_split = std::move(open_split);
  out.state_->open(sections, alternate);
  return out;
}

void DwarfFile::frames_at(u64 address, std::vector<DwarfFrame>& out, bool declarations) const {
  out.clear();
  state_->frames_at(address, out, declarations);
}

std::optional<DwarfFunction> DwarfFile::function_at(u64 address) const {
  return state_->function_at(address);
}

std::vector<code::AddressRange> DwarfFile::pieces_at(u64 address) const {
  const std::span<const code::AddressRange> pieces = state_->pieces_at(address);
  return {pieces.begin(), pieces.end()};
}

DwarfDamage DwarfFile::damage() const {
  return state_->damage;
}

}  // namespace wperf::symbols
