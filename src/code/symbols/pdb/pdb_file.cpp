// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/pdb_file.h"

#include <algorithm>
#include <cstdint>

#include "code/symbols/pdb/contents.h"
#include "code/symbols/pdb/state.h"

namespace wperf::symbols {
namespace {

// A line of an inlined function: its first line plus the offset in an inline site. 0 if the result is not a possible
// line, which happens in damaged files.
u32 moved_line(u32 first, int lines) {
  constexpr std::int64_t kMostLines = 0xff'ffff;  // a row stores the line in 24 bits
  const std::int64_t line = std::int64_t{first} + lines;
  return line > 0 && line <= kMostLines ? static_cast<u32>(line) : 0;
}

}  // namespace

PdbFile::PdbFile() = default;
PdbFile::PdbFile(PdbFile&&) noexcept = default;
PdbFile& PdbFile::operator=(PdbFile&&) noexcept = default;
PdbFile::~PdbFile() = default;

diag::Result<PdbFile> PdbFile::open(std::span<const std::byte> file) {
  WPERF_TRY(pdb::MsfFile msf, pdb::MsfFile::open(file));
  PdbFile result;
  result.state_ = std::make_unique<State>(std::move(msf));
  State& state = *result.state_;
  state.file_size = file.size();
  const auto id = pdb::parse_pdb_id(state.stream(pdb::kInfoStream));
  if (!id.has_value()) {
    return diag::Error{.text = "The PDB does not name its build.", .hint = {}, .code = diag::ExitCode::damaged_input};
  }
  state.id = *id;
  state.dbi = pdb::Dbi::parse(state.stream(pdb::kDbiStream));
  // Tools that edit a PDB after linking increase the age in its info stream; the image has the age from this header.
  if (state.dbi.has_value()) state.id.age = state.dbi->header().age;
  return result;
}

const code::PdbId& PdbFile::id() const {
  return state_->id;
}

std::span<const Function> PdbFile::functions() const {
  state_->load_functions();
  return state_->functions;
}

std::span<const Function> PdbFile::publics() const {
  state_->load_publics();
  return state_->publics.functions;
}

const Function* PdbFile::function_at(code::Rva rva) const {
  const auto place = state_->find(rva);
  if (!place.has_value()) return nullptr;
  return place->procedure != nullptr ? &place->procedure->function : state_->public_at(rva);
}

void PdbFile::frames_at(code::Rva rva, std::vector<Frame>& out, bool declarations) const {
  out.clear();
  State& state = *state_;
  const auto place = state.find(rva);
  if (!place.has_value()) return;
  if (place->compiland == nullptr) {
    if (const Function* function = state.public_at(rva)) out.emplace_back().function = function->name;
    return;
  }
  state.load_names();
  pdb::LineTables& lines = state.load_lines(place->compiland_number);
  Frame outermost;
  if (const pdb::LineRange* range = lines.find_range(place->rva)) {
    if (const auto row = lines.row_at(*range, place->rva)) {
      outermost.file = lines.file_name(row->file, state.names);
      outermost.line = row->line;
    }
  }
  if (place->procedure == nullptr) {
    const Function* function = state.public_at(rva);
    if (function != nullptr) outermost.function = function->name;
    if (function != nullptr || !outermost.file.empty()) out.push_back(outermost);
    return;
  }
  outermost.function = place->procedure->function.name;
  state.sites.clear();
  pdb::find_inline_sites(place->compiland->symbols, *place->procedure, place->rva - place->procedure->begin,
                         state.sites);
  if (!state.sites.empty()) state.load_type_names();
  for (auto site = state.sites.rbegin(); site != state.sites.rend() && out.size() < code::kMostFrames - 1; ++site) {
    const u32 id = state.global_id(place->compiland_number, site->inlinee);
    Frame frame{.function = state.type_names.function(id), .file = {}, .inlined = true};
    if (const auto inlinee = lines.inlinee(site->inlinee)) {
      if (declarations) frame.declared_line = inlinee->line;
      frame.file = lines.file_name(site->has_file ? site->file : inlinee->file, state.names);
      frame.line = moved_line(inlinee->line, site->line_offset);
    }
    out.push_back(frame);
  }
  if (declarations) state.find_declaration(place->compiland_number, *place->procedure, outermost);
  out.push_back(outermost);
}

bool PdbFile::is_c_at(code::Rva rva) const {
  const auto place = state_->find(rva);
  return place.has_value() && place->compiland != nullptr && pdb::is_c(place->compiland->symbols);
}

std::optional<Line> PdbFile::line_at(code::Rva rva) const {
  State& state = *state_;
  const auto place = state.find(rva);
  if (!place.has_value() || place->compiland == nullptr) return std::nullopt;
  state.load_names();
  pdb::LineTables& lines = state.load_lines(place->compiland_number);
  const pdb::LineRange* range = lines.find_range(place->rva);
  if (range == nullptr) return std::nullopt;
  const auto row = lines.row_at(*range, place->rva);
  if (!row.has_value()) return std::nullopt;
  const auto begin = state.addresses.image(range->begin + row->offset);
  if (!begin.has_value()) return std::nullopt;
  return Line{*begin, pdb::size_behind(*begin, row->size), row->line, lines.file_name(row->file, state.names)};
}

std::vector<Line> PdbFile::lines_of(const Function& function) const {
  State& state = *state_;
  state.load_contents();
  std::vector<Line> result;
  const auto source = state.addresses.source(function.rva);
  if (!source.has_value() || function.module >= state.compilands.size()) return result;
  const std::vector<pdb::LineRange>& ranges = state.load_lines(function.module).ranges();
  auto begin = std::partition_point(ranges.begin(), ranges.end(),
                                    [&](const pdb::LineRange& one) { return one.begin < *source; });
  const auto own_end =
      std::partition_point(begin, ranges.end(), [&](const pdb::LineRange& one) { return one.begin <= *source; });
  // All functions that were folded into this address have tables for it, in the order of the functions.
  const auto [place, count] = state.place_among_folded(function, *source);
  if (own_end - begin == count) begin += place;
  if (begin != own_end) {
    state.append_lines(function.module, *begin, result);
  } else if (const pdb::LineRange* around = state.loaded[function.module].lines.find_range(*source)) {
    state.append_lines(function.module, *around, result);
  }
  const u64 end = u64{function.rva.value} + function.size;
  std::erase_if(result, [&](const Line& line) { return line.rva < function.rva || line.rva.value >= end; });
  return result;
}

std::vector<Line> PdbFile::all_lines() const {
  State& state = *state_;
  state.load_contents();
  std::vector<Line> result;
  u64 most_rows = 0;
  for (u32 i = 0; i < state.compilands.size(); ++i) {
    most_rows += state.load_lines(i).most_rows();
  }
  result.reserve(most_rows);
  for (u32 i = 0; i < state.compilands.size(); ++i) {
    for (const pdb::LineRange& range : state.loaded[i].lines.ranges()) {
      state.append_lines(i, range, result);
    }
  }
  return result;
}

Damage PdbFile::damage() const {
  return state_->damage;
}

}  // namespace wperf::symbols
