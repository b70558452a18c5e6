// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/dwarf/scopes.h"

#include <algorithm>

#include "code/ordered.h"
#include "code/symbols/dwarf/dwarf_format.h"

namespace wperf::symbols::dwarf {
namespace {

constexpr usize kDeepest = 1024;     // limit for nested entries
constexpr usize kMostPieces = 1024;  // of a function; damaged files may have more

// Can types be skipped because they contain no code? In C++ only types within functions contain code, such as lambdas;
// in Rust any type contains its methods.
bool types_hold_no_code(u16 language, bool in_function) {
  switch (language) {
    case 0x01:    // C89
    case 0x02:    // C
    case 0x0c:    // C99
    case 0x1d:    // C11
    case 0x2c:    // C17
    case 0x8001:  // assembler
      return true;
    case 0x04:  // C++
    case 0x1a:  // C++11
    case 0x21:  // C++14
    case 0x2b:  // C++17
      return !in_function;
    default:
      return false;
  }
}

bool may_hold_code(u16 tag, bool types_do) {
  switch (tag) {
    case kTagArrayType:
    case kTagEnumerationType:
    case kTagFormalParameter:
    case kTagSubroutineType:
    case kTagVariable:
      return false;
    case kTagClassType:
    case kTagStructureType:
    case kTagUnionType:
      return types_do;
    default:
      return true;
  }
}

// The required attributes of an entry that is a function or an inlined function.
struct CodeEntry {
  Value low, high, ranges, origin;
  u64 sibling = 0;
  u64 call_file = 0, call_line = 0, call_discriminator = 0;
  bool is_declaration = false;
};

class Walker {
 public:
  using Pieces = std::unordered_map<u32, std::vector<code::AddressRange>>;
  struct Results {
    std::vector<Scope>& scopes;
    std::vector<Layer>& layers;
    Pieces& pieces;
  };
  Walker(const Unit& unit, DwarfDamage& damage, const Results& out)
      : unit_(unit),
        table_(unit.file->abbreviations(unit)),
        cursor_(unit.file->sections.info.slice(0, unit.end), unit.first_entry),
        damage_(damage),
        scopes_(out.scopes),
        layers_(out.layers),
        pieces_(out.pieces) {}

  void walk() {
    while (!cursor_.at_end() && !cursor_.failed()) {
      const u64 entry = cursor_.offset();
      const u64 code = cursor_.uleb();
      if (code == 0) {
        if (parents_.empty()) break;
        parents_.pop_back();
        if (parents_.empty()) break;
        continue;
      }
      const Abbreviation* abbreviation = table_.find(code);
      if (abbreviation == nullptr) {
        ++damage_.units;
        return;
      }
      Parent inner = parents_.empty() ? Parent{} : parents_.back();
      u64 sibling = 0;
      if (abbreviation->tag == kTagSubprogram || abbreviation->tag == kTagInlinedSubroutine) {
        inner.scope = read_function(entry, *abbreviation, inner.scope, sibling);
        inner.in_function = true;
      } else {
        skip_or_find_sibling(*abbreviation, sibling);
      }
      if (!abbreviation->has_children) {
        if (parents_.empty()) break;  // an empty unit
        continue;
      }
      if (sibling > cursor_.offset() && sibling < unit_.end) {
        cursor_.seek(sibling);
        continue;
      }
      if (parents_.size() >= kDeepest) {
        ++damage_.units;
        return;
      }
      parents_.push_back(inner);
    }
    if (cursor_.failed()) ++damage_.units;
  }

 private:
  struct Parent {
    u32 scope = kNoScope;
    bool in_function = false;
  };

  // `sibling` is set only if nothing below the entry is needed.
  void skip_or_find_sibling(const Abbreviation& abbreviation, u64& sibling) {
    const bool in_function = !parents_.empty() && parents_.back().in_function;
    const bool wants_sibling = abbreviation.has_children && abbreviation.has_sibling &&
                               !may_hold_code(abbreviation.tag, !types_hold_no_code(unit_.language, in_function));
    if (!wants_sibling && abbreviation.fixed_size != kVariableSize) {
      cursor_.skip(abbreviation.fixed_size);
      return;
    }
    const AttributeSpec* const specs = table_.attributes(abbreviation);
    for (u32 i = 0; i < abbreviation.count; ++i) {
      if (wants_sibling && specs[i].attribute == kAtSibling) {
        sibling = read_value(cursor_, unit_, specs[i]).number;
      } else {
        skip_value(cursor_, unit_.widths, specs[i].form);
      }
    }
  }

  CodeEntry read_entry(const Abbreviation& abbreviation) {
    CodeEntry out;
    const AttributeSpec* const specs = table_.attributes(abbreviation);
    for (u32 i = 0; i < abbreviation.count; ++i) {
      const AttributeSpec& spec = specs[i];
      switch (spec.attribute) {
        case kAtLowPc:
          out.low = read_value(cursor_, unit_, spec);
          break;
        case kAtHighPc:
          out.high = read_value(cursor_, unit_, spec);
          break;
        case kAtRanges:
          out.ranges = read_value(cursor_, unit_, spec);
          break;
        case kAtAbstractOrigin:
          out.origin = read_value(cursor_, unit_, spec);
          break;
        case kAtSibling:
          out.sibling = read_value(cursor_, unit_, spec).number;
          break;
        case kAtCallFile:
          out.call_file = read_value(cursor_, unit_, spec).number;
          break;
        case kAtCallLine:
          out.call_line = read_value(cursor_, unit_, spec).number;
          break;
        case kAtGnuDiscriminator:
          out.call_discriminator = read_value(cursor_, unit_, spec).number;
          break;
        case kAtDeclaration:
          out.is_declaration = read_value(cursor_, unit_, spec).number != 0;
          break;
        default:
          skip_value(cursor_, unit_.widths, spec.form);
          break;
      }
    }
    return out;
  }

  // Returns the scope that contains the entry's children.
  u32 read_function(u64 entry, const Abbreviation& abbreviation, u32 parent, u64& sibling) {
    const CodeEntry code = read_entry(abbreviation);
    ranges_.clear();
    if (!cursor_.failed()) read_ranges(unit_, {code.low, code.high, code.ranges}, ranges_, damage_);
    if (ranges_.empty()) {
      // A declaration has only parameters below it.
      if (code.is_declaration) sibling = code.sibling;
      // DWARF 2 cannot describe code in several pieces, so the entries below may have other ranges.
      if (code.is_declaration || !abbreviation.has_children) return parent;
    }
    Scope scope;
    scope.entry = entry;
    scope.is_inlined = abbreviation.tag == kTagInlinedSubroutine;
    // A function itself may have a linkage name that its origin lacks, as constructors of GCC do.
    const bool refers = code.origin.kind == ValueKind::reference || code.origin.kind == ValueKind::alternate_reference;
    if (scope.is_inlined && refers) {
      scope.entry = code.origin.number;
      scope.entry_is_alternate = code.origin.kind == ValueKind::alternate_reference;
    }
    scope.parent = scope.is_inlined ? parent : kNoScope;
    scope.call_file = static_cast<u32>(code.call_file);
    scope.call_line = static_cast<u32>(code.call_line);
    scope.call_discriminator = static_cast<u32>(code.call_discriminator);
    const auto index = static_cast<u32>(scopes_.size());
    scopes_.push_back(scope);
    if (!scope.is_inlined && ranges_.size() > 1 && ranges_.size() <= kMostPieces) pieces_.emplace(index, ranges_);
    for (const code::AddressRange& range : ranges_) {
      layers_.push_back({range, static_cast<u32>(parents_.size()), index});
    }
    return index;
  }

  const Unit& unit_;
  const AbbreviationTable& table_;
  Cursor cursor_;
  DwarfDamage& damage_;
  std::vector<Scope>& scopes_;
  std::vector<Layer>& layers_;
  Pieces& pieces_;
  std::vector<Parent> parents_;  // the enclosing scopes, by depth
  std::vector<code::AddressRange> ranges_;
};

}  // namespace

std::vector<Stretch> flatten(std::vector<Layer> layers) {
  code::order_by(layers, [](const Layer& one) { return std::pair(one.range.begin, one.depth); });
  std::vector<Stretch> out;
  out.reserve(layers.size() * 2);
  const auto from = [&](u64 begin, u32 owner) {
    if (!out.empty() && out.back().begin == begin) out.pop_back();
    if (out.empty() ? owner != kNoScope : out.back().owner != owner) out.push_back({begin, owner});
  };
  std::vector<const Layer*> open;
  // A nested range should end within the outer one; if it does not, the part beyond the end is ignored.
  const auto close_until = [&](u64 address) {
    while (!open.empty() && open.back()->range.end <= address) {
      const u64 end = open.back()->range.end;
      while (!open.empty() && open.back()->range.end <= end) open.pop_back();
      from(end, open.empty() ? kNoScope : open.back()->owner);
    }
  };
  for (const Layer& layer : layers) {
    close_until(layer.range.begin);
    from(layer.range.begin, layer.owner);
    open.push_back(&layer);
  }
  close_until(~u64{0});
  return out;
}

ScopeTable::ScopeTable(const Unit& unit, DwarfDamage& damage) {
  std::vector<Layer> layers;
  Walker(unit, damage, {scopes_, layers, pieces_}).walk();
  for (const Stretch& one : flatten(std::move(layers))) segments_.push_back({one.begin, one.owner});
}

u32 ScopeTable::find(u64 address) const {
  const auto after = std::partition_point(segments_.begin(), segments_.end(),
                                          [&](const Segment& one) { return one.begin <= address; });
  return after == segments_.begin() ? kNoScope : (after - 1)->scope;
}

u32 ScopeTable::function_of(u32 scope) const {
  while (scopes_[scope].parent != kNoScope) scope = scopes_[scope].parent;
  return scope;
}

code::AddressRange ScopeTable::function_piece(u64 address) const {
  const auto after = std::partition_point(segments_.begin(), segments_.end(),
                                          [&](const Segment& one) { return one.begin <= address; });
  if (after == segments_.begin() || (after - 1)->scope == kNoScope) return {};
  const u32 function = function_of((after - 1)->scope);
  const auto is_its = [&](const Segment& one) { return one.scope != kNoScope && function_of(one.scope) == function; };
  auto first = after - 1, last = after;
  while (first != segments_.begin() && is_its(*(first - 1))) --first;
  while (last != segments_.end() && is_its(*last)) ++last;
  return {first->begin, last == segments_.end() ? address + 1 : last->begin};
}

std::span<const code::AddressRange> ScopeTable::pieces_of(u32 function) const {
  const auto found = pieces_.find(function);
  return found != pieces_.end() ? found->second : std::span<const code::AddressRange>();
}

std::vector<code::AddressRange> ScopeTable::covered() const {
  std::vector<code::AddressRange> out;
  for (usize i = 0; i + 1 < segments_.size(); ++i) {
    if (segments_[i].scope != kNoScope) out.push_back({segments_[i].begin, segments_[i + 1].begin});
  }
  return out;
}

}  // namespace wperf::symbols::dwarf
