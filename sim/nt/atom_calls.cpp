// SPDX-License-Identifier: BSD-3-Clause
// Global atoms: numbers of texts, which all programs of the machine share. An atom below 0xc000 is its own number and
// has no entry.
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

// Returns the number of an atom like "#123", and 0 for other texts.
u32 number_of(std::string_view text) {
  u32 number = 0;
  if (text.size() < 2 || !text.starts_with('#')) return 0;
  const auto [end, problem] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() && number < GlobalAtoms::kFirst ? number : 0;
}

struct AtomName {
  std::string text;
  u32 number = 0;  // of an atom without an entry
};

// arguments: name or number, bytes of the name, atom
Status read_atom_name(Call& call, AtomName& out) {
  constexpr u64 kNumbers = 0x10000, kMostBytes = 510;
  const u64 name_at = call.argument(0), bytes = call.argument32(1);
  if (name_at < kNumbers) {
    out.number = static_cast<u32>(name_at);
    return out.number != 0 && out.number < GlobalAtoms::kFirst ? kSuccess : kInvalidParameter;
  }
  if (bytes == 0) return kObjectNameInvalid;
  if (bytes > kMostBytes) return kInvalidParameter;
  std::vector<u16> units(bytes / sizeof(u16));
  if (!call.read(name_at, units.data(), units.size() * sizeof(u16))) return kAccessViolation;
  out.text = to_utf8(units);
  out.number = number_of(out.text);
  return kSuccess;
}

u64 answer_atom(Call& call, u32 number) {
  return call.put_if_wanted(call.argument(2), static_cast<u16>(number)) ? kSuccess : kAccessViolation;
}

u64 add_atom(Call& call) {
  AtomName name;
  if (const Status status = read_atom_name(call, name); status != kSuccess) return status;
  if (name.number != 0) return answer_atom(call, name.number);
  GlobalAtoms& table = call.state.system->atoms;
  const std::string key = in_lower_case(name.text);
  if (const auto known = table.numbers.find(key); known != table.numbers.end()) {
    ++table.atoms[known->second - GlobalAtoms::kFirst].uses;
    return answer_atom(call, known->second);
  }
  if (table.free.empty()) {
    if (table.atoms.size() == GlobalAtoms::kMost) return kNoMemory;
    table.free.push_back(GlobalAtoms::kFirst + static_cast<u32>(table.atoms.size()));
    table.atoms.emplace_back();
  }
  const u32 number = table.free.back();
  table.free.pop_back();
  table.atoms[number - GlobalAtoms::kFirst] = {name.text, 1};
  table.numbers[key] = number;
  return answer_atom(call, number);
}

u64 find_atom(Call& call) {
  AtomName name;
  if (const Status status = read_atom_name(call, name); status != kSuccess) return status;
  if (name.number != 0) return answer_atom(call, name.number);
  const auto& numbers = call.state.system->atoms.numbers;
  const auto known = numbers.find(in_lower_case(name.text));
  return known != numbers.end() ? answer_atom(call, known->second) : u64{kObjectNameNotFound};
}

// Null if there is no such atom.
GlobalAtoms::Atom* entry_of(Call& call, u32 number) {
  auto& atoms = call.state.system->atoms.atoms;
  if (number < GlobalAtoms::kFirst || number - GlobalAtoms::kFirst >= atoms.size()) return nullptr;
  GlobalAtoms::Atom& atom = atoms[number - GlobalAtoms::kFirst];
  return atom.uses != 0 ? &atom : nullptr;
}

u64 delete_atom(Call& call) {
  const u32 number = call.argument32(0) & 0xffff;
  if (number != 0 && number < GlobalAtoms::kFirst) return kSuccess;
  GlobalAtoms::Atom* const atom = entry_of(call, number);
  if (atom == nullptr) return kInvalidHandle;
  if (--atom->uses != 0) return kSuccess;
  GlobalAtoms& table = call.state.system->atoms;
  table.numbers.erase(in_lower_case(atom->name));
  table.free.push_back(number);
  return kSuccess;
}

// arguments: atom, class (0), buffer, its size, size used. The answer is ATOM_BASIC_INFORMATION.
u64 query_atom(Call& call) {
  const u32 number = call.argument32(0) & 0xffff;
  if (call.argument32(1) != 0) return kInvalidInfoClass;
  const GlobalAtoms::Atom* const atom = entry_of(call, number);
  if (number >= GlobalAtoms::kFirst && atom == nullptr) return kInvalidHandle;
  if (number == 0) return kInvalidParameter;
  constexpr u16 kPinned = 1;
  const std::vector<u16> name = to_utf16(atom != nullptr ? atom->name : "#" + std::to_string(number));
  const auto uses = static_cast<u16>(atom != nullptr ? std::min(atom->uses, 0xffffu) : 1);
  std::vector<u16> answer = {uses, atom != nullptr ? u16{0} : kPinned, static_cast<u16>(name.size() * sizeof(u16))};
  answer.insert(answer.end(), name.begin(), name.end());
  answer.push_back(0);
  const u64 size = answer.size() * sizeof(u16), room = call.argument32(3);
  if (!call.put_if_wanted(call.argument(4), static_cast<u32>(size))) return 0;
  if (room < size) return room < 3 * sizeof(u16) ? kInfoLengthMismatch : kBufferTooSmall;
  return call.write(call.argument(2), answer.data(), size) ? kSuccess : kAccessViolation;
}

constexpr Service kAtoms[] = {
    {"NtAddAtom", add_atom},
    {"NtFindAtom", find_atom},
    {"NtDeleteAtom", delete_atom},
    {"NtQueryInformationAtom", query_atom},
};

}  // namespace

std::span<const Service> atom_services() {
  return kAtoms;
}

}  // namespace wperf::sim::nt
