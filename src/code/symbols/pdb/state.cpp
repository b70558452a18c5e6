// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/state.h"

#include <algorithm>

#include "base/ascii.h"
#include "code/ordered.h"
#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/contents.h"
#include "code/symbols/pdb/pdb_format.h"

namespace wperf::symbols {
namespace {

pdb::NumberedRecords numbered_records(pdb::MsfFile& msf, u32 stream_number, Damage& damage) {
  const bytes::View stream = msf.stream(stream_number, damage);
  pdb::TypesHeader header;
  if (!stream.load(0, header)) return {};
  bytes::View index_offsets;
  if (header.hash_stream != pdb::kNoStream) {
    index_offsets =
        msf.stream(header.hash_stream, damage).slice(header.index_offsets_offset, header.index_offsets_size);
  }
  return {header, stream, index_offsets};
}

}  // namespace

void PdbFile::State::load_contents() {
  if (has_contents) return;
  has_contents = true;
  if (!dbi.has_value()) return;
  compilands = dbi->compilands(damage);
  loaded.resize(compilands.size());
  const auto section_table = [&](pdb::DebugHeader place) {
    const u32 number = dbi->debug_stream(place);
    return number == pdb::kNoStream ? bytes::View() : stream(number);
  };
  addresses = pdb::AddressMap(
      section_table(pdb::DebugHeader::sections), section_table(pdb::DebugHeader::original_sections),
      section_table(pdb::DebugHeader::omap_from_source), section_table(pdb::DebugHeader::omap_to_source));
  contributions = pdb::Contributions(dbi->contributions());
}

void PdbFile::State::load_names() {
  if (has_names) return;
  has_names = true;
  const auto number = pdb::find_named_stream(stream(pdb::kInfoStream), "/names");
  if (number.has_value()) names = pdb::parse_names(stream(*number));
}

void PdbFile::State::load_type_names() {
  if (has_type_names) return;
  has_type_names = true;
  type_names = pdb::TypeNames(numbered_records(msf, pdb::kTypeStream, damage),
                              numbered_records(msf, pdb::kIdStream, damage), file_size);
}

void PdbFile::State::load_publics() {
  if (has_publics) return;
  has_publics = true;
  load_contents();
  if (!dbi.has_value() || dbi->header().records_stream == pdb::kNoStream) return;
  const u32 number = dbi->header().publics_stream;
  publics = pdb::read_publics(number == pdb::kNoStream ? bytes::View() : stream(number),
                              stream(dbi->header().records_stream), addresses, damage);
}

void PdbFile::State::load_functions() {
  if (has_functions) return;
  has_functions = true;
  load_publics();
  std::vector<Function> procedures;
  u64 count = 0;
  for (u32 i = 0; i < compilands.size(); ++i) {
    count += load_symbols(i).procedures.size();
  }
  procedures.reserve(count);
  for (const LoadedCompiland& compiland : loaded) {
    for (const pdb::Procedure& procedure : compiland.procedures) {
      procedures.push_back(procedure.function);
    }
  }
  const auto is_before = [](const Function& a, const Function& b) { return a.rva < b.rva; };
  code::order_by(procedures, [](const Function& one) { return one.rva.value; });

  std::vector<Function> uncovered;
  u64 covered_end = 0;
  auto procedure = procedures.begin();
  for (usize i = 0; i < publics.functions.size(); ++i) {
    const Function& one = publics.functions[i];
    for (; procedure != procedures.end() && procedure->rva <= one.rva; ++procedure) {
      covered_end = std::max(covered_end, u64{procedure->rva.value} + procedure->size);
    }
    if (one.rva.value >= covered_end && publics.are_code[i]) uncovered.push_back(one);
  }
  functions.resize(procedures.size() + uncovered.size());
  std::merge(procedures.begin(), procedures.end(), uncovered.begin(), uncovered.end(), functions.begin(), is_before);
}

PdbFile::State::LoadedCompiland& PdbFile::State::load_symbols(u32 number) {
  LoadedCompiland& compiland = loaded[number];
  const pdb::Compiland& head = compilands[number];
  if (compiland.has_symbols) return compiland;
  compiland.has_symbols = true;
  if (head.stream == pdb::kNoStream || head.symbols_size == 0) return compiland;
  const bytes::View bytes = stream(head.stream).slice(0, head.symbols_size);
  u32 signature = 0;
  if (!bytes.load(0, signature) || signature != pdb::kModuleSignature || bytes.size() < head.symbols_size) {
    ++damage.streams;
    if (signature != pdb::kModuleSignature) return compiland;
  }
  compiland.symbols = bytes;
  compiland.procedures = pdb::read_procedures(bytes, number, addresses, damage);
  return compiland;
}

pdb::LineTables& PdbFile::State::load_lines(u32 number) {
  LoadedCompiland& compiland = loaded[number];
  const pdb::Compiland& head = compilands[number];
  if (compiland.has_lines) return compiland.lines;
  compiland.has_lines = true;
  if (head.stream == pdb::kNoStream || head.c13_size == 0) return compiland.lines;
  const u64 begin = u64{head.symbols_size} + head.c11_size;
  const bytes::View bytes = stream(head.stream).slice(begin, head.c13_size);
  if (bytes.size() < head.c13_size) ++damage.streams;
  compiland.lines = pdb::LineTables(bytes, addresses, damage);
  return compiland.lines;
}

std::optional<u32> PdbFile::State::compiland_around(code::Rva rva, pdb::SourceRva source) {
  if (!contributions.empty()) {
    const auto place = addresses.place(source);
    return place.has_value() ? contributions.compiland_at(*place) : std::nullopt;
  }
  // If the linker's list is missing, the procedures are used instead.
  load_functions();
  const auto after =
      std::partition_point(functions.begin(), functions.end(), [&](const Function& one) { return one.rva <= rva; });
  if (after == functions.begin()) return std::nullopt;
  const code::Rva nearest = (after - 1)->rva;
  return std::partition_point(functions.begin(), after, [&](const Function& one) { return one.rva < nearest; })->module;
}

std::optional<PdbFile::State::Place> PdbFile::State::find(code::Rva rva) {
  load_contents();
  const auto source = addresses.source(rva);
  if (!source.has_value()) return std::nullopt;
  Place result{.rva = *source};
  const auto number = compiland_around(rva, *source);
  if (!number.has_value() || *number >= compilands.size()) return result;
  result.compiland = &load_symbols(*number);
  result.compiland_number = *number;
  result.procedure = pdb::find_procedure(result.compiland->procedures, *source);
  return result;
}

PdbFile::State::FoldedPlace PdbFile::State::place_among_folded(const Function& function, pdb::SourceRva begin) {
  const std::vector<pdb::Procedure>& procedures = load_symbols(function.module).procedures;
  FoldedPlace result;
  for (auto one = std::partition_point(procedures.begin(), procedures.end(),
                                       [&](const pdb::Procedure& other) { return other.begin < begin; });
       one != procedures.end() && one->begin == begin; ++one) {
    if (one->function.name.data() == function.name.data()) result.place = result.count;
    ++result.count;
  }
  return result;
}

// The nearest symbol at or below the address in the same section. If several symbols have the same RVA, returns the
// first one that is code.
const Function* PdbFile::State::public_at(code::Rva rva) {
  load_publics();
  const std::vector<Function>& all = publics.functions;
  auto at = std::partition_point(all.begin(), all.end(), [&](const Function& one) { return one.rva <= rva; });
  if (at == all.begin()) return nullptr;
  --at;
  const auto first = std::partition_point(all.begin(), at, [&](const Function& one) { return one.rva < at->rva; });
  const u16 section = addresses.section_of(rva);
  if (section == 0 || addresses.section_of(first->rva) != section) return nullptr;
  for (auto one = first; one != all.end() && one->rva == first->rva; ++one) {
    if (publics.are_code[static_cast<usize>(one - all.begin())]) return &*one;
  }
  return &*first;
}

u32 PdbFile::State::global_id(u32 compiland, u32 inlinee) {
  if ((inlinee & pdb::kIdIsImported) == 0) return inlinee;
  const auto [place, is_new] = resolved_imports.try_emplace(u64{compiland} << 32 | inlinee);
  if (is_new) place->second = resolve_import(compiland, inlinee);
  return place->second;
}

u32 PdbFile::State::resolve_import(u32 compiland, u32 inlinee) {
  const auto imported = load_lines(compiland).imported(inlinee);
  if (!imported.has_value()) return 0;
  // The linker writes a compiland's name unchanged in one place and in lower case in another.
  if (compilands_by_name.empty()) {
    for (u32 i = 0; i < compilands.size(); ++i) {
      compilands_by_name.try_emplace(in_lower_case(std::string(compilands[i].name)), i);
    }
  }
  load_names();
  const auto name = names.text(imported->compiland_name);
  if (!name.has_value()) return 0;
  const auto exporter = compilands_by_name.find(in_lower_case(std::string(*name)));
  if (exporter == compilands_by_name.end()) return 0;
  return load_lines(exporter->second).exported(imported->local).value_or(0);
}

void PdbFile::State::find_declaration(u32 number, const pdb::Procedure& procedure, Frame& frame) {
  frame.declared_line = declared_line(number, procedure.function.name);
  if (frame.declared_line != 0) return;
  frame.declared_line = first_line(number, procedure.begin);
  frame.is_first_line = frame.declared_line != 0;
}

// Found in the table of functions that were inlined somewhere in this compiland.
u32 PdbFile::State::declared_line(u32 number, std::string_view function) {
  auto& declared = loaded[number].declared_lines;
  if (!declared.has_value()) {
    declared.emplace();
    load_type_names();
    for (const pdb::InlineeLine& inlinee : load_lines(number).inlinees()) {
      const std::string_view name = type_names.function(global_id(number, inlinee.inlinee));
      const auto [known, is_new] = declared->try_emplace(name, inlinee.line);
      if (!is_new && known->second != inlinee.line) known->second = 0;
    }
  }
  const auto known = declared->find(function);
  return known != declared->end() ? known->second : 0;
}

// Two rows may have the same address; then the first one is the function's own row, without any code.
u32 PdbFile::State::first_line(u32 number, pdb::SourceRva begin) {
  const auto [known, is_new] = loaded[number].first_lines.try_emplace(begin);
  if (!is_new) return known->second;
  const pdb::LineTables& lines = load_lines(number);
  const pdb::LineRange* const range = lines.find_range(begin);
  if (range == nullptr || range->begin != begin) return 0;
  rows.clear();
  lines.rows_of(*range, rows, damage);
  if (!rows.empty()) known->second = rows.front().line;
  return known->second;
}

void PdbFile::State::append_lines(u32 number, const pdb::LineRange& range, std::vector<Line>& out) {
  load_names();
  const pdb::LineTables& tables = loaded[number].lines;
  rows.clear();
  tables.rows_of(range, rows, damage);
  u32 file = 0;
  std::string_view file_name;
  for (const pdb::SourceRow& row : rows) {
    const auto rva = addresses.image(range.begin + row.offset);
    if (!rva.has_value()) continue;
    if (file_name.data() == nullptr || row.file != file) {
      file = row.file;
      file_name = tables.file_name(file, names);
    }
    out.push_back({*rva, pdb::size_behind(*rva, row.size), row.line, file_name});
  }
}

}  // namespace wperf::symbols
