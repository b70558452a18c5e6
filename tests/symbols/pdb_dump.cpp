// SPDX-License-Identifier: BSD-3-Clause
// Prints the PDB reader's results, for compare_with_llvm.py:
//   pdb_dump PDB id                 GUID and age
//   pdb_dump PDB functions          "p|u rva size name" of every function (p: procedure, u: public), by RVA
//   pdb_dump PDB publics            the same of every public
//   pdb_dump PDB lines              "rva size line file" of every line row
//   pdb_dump PDB function-lines     "function-rva: rva size line file" of every line row of every function
//   pdb_dump PDB addresses FILE     for every address of the file (hexadecimal RVAs): "@ rva", what function_at and
//                                   line_at say, then "i|f line function file" per frame, the innermost first
// Fields are separated by tabs.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/pdb/pdb_file.h"
#include "ground/os/mapped_file.h"

namespace {

using namespace wperf::symbols;

int width(std::string_view text) {
  return static_cast<int>(text.size());
}

void print_line(const Line& line) {
  std::printf("%x\t%u\t%u\t%.*s\n", line.rva.value, line.size, line.line, width(line.file), line.file.data());
}

void print_functions(std::span<const Function> functions) {
  for (const Function& one : functions) {
    std::printf("%c\t%x\t%u\t%.*s\n", one.is_public ? 'u' : 'p', one.rva.value, one.size, width(one.name),
                one.name.data());
  }
}

void print_address(const PdbFile& pdb, wperf::code::Rva rva, std::vector<Frame>& frames) {
  std::printf("@\t%x", rva.value);
  const Function* function = pdb.function_at(rva);
  if (function == nullptr) {
    std::printf("\t?");
  } else {
    std::printf("\t%c\t%x\t%.*s", function->is_public ? 'u' : 'p', function->rva.value, width(function->name),
                function->name.data());
  }
  const auto line = pdb.line_at(rva);
  std::printf("\t%u\n", line.has_value() ? line->line : 0);
  pdb.frames_at(rva, frames);
  for (const Frame& frame : frames) {
    std::printf("%c\t%u\t%.*s\t%.*s\n", frame.inlined ? 'i' : 'f', frame.line, width(frame.function),
                frame.function.data(), width(frame.file), frame.file.data());
  }
}

void print_addresses(const PdbFile& pdb, std::string_view text) {
  std::vector<Frame> frames;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    wperf::code::Rva rva;
    const auto parsed = std::from_chars(at, end, rva.value, 16);
    if (parsed.ptr == at) break;
    print_address(pdb, rva, frames);
    at = parsed.ptr + 1;
  }
}

void print_id(const wperf::code::PdbId& id) {
  std::printf("%08x%04x%04x", id.guid.data1, id.guid.data2, id.guid.data3);
  for (const wperf::u8 byte : id.guid.data4) std::printf("%02x", byte);
  std::printf("\t%u\n", id.age);
}

int run(const PdbFile& pdb, std::string_view what, const std::string& argument) {
  if (what == "id") {
    print_id(pdb.id());
  } else if (what == "functions") {
    print_functions(pdb.functions());
  } else if (what == "publics") {
    print_functions(pdb.publics());
  } else if (what == "lines") {
    for (const Line& line : pdb.all_lines()) print_line(line);
  } else if (what == "function-lines") {
    for (const Function& function : pdb.functions()) {
      for (const Line& line : pdb.lines_of(function)) {
        std::printf("%x:\t", function.rva.value);
        print_line(line);
      }
    }
  } else if (what == "addresses") {
    const auto file = wperf::os::MappedFile::open(argument);
    if (!file.has_value()) return 1;
    const auto bytes = file.value().bytes();
    print_addresses(pdb, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: pdb_dump PDB id|functions|publics|lines|function-lines|addresses FILE\n", stderr);
    return 2;
  }
  const auto file = wperf::os::MappedFile::open(argv[1]);
  if (!file.has_value()) {
    std::fprintf(stderr, "pdb_dump: %s\n", file.error().text.c_str());
    return 1;
  }
  const auto pdb = PdbFile::open(file.value().bytes());
  if (!pdb.has_value()) {
    std::fprintf(stderr, "pdb_dump: %s\n", pdb.error().text.c_str());
    return 4;
  }
  const int status = run(pdb.value(), argv[2], argc > 3 ? argv[3] : "");
  const Damage damage = pdb.value().damage();
  if (damage.streams != 0 || damage.records != 0) {
    std::fprintf(stderr, "damage: %u streams, %u records\n", damage.streams, damage.records);
  }
  return status;
}
