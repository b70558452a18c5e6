// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_data.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "analysis/recording/mapped_code.h"
#include "code/symbols/elf/elf_file.h"
#include "code/symbols/elf/elf_symbols.h"
#include "code/symbols/symbolizer.h"
#include "formats/perf_data/process_history.h"

namespace wperf::recording {
namespace {

using perf_data::ProcessHistory;

// The parts of a module's file that are needed to name data.
struct DataFile {
  modules::LoadedElf loaded;
  std::optional<symbols::ElfFile> image, debug;
  std::optional<symbols::DataSymbols> symbols;
  u64 begin = 0, end = 0;  // the loaded part of the module, as linked addresses
};

class DataNamer {
 public:
  DataNamer(const perf_data::PerfFile& file, const modules::ElfSearch& search, bool decorated)
      : history_(ProcessHistory::collect(file)), search_(search), decorated_(decorated) {}

  NamedData name(const std::vector<DataAddress>& addresses) {
    NamedData out;
    std::map<std::tuple<u32, u32, u64>, u32> known;  // keyed by process, space and address
    // A process may have several address spaces, one after the other. A lock with the same address and name is the same
    // lock in all of them.
    std::map<std::tuple<u32, u64, std::string, std::string>, u32> numbers;
    for (const DataAddress& one : addresses) {
      const u32 space = history_.task_at(one.process, one.thread, one.time).space;
      const auto [place, is_new] = known.try_emplace({one.process, space, one.address});
      if (is_new) {
        DataName name = name_in(space, one.address);
        name.process = one.process;
        const auto [number, is_other] = numbers.try_emplace({one.process, one.address, name.symbol, name.module},
                                                            static_cast<u32>(out.names.size()));
        if (is_other) out.names.push_back(std::move(name));
        place->second = number->second;
      }
      out.of_address.push_back(place->second);
    }
    return out;
  }

 private:
  DataName name_in(u32 space, u64 address) {
    DataName out{.address = address, .symbol = {}, .module = {}};
    bool is_found = false, is_any_here = false, is_any_missing = false;
    history_.for_each_mapping_in(space, [&](u64 begin, u64, u32 code, u64 offset) {
      if (is_found) return;
      const perf_data::MappedCode& mapped = history_.codes()[code];
      if (mapped.is_anonymous || !mapped.path.starts_with('/'))
        return;  // modules without a file have no data, for example "[vdso]"
      DataFile& file = file_of(code);
      const std::optional<u64> linked = file.image.has_value() ? file.image->address_of_offset(offset) : std::nullopt;
      is_any_missing = is_any_missing || !linked.has_value();
      if (!linked.has_value()) return;
      is_any_here = true;
      const u64 own = address - (begin - *linked);  // modulo 2^64
      if (own < file.begin || own >= file.end) return;
      is_found = true;
      out.module = modules::base_name(mapped.path);
      out.offset = own;
      if (const symbols::DataSymbol* symbol = file.symbols->find(own); symbol != nullptr) {
        out.symbol = decorated_ ? std::string(symbol->name) : symbols::undecorated(symbol->name);
        out.offset = own - symbol->begin;
      }
    });
    out.is_outside = !is_found && is_any_here && !is_any_missing;
    return out;
  }

  DataFile& file_of(u32 code) {
    std::unique_ptr<DataFile>& file = files_[code];
    if (file != nullptr) return *file;
    file = std::make_unique<DataFile>();
    const perf_data::MappedCode& mapped = history_.codes()[code];
    file->loaded = modules::find_elf(recorded_elf(mapped), search_);
    file->image = modules::parsed_elf(file->loaded.image);
    file->debug = modules::parsed_elf(file->loaded.debug);
    if (!file->image.has_value()) return *file;
    constexpr u32 kLoad = 1;
    file->begin = ~u64{0};
    for (const symbols::ElfSegment& segment : file->image->segments()) {
      if (segment.type != kLoad || segment.memory_size > ~u64{0} - segment.address) continue;
      file->begin = std::min(file->begin, segment.address);
      file->end = std::max(file->end, segment.address + segment.memory_size);
    }
    file->symbols = symbols::DataSymbols::read(*file->image, file->debug.has_value() ? &*file->debug : nullptr);
    return *file;
  }

  const ProcessHistory history_;
  const modules::ElfSearch& search_;
  const bool decorated_;
  std::map<u32, std::unique_ptr<DataFile>> files_;  // keyed by the code's number
};

}  // namespace

NamedData name_data(const perf_data::PerfFile& file, const std::vector<DataAddress>& addresses,
                    const modules::ElfSearch& search, bool decorated) {
  if (addresses.empty()) return {};
  return DataNamer(file, search, decorated).name(addresses);
}

}  // namespace wperf::recording
