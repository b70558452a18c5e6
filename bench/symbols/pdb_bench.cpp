// SPDX-License-Identifier: BSD-3-Clause
// One task of the PDB reader as one process; run.py compares its time with LLVM's tools:
//   pdb_bench PDB functions          every function
//   pdb_bench PDB lines              every function and every line row
//   pdb_bench PDB addresses FILE     function, inlined frames and line of every address (hexadecimal RVAs, one a line)
//   pdb_bench PDB first RVA          the same for one address
// Prints its counts, so that the compiler cannot remove any work, and the peak memory including mapped pages.
#include <sys/resource.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/pdb/pdb_file.h"
#include "ground/os/mapped_file.h"

namespace {

using wperf::u32;
using wperf::u64;
using wperf::code::Rva;
using wperf::symbols::PdbFile;

std::vector<Rva> parse_addresses(std::string_view text) {
  std::vector<Rva> result;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    Rva rva;
    at = std::from_chars(at, end, rva.value, 16).ptr;
    result.push_back(rva);
    while (at < end && *at != '\n') ++at;
    ++at;
  }
  return result;
}

void answer(const PdbFile& pdb, const std::vector<Rva>& addresses) {
  std::vector<wperf::symbols::Frame> frames;
  u64 named = 0;
  u64 frame_count = 0;
  u64 with_line = 0;
  for (const Rva rva : addresses) {
    pdb.frames_at(rva, frames);
    frame_count += frames.size();
    if (frames.empty()) continue;
    named += !frames.back().function.empty() ? 1 : 0;
    with_line += frames.front().line != 0 ? 1 : 0;
  }
  std::printf("%zu addresses, %llu named, %llu frames, %llu with a line\n", addresses.size(),
              static_cast<unsigned long long>(named), static_cast<unsigned long long>(frame_count),
              static_cast<unsigned long long>(with_line));
}

int run(const PdbFile& pdb, std::string_view task, const std::string& argument) {
  if (task == "functions") {
    std::printf("%zu functions\n", pdb.functions().size());
  } else if (task == "lines") {
    std::printf("%zu functions, ", pdb.functions().size());
    std::printf("%zu line rows\n", pdb.all_lines().size());
  } else if (task == "first") {
    answer(pdb, parse_addresses(argument));
  } else if (task == "addresses") {
    auto file = wperf::os::MappedFile::open(argument);
    if (!file.has_value()) return 1;
    const auto bytes = file.value().bytes();
    answer(pdb, parse_addresses({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: pdb_bench PDB functions|lines|addresses FILE|first RVA\n", stderr);
    return 2;
  }
  const auto file = wperf::os::MappedFile::open(argv[1]);
  if (!file.has_value()) {
    std::fprintf(stderr, "pdb_bench: %s\n", file.error().text.c_str());
    return 1;
  }
  const auto pdb = PdbFile::open(file.value().bytes());
  if (!pdb.has_value()) {
    std::fprintf(stderr, "pdb_bench: %s\n", pdb.error().text.c_str());
    return 1;
  }
  const int status = run(pdb.value(), argv[2], argc > 3 ? argv[3] : "");
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("peak %ld KB, damage %u streams, %u records\n", usage.ru_maxrss, pdb.value().damage().streams,
              pdb.value().damage().records);
  return status;
}
