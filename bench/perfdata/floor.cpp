// SPDX-License-Identifier: BSD-3-Clause
// A lower bound for the time of reports: only walks the records of a perf.data file and folds (pid, call chain) by
// hash. It trusts the file, knows one sample layout (that of `perf record -g` with one event) and does not name
// functions. run.py compares `wperf report --tree` with this program. With --json it instead writes lines of JSON into
// a buffer by hand, for comparison with `wperf report --records - --json`. For every frame it looks up the address in a
// table of names; for a new address it makes up a name. It opens no symbol file and ignores mappings, so an address is
// the same function in every process. It makes one pass only.
//
// usage: floor [--json] FILE
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kIp = 1, kTid = 2, kTime = 4, kAddress = 8, kRead = 16, kCallchain = 32, kId = 64, kCpu = 128,
              kPeriod = 256, kStreamId = 512, kIdentifier = 1 << 16;
constexpr u32 kSampleRecord = 9;

u64 word_at(const char* at) {
  u64 word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The position of the call chain, in words from the header of a sample; 0 if this program cannot handle the layout.
u64 words_before_chain(u64 fields) {
  if ((fields & kCallchain) == 0 || (fields & kRead) != 0) return 0;
  u64 words = 1;
  for (const u64 field : {kIdentifier, kIp, kTid, kTime, kAddress, kId, kStreamId, kCpu, kPeriod}) {
    if ((fields & field) != 0) ++words;
  }
  return words;
}

// Addresses and their names, in one array without chains.
class Names {
 public:
  explicit Names(u64 bits) : bits_(bits), slots_(u64{1} << bits) {}
  const std::string& of(u64 address) {
    for (u64 at = (address * 0x9fb2'1c65'1e98'df25) >> (64 - bits_);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.address == address && slot.name != 0) return names_[slot.name - 1];
      if (slot.name != 0) continue;
      names_.push_back("function_of_usual_length_" + std::to_string(names_.size()));
      if (names_.size() > slots_.size() / 2) std::abort();
      slot = {address, names_.size()};
      return names_.back();
    }
  }

 private:
  struct Slot {
    u64 address = 0, name = 0;  // 0: free
  };
  u64 bits_;
  std::vector<Slot> slots_;
  std::deque<std::string> names_;
};

// Writes lines of JSON character by character into a buffer that is large enough for the largest record.
class JsonLines {
 public:
  // The table has room for the names of a recording of `size` bytes.
  explicit JsonLines(u64 size) : names_(size < 200'000'000 ? 20 : 22) {}
  void add(u64 pid_and_tid, u64 time, u64 period, const char* chain, u64 depth) {
    text(R"({"comm":"program","pid":)");
    decimal(pid_and_tid & 0xffff'ffff);
    text(R"(,"tid":)");
    decimal(pid_and_tid >> 32);
    text(R"(,"time_ns":)");
    decimal(time);
    text(R"(,"period":)");
    decimal(period);
    text(R"(,"event":"cpu-clock","frames":[)");
    bool is_first = true;
    for (u64 i = 0; i < depth; ++i) {
      const u64 address = word_at(chain + i * 8);
      if (address >= kMarks) continue;
      if (!is_first) *at_++ = ',';
      is_first = false;
      text(R"({"address":"0x)");
      hexadecimal(address);
      text(R"(","symbol":")");
      text(names_.of(address));
      text(R"(","module":"libc.so.6"})");
    }
    text("]}\n");
    if (at_ - buffer_.get() >= static_cast<std::ptrdiff_t>(kSize)) flush();
  }
  void flush() {
    std::fwrite(buffer_.get(), 1, static_cast<std::size_t>(at_ - buffer_.get()), stdout);
    at_ = buffer_.get();
  }

 private:
  static constexpr u64 kSize = 1 << 18, kLongestLine = 1 << 20;
  static constexpr u64 kMarks = ~u64{0} - 4094;  // "from here on the kernel" and the like

  void text(std::string_view part) {
    std::memcpy(at_, part.data(), part.size());
    at_ += part.size();
  }
  void decimal(u64 value) { at_ = std::to_chars(at_, at_ + 20, value).ptr; }
  void hexadecimal(u64 value) {
    const int digits = value == 0 ? 1 : (67 - std::countl_zero(value)) / 4;
    for (int i = digits; i-- > 0; value >>= 4) at_[i] = "0123456789abcdef"[value & 15];
    at_ += digits;
  }

  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(kSize + kLongestLine);
  char* at_ = buffer_.get();
  Names names_;
};

}  // namespace

int main(int count, char** words) {
  constexpr u64 kWindow = 1 << 20, kGreatestRecord = 1 << 16;
  const bool as_json = count == 3 && std::string_view(words[1]) == "--json";
  std::ifstream file(count < 2 ? "" : words[count - 1], std::ios::binary);
  char header[104]{};
  if (!file.read(header, sizeof header)) return std::fputs("error: no such recording\n", stderr), 2;
  const u64 attributes = word_at(header + 24), data = word_at(header + 40), size = word_at(header + 48);
  char event[64]{};
  file.seekg(static_cast<std::streamoff>(attributes)).read(event, sizeof event);
  const u64 fields = word_at(event + 24);
  const u64 before = words_before_chain(fields);
  if (before == 0) return std::fputs("error: no call chains in this recording\n", stderr), 2;
  const u64 pid_word = 1 + ((fields & kIdentifier) != 0 ? 1 : 0) + ((fields & kIp) != 0 ? 1 : 0);

  std::unordered_map<u64, u64> counts;
  std::optional<JsonLines> json;
  if (as_json) json.emplace(size);
  const auto window = std::make_unique<char[]>(kWindow + kGreatestRecord);
  u64 left = size, kept = 0, samples = 0;
  file.seekg(static_cast<std::streamoff>(data));
  while (left != 0) {
    const u64 wanted = left < kWindow ? left : kWindow;
    if (!file.read(window.get() + kept, static_cast<std::streamsize>(wanted))) break;
    left -= wanted;
    const u64 there = kept + wanted;
    u64 at = 0;
    while (there - at >= 8) {
      const char* const record = window.get() + at;
      u32 type = 0;
      u16 length = 0;
      std::memcpy(&type, record, sizeof type);
      std::memcpy(&length, record + 6, sizeof length);
      if (length < 8) return std::fputs("error: damaged\n", stderr), 4;
      if (length > there - at) break;
      at += length;
      if (type != kSampleRecord) continue;
      const u64 depth = word_at(record + before * 8);
      if (as_json) {
        // The time follows the thread, the period precedes the call chain.
        json->add(word_at(record + pid_word * 8), word_at(record + (pid_word + 1) * 8),
                  word_at(record + (before - 1) * 8), record + (before + 1) * 8, depth);
        continue;
      }
      u64 hash = word_at(record + pid_word * 8) & 0xffff'ffff;
      for (u64 i = 0; i < depth; ++i) {
        hash = (hash ^ word_at(record + (before + 1 + i) * 8)) * 0x9fb2'1c65'1e98'df25;
        hash ^= hash >> 32;
      }
      ++counts[hash];
      ++samples;
    }
    kept = there - at;
    std::memmove(window.get(), window.get() + at, kept);
  }
  if (as_json) return json->flush(), 0;
  std::printf("%llu samples, %zu stacks\n", static_cast<unsigned long long>(samples), counts.size());
  return 0;
}
