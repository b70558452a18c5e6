// SPDX-License-Identifier: BSD-3-Clause
// LLVM's extensible binary sample profile: a table of sections, a summary, names, and functions. A compiler finds a
// function by name without reading all functions. Numbers are ULEB128, except in the table of sections.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "formats/compiler_profiles/compiler_profiles.h"

namespace wperf::compiler_profiles {
namespace {

constexpr u64 kLlvmMagic = 0x5350'524f'4634'3204;  // "SPROF42", and the number of this format
constexpr u64 kLlvmVersion = 103;
enum Section : u64 { kSummary = 1, kNames = 2, kOffsets = 4, kFunctions = 32 };

// Shares of the sum of all counts, in millionths. For each, the summary has the smallest count that is needed to reach
// it.
constexpr u64 kWhole = 1'000'000;
constexpr std::array<u64, 16> kCutoffs = {10'000,  100'000, 200'000, 300'000, 400'000, 500'000, 600'000, 700'000,
                                          800'000, 900'000, 950'000, 990'000, 999'000, 999'900, 999'990, 999'999};

void put_number(std::string& out, u64 value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_fixed(std::string& out, u64 value) {
  for (u32 shift = 0; shift < 64; shift += 8) out += static_cast<char>(value >> shift);
}

// The names of all functions, sorted and numbered.
class Names {
 public:
  explicit Names(const FunctionProfiles& functions) {
    for (const auto& [name, function] : functions) collect(name, function);
    u64 number = 0;
    for (auto& [name, its_number] : numbers_) its_number = number++;
  }
  u64 operator[](std::string_view name) const { return numbers_.find(name)->second; }
  std::string section() const {
    std::string out;
    put_number(out, numbers_.size());
    for (const auto& [name, number] : numbers_) out.append(name).append(1, '\0');
    return out;
  }

 private:
  void collect(std::string_view name, const FunctionProfile& function) {
    numbers_[name];
    for (const auto& [at, body] : function.body) {
      for (const auto& [target, count] : body.targets) numbers_[target];
    }
    for (const auto& [at, callees] : function.inlined) {
      for (const auto& [callee, profile] : callees) collect(callee, profile);
    }
  }
  std::map<std::string_view, u64, std::less<>> numbers_;
};

class Summary {
 public:
  explicit Summary(const FunctionProfiles& functions) : functions_(functions.size()) {
    for (const auto& [name, function] : functions) {
      most_entries_ = std::max(most_entries_, function.head);
      add(function);
    }
  }
  std::string section() const {
    std::string out;
    for (const u64 value :
         {total_, by_count_.empty() ? 0 : by_count_.begin()->first, most_entries_, counts_, functions_})
      put_number(out, value);
    put_number(out, kCutoffs.size());
    u64 sum = 0, seen = 0, least = 0;
    auto next = by_count_.begin();
    for (const u64 cutoff : kCutoffs) {
      const u64 wanted = total_ / kWhole * cutoff + total_ % kWhole * cutoff / kWhole;
      for (; sum < wanted && next != by_count_.end(); ++next) {
        least = next->first;
        sum += least * next->second;
        seen += next->second;
      }
      for (const u64 value : {cutoff, least, seen}) put_number(out, value);
    }
    return out;
  }

 private:
  void add(const FunctionProfile& function) {
    for (const auto& [at, body] : function.body) {
      total_ += body.count;
      ++counts_;
      ++by_count_[body.count];
    }
    for (const auto& [at, callees] : function.inlined) {
      for (const auto& [callee, profile] : callees) add(profile);
    }
  }
  u64 total_ = 0, most_entries_ = 0, counts_ = 0, functions_ = 0;
  std::map<u64, u64, std::greater<>> by_count_;  // how many lines have each count, the largest count first
};

void put_binary_function(std::string& out, std::string_view name, const FunctionProfile& function, const Names& names) {
  put_number(out, names[name]);
  put_number(out, function.total);
  put_number(out, function.body.size());
  for (const auto& [at, body] : function.body) {
    for (const u64 value : {u64{at.line}, u64{at.discriminator}, body.count, u64{body.targets.size()}})
      put_number(out, value);
    for (const auto& [target, count] : body.targets) {
      put_number(out, names[target]);
      put_number(out, count);
    }
  }
  u64 inlined = 0;
  for (const auto& [at, callees] : function.inlined) inlined += callees.size();
  put_number(out, inlined);
  for (const auto& [at, callees] : function.inlined) {
    for (const auto& [callee, profile] : callees) {
      put_number(out, at.line);
      put_number(out, at.discriminator);
      put_binary_function(out, callee, profile, names);
    }
  }
}

}  // namespace

std::string llvm_binary(const FunctionProfiles& functions) {
  const Names names(functions);
  std::string bodies, offsets;
  put_number(offsets, functions.size());
  for (const auto* const one : largest_first(functions)) {
    put_number(offsets, names[one->first]);
    put_number(offsets, bodies.size());
    put_number(bodies, one->second.head);
    put_binary_function(bodies, one->first, one->second, names);
  }
  const std::pair<Section, std::string> sections[] = {{kSummary, Summary(functions).section()},
                                                      {kNames, names.section()},
                                                      {kOffsets, std::move(offsets)},
                                                      {kFunctions, std::move(bodies)}};
  std::string out;
  put_number(out, kLlvmMagic);
  put_number(out, kLlvmVersion);
  put_fixed(out, std::size(sections));
  constexpr usize kRow = 4 * sizeof(u64);  // kind, flags, offset, size
  usize at = out.size() + std::size(sections) * kRow;
  for (const auto& [kind, bytes] : sections) {
    for (const u64 value : {u64{kind}, u64{0}, u64{at}, u64{bytes.size()}}) put_fixed(out, value);
    at += bytes.size();
  }
  for (const auto& [kind, bytes] : sections) out += bytes;
  return out;
}

}  // namespace wperf::compiler_profiles
