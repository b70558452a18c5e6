// SPDX-License-Identifier: BSD-3-Clause
// Prints the unwind rules at addresses of an ELF file, for frame_rows_with_llvm.py. Usage: frame_rows_dump FILE
// SECTION, with linked addresses in hexadecimal on standard input. Prints one line for each address, with DWARF
// register numbers.
#include <cstdio>
#include <cstring>

#include "code/unwind/frame_table.h"
#include "ground/os/mapped_file.h"

using namespace wperf;

namespace {

void print_rule(const unwind::RegisterRule& rule) {
  std::printf(" %u=", rule.number);
  const auto value = static_cast<long long>(rule.value);
  switch (rule.rule) {
    case unwind::Rule::undefined:
      std::printf("undefined");
      break;
    case unwind::Rule::at_cfa:
      std::printf("[CFA%+lld]", value);
      break;
    case unwind::Rule::cfa_plus:
      std::printf("CFA%+lld", value);
      break;
    case unwind::Rule::in_register:
      std::printf("reg%lld", value);
      break;
    case unwind::Rule::at_expression:
      std::printf("[expression]");
      break;
    case unwind::Rule::expression:
      std::printf("expression");
      break;
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const auto mapped = os::MappedFile::open(words[1]);
  if (!mapped.has_value()) return 1;
  const auto file = symbols::ElfFile::parse(mapped.value().bytes());
  if (!file.has_value()) return 1;
  const bool is_debug_frame = std::strcmp(words[2], ".debug_frame") == 0;
  unwind::FrameTable table(is_debug_frame ? unwind::debug_frame_of(file.value()) : unwind::eh_frame_of(file.value()));
  unsigned long long address = 0;
  while (std::scanf("%llx", &address) == 1) {
    std::printf("%llx:", address);
    const unwind::FrameRow* row = table.row_at(address);
    if (row == nullptr) {
      std::printf(" nothing\n");
      continue;
    }
    if (row->cfa_expression.empty()) {
      std::printf(" CFA=%u%+lld", row->cfa_register, static_cast<long long>(row->cfa_offset));
    } else {
      std::printf(" CFA=expression");
    }
    for (const unwind::RegisterRule& rule : row->rules) print_rule(rule);
    std::printf("\n");
  }
  return 0;
}
