// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf_module.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "code/symbols/elf/elf_format.h"
#include "code/symbols/go_tables.h"
#include "code/symbols/symbolizer.h"

namespace wperf::symbols {
namespace {

DwarfSections dwarf_sections(const ElfFile& file, bool split) {
  const std::string end = split ? ".dwo" : "";
  DwarfSections sections = sections_by_name([&](const char* name) { return file.contents(name + end); });
  if (!split) return sections;
  sections.aranges = {};
  sections.cu_index = file.contents(".debug_cu_index");
  return sections;
}

SymbolSource source_of(ElfSymbolTable table) {
  switch (table) {
    case ElfSymbolTable::full:
      return SymbolSource::symtab;
    case ElfSymbolTable::dynamic:
      return SymbolSource::dynsym;
    case ElfSymbolTable::embedded:
      return SymbolSource::embedded;
    case ElfSymbolTable::plt:
      return SymbolSource::plt;
  }
  return SymbolSource::none;
}

// "_Zfoo@@V1": the version is not part of the name.
std::string display_name(std::string_view name, bool is_stub, bool decorated) {
  const usize version = name.find('@', 1);
  std::string text = decorated ? std::string(name.substr(0, version)) : undecorated(name.substr(0, version));
  if (version != std::string_view::npos) text += name.substr(version);
  if (is_stub) text += "@plt";
  return text;
}

bool has_symbol_table(const ElfFile& file) {
  return std::ranges::any_of(file.sections(), [&](const ElfSection& section) {
    return section.type == elf::kSectionSymtab && !file.stored(section).empty();
  });
}

const ElfFile* pointer(const std::optional<ElfFile>& file) {
  return file.has_value() ? &*file : nullptr;
}

}  // namespace

struct ElfModule::State {
  std::optional<ElfFile> image, debug, alternate, embedded;
  std::vector<std::byte> embedded_bytes;
  ElfSymbols symbols;
  std::optional<FunctionCache> kept;
  std::optional<GoTable> go;
  std::optional<DwarfFile> dwarf;
  bool dwarf_is_open = false;
  SplitOpener open_split;
  std::string reason;
  std::unordered_map<const char*, std::string> display_names, stub_names, decorated_stub_names;
  std::vector<DwarfFrame> scratch;

  std::string_view name(std::string_view name, bool is_stub, bool decorated) {
    if (decorated && !is_stub) return name;
    if (name.empty()) return name;
    auto& known = !is_stub ? display_names : decorated ? decorated_stub_names : stub_names;
    const auto [place, is_new] = known.try_emplace(name.data());
    if (is_new) place->second = display_name(name, is_stub, decorated);
    return place->second;
  }
  std::optional<ElfSymbol> symbol_at(u64 address) const {
    if (kept.has_value()) return kept->find(address);
    const ElfSymbol* found = symbols.find(address);
    return found != nullptr ? std::optional(*found) : std::nullopt;
  }
  SymbolizedAddress in_go(u64 address) const;
  const ElfFile* unpack_embedded();
  void read_symbols();
  void open_dwarf();
  void add_frames(SymbolizedAddress& answer, const SymbolQuery& query, std::vector<SymbolizedFrame>& out);
};

void ElfModule::State::open_dwarf() {
  if (dwarf_is_open) return;
  dwarf_is_open = true;
  const auto has_info = [](const std::optional<ElfFile>& file) {
    return file.has_value() && (file->section(".debug_info") != nullptr || file->section(".zdebug_info") != nullptr);
  };
  const std::optional<ElfFile>& holder = has_info(debug) ? debug : image;
  if (!has_info(holder)) return;
  const DwarfSections other = alternate.has_value() ? dwarf_sections(*alternate, false) : DwarfSections{};
  dwarf = DwarfFile::open(dwarf_sections(*holder, false), other, open_split);
}

void ElfModule::State::add_frames(SymbolizedAddress& answer, const SymbolQuery& query,
                                  std::vector<SymbolizedFrame>& out) {
  scratch.clear();
  if (dwarf.has_value()) dwarf->frames_at(answer.address, scratch, query.declarations);
  const bool nameless = answer.source == SymbolSource::none;
  if (nameless && scratch.empty()) return;
  answer.first_frame = static_cast<u32>(out.size());
  for (const DwarfFrame& frame : scratch) {
    out.push_back({name(frame.function, false, query.decorated), frame.file, frame.line, frame.discriminator,
                   frame.declared_line, false, frame.inlined, true});
  }
  if (scratch.empty()) {
    const GoLine place = answer.source == SymbolSource::go ? go->line_at(answer.address) : GoLine{};
    SymbolizedFrame& frame = out.emplace_back();
    frame.file = place.file;
    frame.line = place.line;
  }
  if (nameless && !out.back().function.empty()) {
    answer.source = SymbolSource::dwarf;
    answer.function = out.back().function;
  }
  if (!query.declarations || out.back().function.empty()) out.back().function = answer.function;
  answer.frame_count = static_cast<u32>(out.size()) - answer.first_frame;
}

SymbolizedAddress ElfModule::State::in_go(u64 address) const {
  SymbolizedAddress answer;
  answer.address = address;
  const auto found = go.has_value() ? go->function_at(address) : std::nullopt;
  if (!found.has_value()) return answer;
  answer.source = SymbolSource::go;
  answer.function = found->name;
  answer.begin = found->begin;
  answer.end = found->end;
  return answer;
}

const ElfFile* ElfModule::State::unpack_embedded() {
  if (embedded.has_value() || !image.has_value() || debug.has_value()) return pointer(embedded);
  auto unpacked = image->embedded_debug_file();
  if (!unpacked.has_value()) {
    reason = unpacked.error().text;
  } else if (unpacked.value().has_value()) {
    embedded_bytes = *std::move(unpacked).value();
    if (auto file = ElfFile::parse(embedded_bytes); file.has_value()) embedded = std::move(file).value();
  }
  return pointer(embedded);
}

void ElfModule::State::read_symbols() {
  symbols = ElfSymbols::read(pointer(image), pointer(debug), unpack_embedded());
}

ElfModule::ElfModule() : state_(std::make_unique<State>()) {}
ElfModule::ElfModule(ElfModule&&) noexcept = default;
ElfModule& ElfModule::operator=(ElfModule&&) noexcept = default;
ElfModule::~ElfModule() = default;

diag::Result<ElfModule> ElfModule::make(const ElfModuleFiles& files) {
  ElfModule out;
  State& state = *out.state_;
  state.open_split = files.open_split;
  if (files.image.empty() && files.debug.empty()) {
    return diag::Error{.text = "both the module's file and its debug information are missing", .hint = {}};
  }
  if (!files.image.empty()) {
    WPERF_TRY(state.image, ElfFile::parse(files.image));
  }
  if (!files.debug.empty()) {
    auto debug = ElfFile::parse(files.debug);
    if (!debug.has_value()) {
      if (!state.image.has_value()) return std::move(debug).error();
      state.reason = "its debug file is damaged: " + debug.error().text;
    } else if (state.image.has_value() && !std::ranges::equal(state.image->build_id(), debug.value().build_id())) {
      state.reason = "the debug file is from another build: it is " + build_id_text(debug.value().build_id()) +
                     ", but the module is " + build_id_text(state.image->build_id());
    } else {
      state.debug = std::move(debug).value();
    }
  }
  if (!files.alternate.empty()) {
    auto alternate = ElfFile::parse(files.alternate);
    const auto link = state.debug.has_value() ? state.debug->alternate_link() : state.image->alternate_link();
    if (!alternate.has_value()) {
      state.reason = "the debug file shared with other modules is damaged: " + alternate.error().text;
    } else if (!link.has_value() || !std::ranges::equal(link->build_id, alternate.value().build_id())) {
      state.reason = "the debug file shared with other modules is from another build";
    } else {
      state.alternate = std::move(alternate).value();
    }
  }
  if (!files.kept_functions.empty()) {
    const ElfFile& named = state.image.has_value() ? *state.image : *state.debug;
    state.kept = FunctionCache::open(files.kept_functions, key_of(files, named.build_id()));
  }
  if (!state.kept.has_value()) state.read_symbols();
  if (state.image.has_value() && !has_symbol_table(*state.image) &&
      !(state.debug.has_value() && has_symbol_table(*state.debug))) {
    state.go = go_table_of(*state.image);
  }
  return out;
}

SymbolizedAddress ElfModule::function_at(u64 address, bool decorated) const {
  SymbolizedAddress answer = state_->in_go(address);
  if (answer.source != SymbolSource::none) return answer;
  const std::optional<ElfSymbol> symbol = state_->symbol_at(address);
  if (!symbol.has_value()) return answer;
  answer.source = source_of(symbol->table);
  answer.function = state_->name(symbol->name, symbol->table == ElfSymbolTable::plt, decorated);
  answer.begin = symbol->begin;
  answer.end = symbol->end;
  return answer;
}

Symbolization ElfModule::answer(const std::vector<u64>& addresses, const SymbolQuery& query) const {
  Symbolization out;
  out.answers.reserve(addresses.size());
  if (query.lines) {
    state_->open_dwarf();
    out.frames.reserve(addresses.size() * 2);
  }
  for (const u64 address : addresses) {
    SymbolizedAddress& answer = out.answers.emplace_back(function_at(address, query.decorated));
    if (query.lines) state_->add_frames(answer, query, out.frames);
  }
  return out;
}

std::vector<code::AddressRange> ElfModule::pieces_at(u64 address) const {
  state_->open_dwarf();
  return state_->dwarf.has_value() ? state_->dwarf->pieces_at(address) : std::vector<code::AddressRange>();
}

void ElfModule::for_each_name(bool decorated, const CodeNameVisitor& visit) const {
  ElfSymbols::for_each_name(pointer(state_->image), pointer(state_->debug), state_->unpack_embedded(),
                            [&](u64 address, std::string_view name) {
                              decorated ? visit(address, name) : visit(address, display_name(name, false, false));
                            });
  if (state_->go.has_value()) {
    state_->go->for_each([&](const GoFunction& one) { visit(one.begin, one.name); });
  }
}

const ElfFile* ElfModule::image() const {
  return state_->image.has_value() ? &*state_->image : nullptr;
}

const ElfSymbols& ElfModule::symbols() const {
  return state_->symbols;
}

bool ElfModule::has_kept_functions() const {
  return state_->kept.has_value();
}

FunctionCacheKey ElfModule::key_of(const ElfModuleFiles& files, Bytes build_id) {
  return {.build_id = build_id, .image_size = files.image.size(), .debug_size = files.debug.size()};
}

std::optional<u64> ElfModule::address_of_offset(u64 file_offset) const {
  const std::optional<ElfFile>& file = state_->image.has_value() ? state_->image : state_->debug;
  return file->address_of_offset(file_offset);
}

const std::string& ElfModule::reason() const {
  return state_->reason;
}

DwarfSections split_dwarf_sections(const ElfFile& file) {
  return dwarf_sections(file, true);
}

}  // namespace wperf::symbols
