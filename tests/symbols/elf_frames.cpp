// SPDX-License-Identifier: BSD-3-Clause
// Names an ELF file's addresses in one process. bench/symbols/elf_run.py compares its time with llvm-symbolizer's, and
// compare_elf_with_llvm.py compares the names:
//   elf_frames FILE addresses ADDRESSES [DEBUG [ALTERNATE]]   hexadecimal addresses, one per line; prints counts
//   elf_frames FILE print ADDRESSES [DEBUG [ALTERNATE]]       prints every frame
//   elf_frames FILE raw ADDRESSES [DEBUG [ALTERNATE]]         the same with the compiler's names
// DEBUG may be "-" for no file. FILE may also be a Windows image, which is read without a PDB.
//   elf_frames FILE symbols [DEBUG]                           every symbol
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/elf_module.h"
#include "code/symbols/symbolizer.h"
#include "ground/os/mapped_file.h"

namespace {

using wperf::u64;
using wperf::os::MappedFile;
using namespace wperf::symbols;

std::vector<u64> parse_addresses(std::string_view text) {
  std::vector<u64> result;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (end - at > 2 && at[0] == '0' && at[1] == 'x') at += 2;
    u64 address = 0;
    at = std::from_chars(at, end, address, 16).ptr;
    result.push_back(address);
    while (at < end && *at != '\n') ++at;
    ++at;
  }
  return result;
}

// Loads split units from their files, or from FILE.dwp.
class SplitFiles {
 public:
  explicit SplitFiles(std::string package) : package_(std::move(package)) {}
  DwarfSections open(const SplitUnit& unit) {
    std::string path(unit.name);
    if (!path.starts_with('/')) path = std::string(unit.folder) + "/" + path;
    for (const std::string& one : {package_, path}) {
      if (!files_.contains(one)) read(one);
      if (const auto& known = files_[one]; !known.info.empty()) return known;
    }
    return {};
  }

 private:
  void read(const std::string& path) {
    auto mapped = MappedFile::open(path);
    if (!mapped.has_value()) return;
    kept_.push_back(std::move(mapped).value());
    auto file = ElfFile::parse(kept_.back().bytes());
    if (!file.has_value()) return;
    parsed_.push_back(std::move(file).value());
    files_[path] = split_dwarf_sections(parsed_.back());
  }
  std::string package_;
  std::deque<MappedFile> kept_;
  std::deque<ElfFile> parsed_;
  std::map<std::string, DwarfSections> files_;
};

std::string_view or_unknown(std::string_view text) {
  return text.empty() ? std::string_view("??") : text;
}

void print(const Symbolization& answers, const std::vector<u64>& in_order) {
  std::map<u64, const SymbolizedAddress*> by_address;
  for (const SymbolizedAddress& one : answers.answers) by_address[one.address] = &one;
  for (const u64 address : in_order) {
    const SymbolizedAddress& one = *by_address[address];
    std::printf("%#llx\n", static_cast<unsigned long long>(address));
    if (one.frame_count == 0) std::printf("??\n??:0\n");
    for (wperf::u32 i = 0; i < one.frame_count; ++i) {
      const SymbolizedFrame& frame = answers.frames[one.first_frame + i];
      const auto function = or_unknown(frame.function), file = or_unknown(frame.file);
      std::printf("%.*s\n%.*s:%u\n", static_cast<int>(function.size()), function.data(), static_cast<int>(file.size()),
                  file.data(), frame.line);
    }
    std::printf("\n");
  }
}

bool is_image(Bytes file) {
  return file.size() > 2 && file[0] == std::byte{'M'} && file[1] == std::byte{'Z'};
}

int print_image(Bytes file, std::string_view task, const std::vector<u64>& in_order) {
  auto image = PeFile::parse(file);
  if (!image.has_value()) {
    std::fprintf(stderr, "error: %s\n", image.error().text.c_str());
    return 1;
  }
  const u64 base = image.value().image_base();
  const ModuleSymbols module = ModuleSymbols::make("image", std::move(image).value(), std::nullopt);
  if (!module.state().reason.empty()) std::fprintf(stderr, "note: %s\n", module.state().reason.c_str());
  std::vector<wperf::code::Rva> rvas;
  for (const u64 address : in_order) rvas.push_back({static_cast<wperf::u32>(address - base)});
  std::sort(rvas.begin(), rvas.end());
  rvas.erase(std::unique(rvas.begin(), rvas.end()), rvas.end());
  const std::vector<Answer> known = module.answer(rvas, {.decorated = task == "raw"});
  Symbolization answers;
  for (const Answer& one : known) {
    SymbolizedAddress& answer = answers.answers.emplace_back();
    answer.address = base + one.address.value;
    answer.first_frame = static_cast<wperf::u32>(answers.frames.size());
    answer.frame_count = static_cast<wperf::u32>(one.frames.size());
    answers.frames.insert(answers.frames.end(), one.frames.begin(), one.frames.end());
    // .pdata gives only the start of the function.
    if (one.source == SymbolSource::pdata) answers.frames.back().function = {};
  }
  print(answers, in_order);
  return 0;
}

int run(const ElfModule& module, std::string_view task, const std::vector<u64>& in_order) {
  if (task == "symbols") {
    for (const ElfSymbol& one : module.symbols().all()) {
      std::printf("%llx\t%llx\t%.*s%s\n", static_cast<unsigned long long>(one.begin),
                  static_cast<unsigned long long>(one.end), static_cast<int>(one.name.size()), one.name.data(),
                  one.table == ElfSymbolTable::plt ? "@plt" : "");
    }
    return 0;
  }
  std::vector<u64> addresses = in_order;
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  const Symbolization answers = module.answer(addresses, {.lines = true, .decorated = task == "raw"});
  if (task == "print" || task == "raw") {
    print(answers, in_order);
    return 0;
  }
  u64 with_line = 0, named = 0;
  for (const SymbolizedAddress& one : answers.answers) {
    named += one.function.empty() ? 0 : 1;
    if (one.frame_count != 0) with_line += answers.frames[one.first_frame].line != 0 ? 1 : 0;
  }
  std::printf("%zu addresses, %llu named, %zu frames, %llu with a line\n", addresses.size(),
              static_cast<unsigned long long>(named), answers.frames.size(),
              static_cast<unsigned long long>(with_line));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("peak %ld KB\n", usage.ru_maxrss);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view task = argc > 2 ? argv[2] : "";
  const bool with_addresses = task == "addresses" || task == "print" || task == "raw";
  if (!with_addresses && task != "symbols") {
    std::fprintf(stderr,
                 "usage: elf_frames FILE addresses|print|raw ADDRESSES [DEBUG [ALTERNATE]] | FILE symbols [DEBUG]\n");
    return 2;
  }
  std::vector<std::string> paths = {argv[1]};
  for (int i = with_addresses ? 4 : 3; i < argc; ++i) paths.emplace_back(argv[i]);
  std::deque<MappedFile> files;
  std::vector<Bytes> bytes;
  for (const std::string& path : paths) {
    if (path == "-") {
      bytes.emplace_back();
      continue;
    }
    auto file = MappedFile::open(path);
    if (!file.has_value()) {
      std::fprintf(stderr, "error: %s\n", file.error().text.c_str());
      return 1;
    }
    files.push_back(std::move(file).value());
    bytes.push_back(files.back().bytes());
  }
  bytes.resize(3);
  std::vector<u64> addresses;
  if (with_addresses && argc > 3) {
    auto text = MappedFile::open(argv[3]);
    if (!text.has_value()) return 1;
    const Bytes list = text.value().bytes();
    addresses = parse_addresses({reinterpret_cast<const char*>(list.data()), list.size()});
  }
  if (is_image(bytes[0])) {
    if (task == "print" || task == "raw") return print_image(bytes[0], task, addresses);
    std::fprintf(stderr, "error: of a Windows image only frames are printed\n");
    return 2;
  }
  SplitFiles split(paths[0] + ".dwp");
  const auto module = ElfModule::make(
      {.image = bytes[0], .debug = bytes[1], .alternate = bytes[2], .open_split = [&](const SplitUnit& unit) {
         return split.open(unit);
       }});
  if (!module.has_value()) {
    std::fprintf(stderr, "error: %s\n", module.error().text.c_str());
    return 1;
  }
  if (!module.value().reason().empty()) std::fprintf(stderr, "note: %s\n", module.value().reason().c_str());
  return run(module.value(), task, addresses);
}
