// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <utility>

#include "report/json_writer.h"
#include "report/number_text.h"
#include "report/spe_report.h"

namespace wperf::report {
namespace {

using profile::RecordNumber;
using profile::SpeRecordRow;

constexpr std::string_view kBetween = ",\n";  // two JSON objects

enum class Spelling : u8 { decimal, address };

// Every column once, in order; a visitor with number(), text() and word() spells them. A word is of ours: it holds
// nothing that needs care.
template <class Visitor>
void visit_columns(const SpeRecordRow& row, Visitor&& visitor) {
  visitor.number("time", row.time, Spelling::decimal);
  visitor.number("core", {.value = row.core, .given = true}, Spelling::decimal);
  visitor.number("thread", row.thread, Spelling::decimal);
  visitor.number("exception_level", {.value = row.exception_level, .given = row.pc.given}, Spelling::decimal);
  visitor.number("pc", row.pc, Spelling::address);
  visitor.text("function", row.function);
  visitor.text("module", row.module);
  visitor.word("operation", row.operation);
  visitor.word("events", row.events);
  visitor.number("latency", row.total_latency, Spelling::decimal);
  visitor.number("issue_latency", row.issue_latency, Spelling::decimal);
  visitor.number("translation_latency", row.translation_latency, Spelling::decimal);
  visitor.number("data_address", row.data_virtual, Spelling::address);
  visitor.number("physical_address", row.data_physical, Spelling::address);
  visitor.word("source", row.source);
  visitor.number("target", row.target, Spelling::address);
  visitor.number("damaged", {.value = 1, .given = row.damaged}, Spelling::decimal);
}

// Names of functions may hold anything; what has one of these is put into quotes (RFC 4180).
constexpr std::array<bool, 256> kNeedsQuotes = [] {
  std::array<bool, 256> needs{};
  for (const char c : {',', '"', '\r', '\n'}) needs[static_cast<u8>(c)] = true;
  return needs;
}();

class CsvTitles {
 public:
  explicit CsvTitles(std::string& out) : out_(out) {}
  void number(std::string_view title, RecordNumber, Spelling) { text(title, {}); }
  void word(std::string_view title, std::string_view) { text(title, {}); }
  void text(std::string_view title, std::string_view) {
    if (!out_.empty() && out_.back() != '\n') out_ += ',';
    out_ += title;
  }

 private:
  std::string& out_;
};

// Writes one line from `at` on: there is room for most_of().
class CsvCells {
 public:
  explicit CsvCells(char* at) : at_(at) {}

  static usize most_of(const SpeRecordRow& row) {
    constexpr usize kCells = 17, kTexts = 5, kCommaAndQuotes = 3;
    const usize texts =
        row.function.size() + row.module.size() + row.operation.size() + row.events.size() + row.source.size();
    return kCells * kCommaAndQuotes + (kCells - kTexts) * kMostOfNumber + 2 * texts;
  }
  char* end() const { return at_; }

  void number(std::string_view, RecordNumber number, Spelling spelling) {
    separate();
    if (!number.given) return;
    if (spelling == Spelling::address) {
      put_address(number.value);
    } else {
      at_ = std::to_chars(at_, at_ + kMostOfNumber, number.value).ptr;
    }
  }
  void word(std::string_view, std::string_view text) {
    separate();
    put(text);
  }
  void text(std::string_view, std::string_view text) {
    separate();
    const bool quoted = std::any_of(text.begin(), text.end(), [](char c) { return kNeedsQuotes[static_cast<u8>(c)]; });
    if (!quoted) {
      put(text);
      return;
    }
    *at_++ = '"';
    for (const char c : text) {
      if (c == '"') *at_++ = '"';
      *at_++ = c;
    }
    *at_++ = '"';
  }

 private:
  static constexpr usize kMostOfNumber = std::numeric_limits<u64>::digits10 + 1;

  void put(std::string_view text) { at_ = std::copy(text.begin(), text.end(), at_); }
  void put_address(u64 address) {
    constexpr int kBitsOfDigit = 4;
    *at_++ = '0';
    *at_++ = 'x';
    const int digits = std::max(1, (static_cast<int>(std::bit_width(address)) + kBitsOfDigit - 1) / kBitsOfDigit);
    for (int digit = digits - 1; digit >= 0; --digit)
      *at_++ = "0123456789abcdef"[address >> digit * kBitsOfDigit & 0xf];
  }
  void separate() {
    if (!first_) *at_++ = ',';
    first_ = false;
  }
  char* at_;
  bool first_ = true;
};

// One line behind the end of `out`, whose size changes once: a record costs little more than its digits.
void append_csv_line(const SpeRecordRow& row, std::string& out) {
  const usize size = out.size();
  out.resize_and_overwrite(size + CsvCells::most_of(row) + 1, [&](char* text, usize) {
    CsvCells cells(text + size);
    visit_columns(row, cells);
    *cells.end() = '\n';
    return static_cast<usize>(cells.end() + 1 - text);
  });
}

class JsonMembers {
 public:
  explicit JsonMembers(JsonWriter& json) : json_(json) {}
  void number(std::string_view title, RecordNumber number, Spelling spelling) {
    if (!number.given) return;
    json_.key(title);
    if (spelling == Spelling::decimal) {
      json_.integer(number.value);
    } else {
      json_.string(hex(number.value, 1));
    }
  }
  void text(std::string_view title, std::string_view text) {
    if (text.empty()) return;
    json_.key(title);
    json_.string(text);
  }
  void word(std::string_view title, std::string_view text) { this->text(title, text); }

 private:
  JsonWriter& json_;
};

}  // namespace

void RecordLines::add(const SpeRecordRow& row) {
  if (format_ == RecordFormat::csv) {
    append_csv_line(row, text_);
    return;
  }
  if (!text_.empty()) text_ += kBetween;
  JsonWriter json(text_);
  json.begin_object();
  visit_columns(row, JsonMembers(json));
  json.end_object();
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
