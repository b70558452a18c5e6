// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/symbolizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "code/symbols/store/symbol_search.h"

namespace wperf::symbols {

struct ModuleSymbols::State {
  ModuleState state;
  std::optional<PeFile> image;
  std::optional<PdbFile> pdb;
};

namespace {

// Why this PDB may not be used; empty if it may.
std::string refuse_pdb(const std::optional<PeFile>& image, const PdbFile& pdb) {
  if (!image.has_value()) return {};  // there is nothing to check it against, so the user's choice is trusted
  if (!image->codeview().has_value()) return "the image does not name its PDB";
  const code::PdbId& wanted = image->codeview()->id;
  if (pdb.id() == wanted) return {};
  return fmt::format("the PDB is from another build: it is {}, but the image needs {}", id_text(pdb.id()),
                     id_text(wanted));
}

// The kind of names in an image without a PDB.
SymbolSource image_source(const std::optional<PeFile>& image) {
  if (!image.has_value()) return SymbolSource::none;
  if (!image->exports().empty()) return SymbolSource::exports;
  return image->functions().empty() ? SymbolSource::none : SymbolSource::pdata;
}

std::string why_no_pdb(const std::optional<PeFile>& image, std::string search) {
  if (!search.empty()) return search;
  if (!image.has_value()) return "neither the image nor a PDB was found";
  return image->codeview().has_value() ? "no PDB found" : "the image names no PDB";
}

// The decorated name of a procedure: the public at its address; if there are several (folded functions), the one with
// its name.
std::string decorated_name(const PdbFile& pdb, const Function& procedure) {
  const std::span<const Function> publics = pdb.publics();
  const auto first = std::lower_bound(publics.begin(), publics.end(), procedure.rva,
                                      [](const Function& entry, code::Rva wanted) { return entry.rva < wanted; });
  const Function* best = nullptr;
  for (auto at = first; at != publics.end() && at->rva == procedure.rva; ++at) {
    if (undecorated(at->name) == procedure.name) return std::string(at->name);
    if (best == nullptr) best = &*at;
  }
  return std::string(best != nullptr ? best->name : procedure.name);
}

struct Found {
  SymbolSource source = SymbolSource::none;
  std::string name;
  code::RvaRange bounds;
  const void* symbol = nullptr;  // the public or export that it is named after
};

// Addresses come sorted, so the next address is mostly in the function that was found last.
class Finder {
 public:
  Finder(const std::optional<PeFile>& image, const std::optional<PdbFile>& pdb, const NameOptions& options)
      : image_(image), pdb_(pdb), options_(options) {}

  const Found& find(code::Rva rva) {
    const bool sized = found_.source == SymbolSource::pdb || found_.source == SymbolSource::pdata;
    if (!sized || !found_.bounds.contains(rva)) search(rva);
    return found_;
  }

 private:
  void search(code::Rva rva) {
    if (const Function* function = pdb_.has_value() ? pdb_->function_at(rva) : nullptr) {
      if (!function->is_public) {
        found_ = {SymbolSource::pdb,
                  options_.decorated ? decorated_name(*pdb_, *function) : std::string(function->name),
                  {function->rva, {function->rva.value + function->size}}};
        return;
      }
      // A public has no size: the nearest one below may be that of another function.
      if (!image_.has_value() || image_->reaches(function->rva, rva)) {
        name_after(SymbolSource::pdb_publics, function, function->rva, function->name);
        return;
      }
    }
    if (const Export* entry = image_.has_value() ? image_->export_at(rva) : nullptr) {
      name_after(SymbolSource::exports, entry, entry->rva, entry->name);
      return;
    }
    found_ = {};
    if (const auto around = bounds_at(rva)) {
      found_ = {SymbolSource::pdata, fmt::format("function at {:#x}", around->begin.value), *around};
    }
  }

  void name_after(SymbolSource source, const void* symbol, code::Rva begin, std::string_view name) {
    if (found_.symbol == symbol) return;
    const code::RvaRange bounds = bounds_at(begin).value_or(code::RvaRange{});
    found_ = {source, options_.decorated ? std::string(name) : undecorated(name), bounds, symbol};
    // A label inside of a function begins there.
    if (found_.bounds.contains(begin)) found_.bounds.begin = begin;
  }

  std::optional<code::RvaRange> bounds_at(code::Rva rva) const {
    return image_.has_value() ? image_->function_at(rva) : std::nullopt;
  }

  const std::optional<PeFile>& image_;
  const std::optional<PdbFile>& pdb_;
  NameOptions options_;
  Found found_;
};

void add_frames(const std::optional<PdbFile>& pdb, std::vector<Frame>& scratch, Answer& answer) {
  scratch.clear();
  if (pdb.has_value() && (answer.source == SymbolSource::pdb || answer.source == SymbolSource::pdb_publics)) {
    pdb->frames_at(answer.address, scratch);
  }
  if (scratch.empty()) scratch.emplace_back();
  answer.frames.reserve(scratch.size());
  for (const Frame& frame : scratch) {
    const bool last = &frame == &scratch.back();
    answer.frames.push_back(
        {last ? answer.function : undecorated(frame.function), std::string(frame.file), frame.line, frame.inlined});
  }
}

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
  state.reason = pdb.has_value() ? refuse_pdb(image, *pdb) : why_no_pdb(image, std::move(files.why_no_pdb));
  if (state.reason.empty()) {
    state.source = SymbolSource::pdb;
    state.file = std::move(files.pdb);
    out.state_->pdb = std::move(pdb);
  } else {
    state.source = image_source(image);
    if (state.source != SymbolSource::none) state.file = std::move(files.image);
  }
  out.state_->image = std::move(image);
  return out;
}

std::vector<Answer> ModuleSymbols::answer(const std::vector<code::Rva>& addresses, const NameOptions& options) const {
  std::vector<Answer> answers;
  answers.reserve(addresses.size());
  Finder finder(state_->image, state_->pdb, options);
  std::vector<Frame> scratch;
  SymbolSource best = SymbolSource::none;
  for (const code::Rva rva : addresses) {
    const Found& found = finder.find(rva);
    Answer& answer = answers.emplace_back();
    answer.address = rva;
    answer.source = found.source;
    if (found.source == SymbolSource::none) continue;
    best = std::min(best, found.source);
    answer.function = found.name;
    answer.bounds = found.bounds;
    add_frames(state_->pdb, scratch, answer);
  }
  if (best != SymbolSource::none && state_->pdb.has_value()) state_->state.source = best;
  return answers;
}

void ModuleSymbols::for_each_name(bool decorated, const std::function<void(code::Rva, std::string_view)>& visit) const {
  const auto show = [&](code::Rva rva, std::string_view name) {
    decorated ? visit(rva, name) : visit(rva, undecorated(name));
  };
  if (state_->pdb.has_value()) {
    for (const Function& function : state_->pdb->functions()) {
      if (!function.is_public) visit(function.rva, decorated ? decorated_name(*state_->pdb, function) : function.name);
    }
    for (const Function& function : state_->pdb->publics()) show(function.rva, function.name);
  } else if (state_->image.has_value()) {
    for (const Export& one : state_->image->exports()) show(one.rva, one.name);
  }
}

const ModuleState& ModuleSymbols::state() const {
  return state_->state;
}

const PeFile* ModuleSymbols::image() const {
  return state_->image.has_value() ? &*state_->image : nullptr;
}

const PdbFile* ModuleSymbols::pdb() const {
  return state_->pdb.has_value() ? &*state_->pdb : nullptr;
}

}  // namespace wperf::symbols
