// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <iterator>

#include "report/json_writer.h"
#include "report/number_text.h"
#include "report/spe_report.h"

namespace wperf::report {
namespace {

using profile::RecordNumber;
using profile::SpeRecordRow;

enum class Spelling : u8 { decimal, address };

// Every column once, in order; a visitor with number() and text() spells them.
template <class Visitor>
void visit_columns(const SpeRecordRow& row, Visitor&& visitor) {
  visitor.number("time", row.time, Spelling::decimal);
  visitor.number("core", {.value = row.core, .given = true}, Spelling::decimal);
  visitor.number("thread", row.thread, Spelling::decimal);
  visitor.number("exception_level", {.value = row.exception_level, .given = row.pc.given}, Spelling::decimal);
  visitor.number("pc", row.pc, Spelling::address);
  visitor.text("function", row.function);
  visitor.text("module", row.module);
  visitor.text("operation", row.operation);
  visitor.text("events", row.events);
  visitor.number("latency", row.total_latency, Spelling::decimal);
  visitor.number("issue_latency", row.issue_latency, Spelling::decimal);
  visitor.number("translation_latency", row.translation_latency, Spelling::decimal);
  visitor.number("data_address", row.data_virtual, Spelling::address);
  visitor.number("physical_address", row.data_physical, Spelling::address);
  visitor.text("source", row.source);
  visitor.number("target", row.target, Spelling::address);
  visitor.number("damaged", {.value = 1, .given = row.damaged}, Spelling::decimal);
}

// Names of functions may hold anything; quotes are doubled (RFC 4180).
void append_csv_text(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

class CsvTitles {
 public:
  explicit CsvTitles(std::string& out) : out_(out) {}
  void number(std::string_view title, RecordNumber, Spelling) { text(title, {}); }
  void text(std::string_view title, std::string_view) {
    if (!out_.empty() && out_.back() != '\n') out_ += ',';
    out_ += title;
  }

 private:
  std::string& out_;
};

class CsvCells {
 public:
  explicit CsvCells(std::string& out) : out_(out) {}
  void number(std::string_view, RecordNumber number, Spelling spelling) {
    separate();
    if (!number.given) return;
    if (spelling == Spelling::decimal) {
      fmt::format_to(std::back_inserter(out_), "{}", number.value);
    } else {
      fmt::format_to(std::back_inserter(out_), "0x{:x}", number.value);
    }
  }
  void text(std::string_view, std::string_view text) {
    separate();
    append_csv_text(out_, text);
  }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

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

 private:
  JsonWriter& json_;
};

}  // namespace

void RecordWriter::begin(std::string& out) {
  first_ = true;
  if (format_ == RecordFormat::json) {
    out += "{\"records\":[\n";
    return;
  }
  std::string titles;
  visit_columns(SpeRecordRow{}, CsvTitles(titles));
  out += titles + '\n';
}

void RecordWriter::add(const SpeRecordRow& row, std::string& out) {
  if (format_ == RecordFormat::csv) {
    visit_columns(row, CsvCells(out));
    out += '\n';
    return;
  }
  if (!first_) out += ",\n";
  first_ = false;
  JsonWriter json(out);
  json.begin_object();
  visit_columns(row, JsonMembers(json));
  json.end_object();
}

void RecordWriter::end(std::string& out) {
  if (format_ == RecordFormat::json) out += first_ ? "]}\n" : "\n]}\n";
}

}  // namespace wperf::report
