// SPDX-License-Identifier: BSD-3-Clause
// Finds, maps and matches the files of the sampled process's modules. code_file.h reads names from them.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "code/symbols/symbolizer.h"
#include "ground/os/mapped_file.h"
#include "model/answers/sampled_run.h"
#include "model/readings/samples.h"

namespace wperf::modules {

// Called with a running download's address and the bytes received so far, from any thread.
using DownloadProgress = std::function<void(std::string_view address, size_t received)>;

struct SymbolOptions {
  std::vector<std::string> pdb_files;           // --pdb_file, each for the module that it matches
  std::vector<std::string> recorded_pdb_files;  // values of --pdb_file from a recording
  std::vector<std::string> first_places = {};   // files and folders that are searched before symbol_path
  std::string symbol_path;                      // --symbol-path, then _NT_SYMBOL_PATH
  bool decorated = false;
  DownloadProgress download_progress = {};
};

// A symbol file: mapped, or in memory if it was downloaded or unpacked. Moving the object does not move the bytes.
class SymbolBytes {
 public:
  explicit SymbolBytes(os::MappedFile file) : bytes_(std::move(file)) {}
  explicit SymbolBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::span<const std::byte> view() const {
    const auto* file = std::get_if<os::MappedFile>(&bytes_);
    return file != nullptr ? file->bytes() : std::span<const std::byte>(std::get<1>(bytes_));
  }

 private:
  std::variant<os::MappedFile, std::vector<std::byte>> bytes_;
};

// A module with its files. The symbols are views into them.
struct LoadedModule {
  std::optional<os::MappedFile> image_file;
  std::optional<SymbolBytes> pdb_bytes;
  std::optional<symbols::ModuleSymbols> symbols;
  std::string pdb_path;  // the path of pdb_file
  std::string reason;    // why there are no better names; empty if there is no reason
};

// The build id of an image in the form of recordings: GUID and age of its PDB. Empty if the image names no PDB.
std::string build_of(const symbols::PeFile& image);
std::string build_of_file(const std::string& path);
// The build and the name of the PDB. nullopt if there is no such image, or if it names no PDB.
struct ImagePdb {
  std::string build, path;
};
std::optional<ImagePdb> pdb_of_image(const std::string& path);
// If the file at a module's path is not the recorded build, drops the file and keeps only the reason.
void check_build(LoadedModule& module, std::span<const std::byte> recorded);

std::vector<LoadedModule> load_modules(const std::vector<readings::Module>& modules, const SymbolOptions& options);

// Loads a module of a recording. `build`: GUID and age of its PDB; empty if unknown. A file of another build is
// rejected. If there is no image, only the PDB is used; it is searched for by `build` and `pdb_name`, or by the image's
// name if `pdb_name` is empty.
LoadedModule load_recorded_module(const readings::Module& module, std::span<const std::byte> build,
                                  std::string_view pdb_name, const SymbolOptions& options);

// Takes facts from the image: preferred base, sections, source of the names.
answers::SampleModule module_of(const readings::Module& module, const LoadedModule& loaded);

}  // namespace wperf::modules
