// SPDX-License-Identifier: BSD-3-Clause
#include <llvm/Demangle/Demangle.h>
#include <llvm/Demangle/MicrosoftDemangle.h>

#include <cstdlib>
#include <memory>

#include "code/symbols/demangler.h"

namespace wperf::symbols {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

std::optional<std::string> take(char* text) {
  const std::unique_ptr<char, Free> owner(text);
  if (text == nullptr) return std::nullopt;
  return std::string(text);
}

// In the spelling of PDBs: "map<int,vector<int> >", "A::`scalar deleting destructor'".
std::string as_in_pdbs(std::string_view name) {
  constexpr std::string_view kOperator = "operator";
  std::string out;
  out.reserve(name.size() + 8);
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ' ' && i > 0 && name[i - 1] == ',') continue;
    const bool closes_two = name[i] == '>' && i > 0 && name[i - 1] == '>';
    const bool of_operator =
        closes_two && i > kOperator.size() && name.substr(i - 1 - kOperator.size(), kOperator.size()) == kOperator;
    if (closes_two && !of_operator) out += ' ';
    out += name[i];
  }
  constexpr std::string_view kShort = "deleting dtor'";
  if (out.size() >= kShort.size() && out.compare(out.size() - kShort.size(), kShort.size(), kShort) == 0) {
    out.replace(out.size() - kShort.size(), kShort.size(), "deleting destructor'");
  }
  return out;
}

}  // namespace

std::optional<std::string> demangle_microsoft(std::string_view name, NameParts parts) {
  using namespace llvm::ms_demangle;
  Demangler demangler;
  const SymbolNode* symbol = demangler.parse(name);
  if (demangler.Error || symbol == nullptr || symbol->Name == nullptr) return std::nullopt;
  const auto flags = static_cast<OutputFlags>(OF_NoCallingConvention | OF_NoTagSpecifier | OF_NoAccessSpecifier |
                                              OF_NoMemberType | OF_NoReturnType);
  return as_in_pdbs(parts == NameParts::name ? symbol->Name->toString(flags) : symbol->toString(flags));
}

std::optional<std::string> demangle_rust(std::string_view name) {
  return take(llvm::rustDemangle(name));
}

std::optional<std::string> demangle_d(std::string_view name) {
  return take(llvm::dlangDemangle(name));
}

}  // namespace wperf::symbols
