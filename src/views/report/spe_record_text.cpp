// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "views/report/escaping.h"
#include "views/report/spe_report.h"

namespace wperf::report {
namespace {

using operations::RecordNumber;
using operations::SpeRecordRow;

constexpr std::string_view kBetween = ",\n";  // separates two JSON objects

enum class Spelling : u8 { decimal, address };

// Visits the fields that many records share.
template <class Visitor>
void visit_place(const SpeRecordRow& row, Visitor& visitor) {
  visitor.text("function", row.function);
  visitor.text("module", row.module);
}
template <class Visitor>
void visit_kind(const SpeRecordRow& row, Visitor& visitor) {
  visitor.word("operation", row.operation);
  visitor.word("events", row.events);
}

// Calls the visitor for every column once, in order: number(), text() or word(). A word is a text of wperf and needs no
// escaping. spelled() is for columns with a text that was made before.
template <class Visitor>
void visit_columns(const SpeRecordRow& row, Visitor&& visitor) {
  visitor.number("time", row.time, Spelling::decimal);
  visitor.number("core", {.value = row.core, .given = true}, Spelling::decimal);
  visitor.number("thread", row.thread, Spelling::decimal);
  visitor.number("exception_level", {.value = row.exception_level, .given = row.pc.given}, Spelling::decimal);
  visitor.number("pc", row.pc, Spelling::address);
  if (row.place.empty()) {
    visit_place(row, visitor);
  } else {
    visitor.spelled(row.place);
  }
  if (row.kind.empty()) {
    visit_kind(row, visitor);
  } else {
    visitor.spelled(row.kind);
  }
  visitor.number("latency", row.total_latency, Spelling::decimal);
  visitor.number("issue_latency", row.issue_latency, Spelling::decimal);
  visitor.number("translation_latency", row.translation_latency, Spelling::decimal);
  visitor.number("data_address", row.data_virtual, Spelling::address);
  visitor.number("physical_address", row.data_physical, Spelling::address);
  visitor.word("source", row.source);
  visitor.number("target", row.target, Spelling::address);
  visitor.number("damaged", {.value = 1, .given = row.damaged}, Spelling::decimal);
}

// Pairs of digits, to write two digits at a time.
constexpr std::array<char, 200> kDecimalPairs = [] {
  std::array<char, 200> pairs{};
  for (usize i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();
constexpr std::array<char, 512> kHexPairs = [] {
  std::array<char, 512> pairs{};
  for (usize i = 0; i < 256; ++i) {
    pairs[2 * i] = "0123456789abcdef"[i / 16];
    pairs[2 * i + 1] = "0123456789abcdef"[i % 16];
  }
  return pairs;
}();

u32 digits_of(u64 value) {
  constexpr auto kPowers = [] {
    std::array<u64, 20> powers{};
    for (u64 i = 0, power = 1; i < 20; ++i, power *= 10) powers[i] = power;
    return powers;
  }();
  // The number of digits is estimated from the number of bits. The estimate is one too small if the value is at least
  // the next power of ten.
  const u32 about = static_cast<u32>(std::bit_width(value)) * 1233 >> 12;
  return about + (about < kPowers.size() && value >= kPowers[about] ? 1 : 0);
}

class CsvTitles {
 public:
  explicit CsvTitles(std::string& out) : out_(out) {}
  void number(std::string_view title, RecordNumber, Spelling) { text(title, {}); }
  void word(std::string_view title, std::string_view) { text(title, {}); }
  void spelled(std::string_view) {}
  void text(std::string_view title, std::string_view) {
    if (!out_.empty() && out_.back() != '\n') out_ += ',';
    out_ += title;
  }

 private:
  std::string& out_;
};

// Writes one line from `at` on; there must be space for most_of() bytes.
class CsvCells {
 public:
  explicit CsvCells(char* at) : at_(at) {}

  static usize most_of(const SpeRecordRow& row) {
    constexpr usize kCells = 17, kTexts = 5, kCommaAndMarks = 1 + most_of_csv_field("");
    const usize texts =
        row.function.size() + row.module.size() + row.operation.size() + row.events.size() + row.source.size();
    return kCells * kCommaAndMarks + (kCells - kTexts) * kMostOfNumber + 2 * texts + row.place.size() + row.kind.size();
  }
  char* end() const { return at_; }

  void number(std::string_view, RecordNumber number, Spelling spelling) {
    separate();
    if (!number.given) return;
    if (spelling == Spelling::address) {
      put_address(number.value);
    } else {
      put_decimal(number.value);
    }
  }
  void spelled(std::string_view text) {
    separate();
    put(text);
  }
  void end_line() { *at_++ = '\n'; }
  void word(std::string_view, std::string_view text) {
    separate();
    put(text);
  }
  void text(std::string_view, std::string_view text) {
    separate();
    at_ = put_csv_field(at_, text);
  }

 private:
  static constexpr usize kMostOfNumber = std::numeric_limits<u64>::digits10 + 1;

  void put(std::string_view text) {
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void put_decimal(u64 value) {
    if (value < 10) {
      *at_++ = static_cast<char>('0' + value);
      return;
    }
    char* const end = at_ + digits_of(value);
    char* behind = end;
    for (; value >= 100; value /= 100) std::memcpy(behind -= 2, kDecimalPairs.data() + value % 100 * 2, 2);
    if (value >= 10) {
      std::memcpy(behind - 2, kDecimalPairs.data() + value * 2, 2);
    } else {
      *--behind = static_cast<char>('0' + value);
    }
    at_ = end;
  }
  void put_address(u64 address) {
    constexpr int kBitsOfDigit = 4;
    *at_++ = '0';
    *at_++ = 'x';
    const int digits = std::max(1, (static_cast<int>(std::bit_width(address)) + kBitsOfDigit - 1) / kBitsOfDigit);
    char* const end = at_ + digits;
    char* behind = end;
    for (; behind - at_ >= 2; address >>= 2 * kBitsOfDigit)
      std::memcpy(behind -= 2, kHexPairs.data() + (address & 0xff) * 2, 2);
    if (behind != at_) *at_ = kHexPairs[(address & 0xf) * 2 + 1];
    at_ = end;
  }
  void separate() {
    if (!first_) *at_++ = ',';
    first_ = false;
  }
  char* at_;
  bool first_ = true;
};

// Appends cells to `out`, which is resized only once, so that a record costs little more than its digits.
template <class Visit>
void append_csv(const SpeRecordRow& row, std::string& out, Visit&& visit) {
  const usize size = out.size();
  const usize most = size + CsvCells::most_of(row) + 1;
  if (most > out.capacity()) out.reserve(std::max(most, 2 * out.capacity()));
  out.resize_and_overwrite(most, [&](char* text, usize) {
    CsvCells cells(text + size);
    visit(cells);
    return static_cast<usize>(cells.end() - text);
  });
}

void spell_csv_place(const SpeRecordRow& row, std::string& out) {
  append_csv(row, out, [&](CsvCells& cells) { visit_place(row, cells); });
}
void spell_csv_kind(const SpeRecordRow& row, std::string& out) {
  append_csv(row, out, [&](CsvCells& cells) { visit_kind(row, cells); });
}

class JsonMembers {
 public:
  explicit JsonMembers(text::JsonWriter& json) : json_(json) {}
  void number(std::string_view title, RecordNumber number, Spelling spelling) {
    if (!number.given) return;
    json_.key(title);
    if (spelling == Spelling::decimal) {
      json_.integer(number.value);
    } else {
      json_.string(text::hex(number.value, 1));
    }
  }
  void text(std::string_view title, std::string_view text) {
    if (text.empty()) return;
    json_.string(title, text);
  }
  void word(std::string_view title, std::string_view text) { this->text(title, text); }
  void spelled(std::string_view) {}

 private:
  text::JsonWriter& json_;
};

}  // namespace

void RecordLines::add(const SpeRecordRow& row) {
  if (format_ == RecordFormat::csv) {
    append_csv(row, text_, [&](CsvCells& cells) {
      visit_columns(row, cells);
      cells.end_line();
    });
    return;
  }
  if (!text_.empty()) text_ += kBetween;
  text::JsonWriter json(text_);
  json.begin_object();
  visit_columns(row, JsonMembers(json));
  json.end_object();
}

operations::RecordSpelling RecordLines::spelling(RecordFormat format) {
  if (format == RecordFormat::csv) return {.place = spell_csv_place, .kind = spell_csv_kind};
  return {};
}

std::string_view RecordWriter::begin() {
  if (format_ == RecordFormat::json) return "{\"records\":[\n";
  static const std::string kTitles = [] {
    std::string titles;
    visit_columns(SpeRecordRow{}, CsvTitles(titles));
    return titles + '\n';
  }();
  return kTitles;
}

std::string_view RecordWriter::before_lines() {
  return std::exchange(first_, false) || format_ == RecordFormat::csv ? std::string_view() : kBetween;
}

std::string_view RecordWriter::end() const {
  if (format_ == RecordFormat::csv) return {};
  return first_ ? "]}\n" : "\n]}\n";
}

}  // namespace wperf::report
