// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/module_files.h"

#include <algorithm>
#include <cstring>

#include "code/symbols/store/symbol_search.h"
#include "ground/os/files.h"
#include "ground/os/http.h"
#include "ground/os/named_file.h"
#include "ground/os/process.h"
#include "ground/packing/cabinet.h"
#include "ground/text/base_name.h"

namespace wperf::modules {
namespace {

using symbols::PdbFile;
using symbols::PeFile;

constexpr size_t kPointerFileLimit = 4096;
constexpr size_t kSymbolFileLimit = size_t{4} << 30;

symbols::SearchOptions search_options(const SymbolOptions& options) {
  symbols::SearchOptions search;
  for (const std::string& place : options.first_places) search.places.emplace_back(symbols::SymbolFolder{place});
  for (const std::string& text : {options.symbol_path, os::environment("_NT_SYMBOL_PATH").value_or("")}) {
    for (symbols::SymbolPlace& place : symbols::parse_symbol_path(text).places)
      search.places.push_back(std::move(place));
  }
  search.default_cache = os::symbol_cache_folder();
  return search;
}

// The folders that the user named.
std::vector<std::string> folders_of(const SymbolOptions& options) {
  std::vector<std::string> folders;
  for (const symbols::SymbolPlace& place : search_options(options).places) {
    if (const auto* folder = std::get_if<symbols::SymbolFolder>(&place)) folders.push_back(folder->path);
  }
  return folders;
}

struct FoundPdb {
  std::optional<SymbolBytes> bytes;
  std::optional<PdbFile> pdb;
  std::string path;
  std::string explanation;  // why no file was used
};

diag::Result<std::vector<std::byte>> unpacked(const symbols::Candidate& candidate, std::vector<std::byte> bytes) {
  if (candidate.kind != symbols::CandidateKind::compressed) return bytes;
  return packing::decompress_cabinet(bytes, kSymbolFileLimit);
}

// The bytes of a candidate: mapped if the whole file is used, otherwise in memory. nullopt if there is no such file.
diag::Result<std::optional<SymbolBytes>> fetch(const symbols::Candidate& candidate, const SymbolOptions& options) {
  if (candidate.remote) {
    const auto progress = [&](size_t received) {
      if (options.download_progress) options.download_progress(candidate.location, received);
    };
    progress(0);
    WPERF_TRY(auto received, os::download(candidate.location, {.bytes = kSymbolFileLimit, .progress = progress}));
    if (!received.has_value()) return std::optional<SymbolBytes>();
    WPERF_TRY(auto bytes, unpacked(candidate, *std::move(received)));
    return std::optional<SymbolBytes>(std::in_place, std::move(bytes));
  }
  if (candidate.named) {
    WPERF_TRY(auto file, os::open_named_file(candidate.location, os::NamedUse::checked, folders_of(options)));
    if (!file.has_value()) return std::optional<SymbolBytes>();
    return std::optional<SymbolBytes>(std::in_place, *std::move(file));
  }
  if (!os::file_exists(candidate.location)) return std::optional<SymbolBytes>();
  WPERF_TRY(auto file, os::MappedFile::open_as(candidate.location, candidate.location));
  if (candidate.kind != symbols::CandidateKind::compressed)
    return std::optional<SymbolBytes>(std::in_place, std::move(file));
  WPERF_TRY(auto bytes, packing::decompress_cabinet(file.bytes(), kSymbolFileLimit));
  return std::optional<SymbolBytes>(std::in_place, std::move(bytes));
}

// Checks whether the bytes are the wanted PDB.
void try_pdb(const symbols::Candidate& candidate, SymbolBytes bytes, symbols::SymbolSearch& search, FoundPdb& found) {
  auto pdb = PdbFile::open(bytes.view());
  if (!pdb.has_value()) return search.failed(pdb.error().text);
  if (!search.opened(pdb.value().id())) return;
  // If the cache cannot be written, the next run downloads the file again.
  if (!candidate.save_as.empty()) static_cast<void>(os::save_with_folders(candidate.save_as, bytes.view()));
  found.path = candidate.location;
  found.pdb = std::move(pdb).value();
  found.bytes = std::move(bytes);
}

void take_look(const symbols::Candidate& candidate, const SymbolOptions& options, symbols::SymbolSearch& search,
               FoundPdb& found) {
  auto fetched = fetch(candidate, options);
  if (!fetched.has_value()) return search.failed(fetched.error().text);
  if (!fetched.value().has_value()) return search.absent();
  SymbolBytes bytes = *std::move(fetched).value();
  if (candidate.kind == symbols::CandidateKind::file || candidate.kind == symbols::CandidateKind::compressed) {
    return try_pdb(candidate, std::move(bytes), search, found);
  }
  const auto view = bytes.view().first(std::min(bytes.view().size(), kPointerFileLimit));
  search.text({reinterpret_cast<const char*>(view.data()), view.size()});
}

FoundPdb find_pdb(const readings::Module& module, const symbols::CodeView& wanted, const SymbolOptions& options) {
  FoundPdb found;
  std::vector<std::string> explicit_paths = options.pdb_files;
  explicit_paths.insert(explicit_paths.end(), options.recorded_pdb_files.begin(), options.recorded_pdb_files.end());
  explicit_paths.emplace_back();  // the last search has no explicit path
  for (usize i = 0; i < explicit_paths.size(); ++i) {
    symbols::SymbolSearch search({.name = std::string(wanted.path),
                                  .id = wanted.id,
                                  .explicit_path = explicit_paths[i],
                                  .explicit_is_named = i >= options.pdb_files.size(),
                                  .image_path = module.path,
                                  .path_in_image = std::string(wanted.path)},
                                 search_options(options));
    while (const auto candidate = search.next()) take_look(*candidate, options, search, found);
    if (search.found()) return found;
    found.explanation = search.explanation();
  }
  return found;
}

LoadedModule load_module(const readings::Module& module, const SymbolOptions& options, os::NamedUse use) {
  LoadedModule loaded;
  // In recordings a name without a file is in brackets.
  if (module.path.empty() || (module.path.starts_with('[') && module.path.ends_with(']'))) {
    loaded.reason = "part of the system, without a file on this machine";
    return loaded;
  }
  auto file = os::open_named_file(module.path, use, folders_of(options));
  if (!file.has_value() || !file.value().has_value()) {
    loaded.reason = file.has_value() ? "no file " + module.path + " here" : file.error().text;
    return loaded;
  }
  loaded.image_file = std::move(file).value();
  auto image = PeFile::parse(loaded.image_file->bytes());
  if (!image.has_value()) {
    loaded.reason = image.error().text;
    return loaded;
  }
  std::optional<PdbFile> pdb;
  if (const auto& wanted = image.value().codeview(); wanted.has_value()) {
    FoundPdb found = find_pdb(module, *wanted, options);
    loaded.pdb_path = found.path;
    loaded.pdb_bytes = std::move(found.bytes);
    pdb = std::move(found.pdb);
    if (!pdb.has_value()) loaded.reason = found.explanation;
  } else {
    loaded.reason = "the image names no PDB";
  }
  loaded.symbols = symbols::ModuleSymbols::make(module.name, std::move(image).value(), std::move(pdb),
                                                {.image = {}, .pdb = {}, .why_no_pdb = std::move(loaded.reason)});
  loaded.reason = loaded.symbols->state().reason;
  return loaded;
}

// Loads the image of this build from a folder of --symbol-path. The result has no symbols if no folder has it.
LoadedModule load_from_folders(const readings::Module& module, std::span<const std::byte> build,
                               const SymbolOptions& options) {
  for (const std::string& folder : folders_of(options)) {
    readings::Module there = module;
    there.path = folder + '/' + std::string(text::base_name(module.path));
    LoadedModule loaded = load_module(there, options, os::NamedUse::checked);
    check_build(loaded, build);
    if (loaded.symbols.has_value()) return loaded;
  }
  return {};
}

}  // namespace

std::vector<LoadedModule> load_modules(const std::vector<readings::Module>& modules, const SymbolOptions& options) {
  std::vector<LoadedModule> loaded;
  loaded.reserve(modules.size());
  for (const readings::Module& module : modules) {
    loaded.push_back(load_module(module, options, os::NamedUse::read));
  }
  return loaded;
}

std::string build_of(const PeFile& image) {
  if (!image.codeview().has_value()) return {};
  const auto& [guid, age] = image.codeview()->id;
  std::string id;
  const auto put = [&id](u64 value, int bytes) {
    for (int i = 0; i < bytes; ++i) id += static_cast<char>(value >> 8 * i & 0xff);
  };
  put(guid.data1, 4);
  put(guid.data2, 2);
  put(guid.data3, 2);
  for (const u8 byte : guid.data4) put(byte, 1);
  put(age, 4);
  return id;
}

std::optional<ImagePdb> pdb_of_image(const std::string& path) {
  // Only the id of the file is used.
  const auto file = os::open_named_file(path, os::NamedUse::checked, {});
  if (!file.has_value() || !file.value().has_value()) return std::nullopt;
  const auto image = PeFile::parse(file.value()->bytes());
  if (!image.has_value() || !image.value().codeview().has_value()) return std::nullopt;
  return ImagePdb{build_of(image.value()), std::string(image.value().codeview()->path)};
}

std::string build_of_file(const std::string& path) {
  const std::optional<ImagePdb> pdb = pdb_of_image(path);
  return pdb.has_value() ? pdb->build : std::string();
}

void check_build(LoadedModule& module, std::span<const std::byte> recorded) {
  const PeFile* image = module.symbols.has_value() ? module.symbols->image() : nullptr;
  if (recorded.empty() || image == nullptr) return;
  const std::string_view wanted(reinterpret_cast<const char*>(recorded.data()), recorded.size());
  if (build_of(*image) == wanted) return;
  module = LoadedModule();
  module.reason = "the file on this machine is from a different build than the recorded one";
}

LoadedModule load_recorded_module(const readings::Module& module, std::span<const std::byte> build,
                                  std::string_view pdb_name, const SymbolOptions& options) {
  LoadedModule loaded = load_module(module, options, build.empty() ? os::NamedUse::read : os::NamedUse::checked);
  check_build(loaded, build);
  code::PdbId id;
  static_assert(sizeof id == 20, "as recordings have it");
  if (loaded.symbols.has_value() || build.size() != sizeof id) return loaded;
  if (LoadedModule other = load_from_folders(module, build, options); other.symbols.has_value()) return other;
  std::memcpy(&id, build.data(), sizeof id);
  const std::string name =
      !pdb_name.empty() ? std::string(pdb_name) : module.name.substr(0, module.name.rfind('.')) + ".pdb";
  FoundPdb found = find_pdb(module, {.id = id, .path = name}, options);
  if (!found.pdb.has_value()) {
    loaded.reason += "; " + found.explanation;
    return loaded;
  }
  loaded.reason.clear();
  loaded.pdb_path = found.path;
  loaded.pdb_bytes = std::move(found.bytes);
  loaded.symbols = symbols::ModuleSymbols::make(module.name, std::nullopt, std::move(found.pdb));
  return loaded;
}

answers::SampleModule module_of(const readings::Module& module, const LoadedModule& loaded) {
  answers::SampleModule made;
  made.name = module.name;
  made.path = module.path;
  made.pdb_file = loaded.pdb_path;
  made.base = module.base;
  made.size = static_cast<u32>(module.size);
  made.reason = loaded.reason;
  if (!loaded.symbols.has_value()) return made;
  if (const PeFile* image = loaded.symbols->image(); image != nullptr) {
    made.image_base = image->image_base();
    for (const symbols::Section& section : image->sections()) {
      made.sections.push_back({.name = section.name, .rva = section.rva, .virtual_size = section.virtual_size});
    }
  }
  return made;
}

}  // namespace wperf::modules
