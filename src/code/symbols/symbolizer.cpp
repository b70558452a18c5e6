// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/symbolizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "code/symbols/go_tables.h"
#include "code/symbols/image_dwarf.h"
#include "code/symbols/pe/function_extents.h"
#include "code/symbols/store/symbol_search.h"

namespace wperf::symbols {

struct ModuleSymbols::State {
  ModuleState state;
  std::optional<PeFile> image;
  std::optional<PdbFile> pdb;
  // Read from the image if there is no PDB.
  std::vector<CoffFunction> coff;
  std::optional<ImageDwarf> dwarf;
  std::optional<ImageGo> go;
  // Functions that .pdata does not list; found when they are needed.
  std::optional<std::vector<code::RvaRange>> unlisted;

  std::string_view keep(std::string text) { return *texts_.insert(std::move(text)).first; }
  // `name` must live as long as the files. Each name is undecorated only once.
  std::string_view shown(std::string_view name, bool decorated) {
    if (decorated) return name;
    const auto [known, is_new] = undecorated_.try_emplace(name, name);
    if (!is_new) return known->second;
    if (std::string text = undecorated(name); text != name) known->second = keep(std::move(text));
    return known->second;
  }

 private:
  std::unordered_set<std::string> texts_;  // texts that no file contains
  std::unordered_map<std::string_view, std::string_view> undecorated_;
};

namespace {

// The reason why this PDB must not be used; empty if it may be used.
std::string refuse_pdb(const std::optional<PeFile>& image, const PdbFile& pdb) {
  if (!image.has_value()) return {};  // without an image the PDB cannot be checked, so the user's choice is trusted
  if (!image->codeview().has_value()) return "the image does not name its PDB";
  const code::PdbId& wanted = image->codeview()->id;
  if (pdb.id() == wanted) return {};
  return fmt::format("the PDB is from another build: it is {}, but the image needs {}", id_text(pdb.id()),
                     id_text(wanted));
}

// The kind of names in an image without a PDB.
SymbolSource image_source(const std::optional<PeFile>& image, const ModuleSymbols::State& state) {
  if (!image.has_value()) return SymbolSource::none;
  if (!state.coff.empty()) return SymbolSource::symtab;
  if (state.dwarf.has_value()) return SymbolSource::dwarf;
  if (state.go.has_value()) return SymbolSource::go;
  if (!image->exports().empty()) return SymbolSource::exports;
  return image->functions().empty() ? SymbolSource::none : SymbolSource::pdata;
}

std::string why_no_pdb(const std::optional<PeFile>& image, std::string search) {
  if (!search.empty()) return search;
  if (!image.has_value()) return "neither the image nor a PDB was found";
  return image->codeview().has_value() ? "no PDB found" : "the image names no PDB";
}

// GNU's linkers write a build id in the form of a PDB reference, but without a path.
bool names_pdb(const PeFile& image) {
  return image.codeview().has_value() && !image.codeview()->path.empty();
}

// The decorated names of procedures, from the public symbols at their addresses. If an address has several public
// symbols (folded functions), the one with the procedure's name is used, or else the first one. Procedures must be
// looked up in the order of their addresses.
class DecoratedNames {
 public:
  explicit DecoratedNames(const PdbFile& pdb) : pdb_(pdb) {}

  std::string_view of(const Function& procedure) {
    if (first_ == nullptr || first_->rva != procedure.rva) look_at(procedure.rva);
    if (first_ == nullptr) return procedure.name;
    const auto known = by_name_.find(procedure.name);
    return known != by_name_.end() ? known->second : first_->name;
  }

  // Like the function above, but returns an empty name if the name may differ from the linker's. Functions that are not
  // visible to other files have no public symbol, so their linker names are known only in C. If several functions were
  // folded, one public symbol must have the procedure's name.
  std::string_view sure(const Function& procedure) {
    const std::string_view name = of(procedure);
    if (first_ == nullptr) return pdb_.is_c_at(procedure.rva) ? name : std::string_view();
    return by_name_.empty() || by_name_.contains(procedure.name) ? name : std::string_view();
  }

 private:
  void look_at(code::Rva rva) {
    const std::span<const Function> publics = pdb_.publics();
    auto at = std::lower_bound(publics.begin(), publics.end(), rva,
                               [](const Function& entry, code::Rva wanted) { return entry.rva < wanted; });
    first_ = at != publics.end() && at->rva == rva ? &*at : nullptr;
    by_name_.clear();
    if (at == publics.end() || at + 1 == publics.end() || (at + 1)->rva != rva) return;  // no choice
    for (; at != publics.end() && at->rva == rva; ++at) by_name_.try_emplace(undecorated(at->name), at->name);
  }

  const PdbFile& pdb_;
  const Function* first_ = nullptr;  // of the public symbols at the last address
  std::map<std::string, std::string_view, std::less<>> by_name_;
};

struct Found {
  SymbolSource source = SymbolSource::none;
  std::string_view name;
  code::RvaRange bounds;
  const void* symbol = nullptr;  // the public symbol or export that provides the name
};

const CoffFunction* coff_function_at(const std::vector<CoffFunction>& functions, code::Rva rva) {
  const auto after =
      std::upper_bound(functions.begin(), functions.end(), rva,
                       [](code::Rva wanted, const CoffFunction& one) { return wanted < one.range.begin; });
  return after != functions.begin() && (after - 1)->range.contains(rva) ? &*(after - 1) : nullptr;
}

// Addresses are sorted, so the next one is usually in the function that was found last.
class Finder {
 public:
  Finder(ModuleSymbols::State& state, const SymbolQuery& options)
      : state_(state), image_(state.image), pdb_(state.pdb), options_(options) {}

  const Found& find(code::Rva rva) {
    const bool sized = found_.source == SymbolSource::pdb || found_.source == SymbolSource::pdata ||
                       found_.source == SymbolSource::symtab || found_.source == SymbolSource::dwarf ||
                       found_.source == SymbolSource::go;
    if (!sized || !found_.bounds.contains(rva)) search(rva);
    return found_;
  }

 private:
  void search(code::Rva rva) {
    if (const Function* function = pdb_.has_value() ? pdb_->function_at(rva) : nullptr) {
      if (!function->is_public) {
        found_ = {SymbolSource::pdb,
                  options_.decorated ? decorated(*function) : function->name,
                  {function->rva, {function->rva.value + function->size}}};
        return;
      }
      // A public symbol has no size, so the nearest symbol below the address may belong to another function.
      if (!image_.has_value() || reaches(function->rva, rva)) {
        name_after(SymbolSource::pdb_publics, function, function->rva, function->name);
        return;
      }
    }
    if (const CoffFunction* function = coff_function_at(state_.coff, rva)) {
      found_ = {SymbolSource::symtab, shown(function->name), function->range};
      return;
    }
    if (const auto function = state_.dwarf.has_value() ? state_.dwarf->function_at(rva) : std::nullopt) {
      found_ = {SymbolSource::dwarf, shown(function->name), function->range};
      return;
    }
    if (const auto function = state_.go.has_value() ? state_.go->function_at(rva) : std::nullopt) {
      found_ = {SymbolSource::go, function->name, function->range};
      return;
    }
    const Export* entry = image_.has_value() ? image_->export_before(rva) : nullptr;
    if (entry != nullptr && reaches(entry->rva, rva)) {
      name_after(SymbolSource::exports, entry, entry->rva, entry->name);
      return;
    }
    found_ = {};
    if (const auto around = bounds_at(rva)) {
      found_ = {SymbolSource::pdata, state_.keep(fmt::format("function at {:#x}", around->begin.value)), *around};
    } else if (const auto range = unlisted_at(rva)) {
      found_ = {SymbolSource::pdata, state_.keep(fmt::format("code at {:#x}", range->begin.value)), *range};
    }
  }

  std::string_view decorated(const Function& function) {
    if (!decorated_.has_value()) decorated_.emplace(*pdb_);
    return options_.declarations ? decorated_->sure(function) : decorated_->of(function);
  }

  // Can code of unknown size that begins at `start` contain the address?
  bool reaches(code::Rva start, code::Rva rva) {
    if (code_.begin != start || code_.end <= start) code_ = {start, image_->furthest_end(start)};
    return code_.contains(rva);
  }

  void name_after(SymbolSource source, const void* symbol, code::Rva begin, std::string_view name) {
    if (found_.symbol == symbol) return;
    const code::RvaRange bounds = bounds_at(begin).value_or(code::RvaRange{});
    found_ = {source, shown(name), bounds, symbol};
    // If there is a label within a function, the function begins at the label.
    if (found_.bounds.contains(begin)) found_.bounds.begin = begin;
  }

  std::string_view shown(std::string_view name) { return state_.shown(name, options_.decorated); }

  std::optional<code::RvaRange> bounds_at(code::Rva rva) const {
    return image_.has_value() ? image_->function_at(rva) : std::nullopt;
  }

  // A PDB names these functions, too; all other code in the image is padding.
  std::optional<code::RvaRange> unlisted_at(code::Rva rva) {
    if (!image_.has_value() || pdb_.has_value()) return std::nullopt;
    if (!state_.unlisted.has_value()) state_.unlisted = image_->unlisted_functions();
    const usize index = find_function(*state_.unlisted, rva);
    return index < state_.unlisted->size() ? std::optional((*state_.unlisted)[index]) : std::nullopt;
  }

  ModuleSymbols::State& state_;
  const std::optional<PeFile>& image_;
  const std::optional<PdbFile>& pdb_;
  SymbolQuery options_;
  Found found_;
  std::optional<DecoratedNames> decorated_;
  code::RvaRange code_;  // the code of the last public symbol or export that was examined
};

class FrameReader {
 public:
  FrameReader(ModuleSymbols::State& state, const SymbolQuery& options) : state_(state), options_(options) {}

  void add_frames(Answer& answer) {
    // A PDB has only a few lines of declarations.
    if (state_.dwarf.has_value() && (!state_.pdb.has_value() || options_.declarations)) return add_from_dwarf(answer);
    if (answer.source == SymbolSource::none) return;
    if (answer.source == SymbolSource::go) {
      const GoLine place = state_.go->line_at(answer.address);
      SymbolizedFrame& frame = answer.frames.emplace_back();
      frame.function = answer.function;
      frame.file = place.file;
      frame.line = place.line;
      return;
    }
    from_pdb_.clear();
    const bool in_pdb = answer.source == SymbolSource::pdb || answer.source == SymbolSource::pdb_publics;
    if (state_.pdb.has_value() && in_pdb) state_.pdb->frames_at(answer.address, from_pdb_, options_.declarations);
    if (from_pdb_.empty()) from_pdb_.emplace_back();
    answer.frames.reserve(from_pdb_.size());
    for (const Frame& frame : from_pdb_) {
      const bool last = &frame == &from_pdb_.back();
      answer.frames.push_back({.function = last ? answer.function : inlined_name(frame.function, answer.address),
                               .file = frame.file,
                               .line = frame.line,
                               .declared_line = frame.declared_line,
                               .is_first_line = frame.is_first_line,
                               .inlined = frame.inlined,
                               .in_dwarf = false});
    }
  }

 private:
  // A PDB has no decorated names for inlined functions. If the function also exists separately, the name of its public
  // symbol is used, unless it is ambiguous. Returns an empty name if none is known.
  std::string_view inlined_name(std::string_view name, code::Rva rva) {
    if (!options_.declarations || !options_.decorated) return state_.shown(name, false);
    if (decorated_.empty()) {
      for (const Function& one : state_.pdb->publics()) {
        const auto [known, is_new] = decorated_.try_emplace(state_.shown(one.name, false), one.name);
        if (!is_new && known->second != one.name) known->second = {};
      }
    }
    if (const auto known = decorated_.find(name); known != decorated_.end()) return known->second;
    return state_.pdb->is_c_at(rva) ? name : std::string_view();
  }

  void add_from_dwarf(Answer& answer) {
    from_dwarf_.clear();
    state_.dwarf->frames_at(answer.address, from_dwarf_, options_.declarations);
    if (from_dwarf_.empty() && answer.source != SymbolSource::none) from_dwarf_.emplace_back();
    for (const DwarfFrame& frame : from_dwarf_) {
      const bool last = &frame == &from_dwarf_.back();
      const bool has_name = !last || (options_.declarations && !frame.function.empty());
      answer.frames.push_back({has_name ? state_.shown(frame.function, options_.decorated) : answer.function,
                               frame.file, frame.line, frame.discriminator, frame.declared_line, false,
                               frame.inlined && !last, true});
    }
  }

  ModuleSymbols::State& state_;
  SymbolQuery options_;
  std::vector<Frame> from_pdb_;
  std::unordered_map<std::string_view, std::string_view>
      decorated_;  // public symbols, keyed by their undecorated names
  std::vector<DwarfFrame> from_dwarf_;
};

}  // namespace

ModuleSymbols::ModuleSymbols() : state_(std::make_unique<State>()) {}
ModuleSymbols::ModuleSymbols(ModuleSymbols&&) noexcept = default;
ModuleSymbols& ModuleSymbols::operator=(ModuleSymbols&&) noexcept = default;
ModuleSymbols::~ModuleSymbols() = default;

ModuleSymbols ModuleSymbols::make(std::string module_name, std::optional<PeFile> image, std::optional<PdbFile> pdb,
                                  ModuleFiles files) {
  ModuleSymbols out;
  ModuleState& state = out.state_->state;
  state.module = std::move(module_name);
  if (image.has_value()) out.state_->dwarf = ImageDwarf::open(*image);
  state.reason = pdb.has_value() ? refuse_pdb(image, *pdb) : why_no_pdb(image, std::move(files.why_no_pdb));
  if (state.reason.empty()) {
    state.source = SymbolSource::pdb;
    state.file = std::move(files.pdb);
    out.state_->pdb = std::move(pdb);
  } else {
    if (image.has_value()) out.state_->coff = image->coff_functions();
    const bool has_coff = !out.state_->coff.empty(), has_dwarf = out.has_dwarf();
    if (image.has_value() && !has_coff && !has_dwarf) out.state_->go = ImageGo::open(*image);
    state.source = image_source(image, *out.state_);
    if (state.source != SymbolSource::none) state.file = std::move(files.image);
    // A file with DWARF, or with other names and no PDB reference, needs no better source.
    if (has_dwarf) {
      state.reason = out.state_->dwarf->damage();
    } else if ((has_coff || out.state_->go.has_value()) && !names_pdb(*image)) {
      state.reason.clear();
    }
  }
  out.state_->image = std::move(image);
  return out;
}

std::vector<Answer> ModuleSymbols::answer(const std::vector<code::Rva>& addresses, const SymbolQuery& options) const {
  std::vector<Answer> answers;
  answers.reserve(addresses.size());
  Finder finder(*state_, options);
  FrameReader frames(*state_, options);
  SymbolSource best = SymbolSource::none;
  for (const code::Rva rva : addresses) {
    const Found& found = finder.find(rva);
    Answer& answer = answers.emplace_back();
    answer.address = rva;
    answer.source = found.source;
    if (found.source != SymbolSource::none) {
      best = std::min(best, found.source);
      answer.function = found.name;
      answer.bounds = found.bounds;
    }
    if (options.lines) frames.add_frames(answer);
  }
  if (best != SymbolSource::none && state_->pdb.has_value()) state_->state.source = best;
  return answers;
}

std::vector<code::AddressRange> ModuleSymbols::pieces_at(code::Rva rva) const {
  return state_->dwarf.has_value() ? state_->dwarf->pieces_at(rva) : std::vector<code::AddressRange>();
}

void ModuleSymbols::for_each_name(bool decorated, const std::function<void(code::Rva, std::string_view)>& visit) const {
  const auto show = [&](code::Rva rva, std::string_view name) {
    decorated ? visit(rva, name) : visit(rva, undecorated(name));
  };
  if (state_->pdb.has_value()) {
    DecoratedNames names(*state_->pdb);
    for (const Function& function : state_->pdb->functions()) {
      if (!function.is_public) visit(function.rva, decorated ? names.of(function) : function.name);
    }
    for (const Function& function : state_->pdb->publics()) show(function.rva, function.name);
  } else if (state_->image.has_value()) {
    for (const CoffFunction& one : state_->coff) show(one.range.begin, one.name);
    if (state_->go.has_value()) state_->go->for_each_name(visit);
    for (const Export& one : state_->image->exports()) show(one.rva, one.name);
  }
}

const ModuleState& ModuleSymbols::state() const {
  return state_->state;
}

const PeFile* ModuleSymbols::image() const {
  return state_->image.has_value() ? &*state_->image : nullptr;
}

bool ModuleSymbols::has_dwarf() const {
  return state_->dwarf.has_value() && !state_->pdb.has_value();
}

const PdbFile* ModuleSymbols::pdb() const {
  return state_->pdb.has_value() ? &*state_->pdb : nullptr;
}

}  // namespace wperf::symbols
