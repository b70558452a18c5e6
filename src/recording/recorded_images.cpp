// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorded_images.h"

#include "modules/module_files.h"

namespace wperf::recording {

std::optional<NamedImage> name_recorded_image(const perf_data::PerfFile& file, const std::string& path,
                                              const std::vector<u32>& rvas, const std::string& symbol_path,
                                              bool decorated) {
  if (!file.features().text(perf_data::Feature::perf_version).starts_with("wperf ")) return std::nullopt;
  const std::string name = path.substr(path.find_last_of("/\\") + 1);
  const modules::SymbolOptions options{.pdb_files = {}, .symbol_path = symbol_path, .decorated = decorated};
  const std::vector<modules::LoadedModule> loaded =
      modules::load_modules({raw::Module{.name = name, .path = path, .base = 0, .size = 0, .entry = 0}}, options);
  const modules::LoadedModule& image = loaded.front();
  if (!image.symbols.has_value() || image.symbols->image() == nullptr) return std::nullopt;
  NamedImage named{.reason = image.reason, .answers = answers_of(image, rvas, decorated)};
  if (named.answers.size() != rvas.size()) return std::nullopt;
  return named;
}

}  // namespace wperf::recording
