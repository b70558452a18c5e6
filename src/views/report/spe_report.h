// SPDX-License-Identifier: BSD-3-Clause
// The answers of statistical profiling as text and JSON (contract 9.9), with wperf's additions: the tables of `--mem`,
// and single records. Pure functions of profile and options; lines end in LF.
#pragma once
#include <string>
#include <string_view>

#include "analysis/operations/spe_profile.h"
#include "analysis/operations/spe_record_row.h"
#include "ground/text/json_writer.h"
#include "model/answers/count_profile.h"
#include "views/report/sample_report.h"
#include "views/report/table.h"

namespace wperf::report {

struct SpeOptions {
  SampleOptions samples;
  bool memory = false;   // --mem: its tables follow the sections
  u32 memory_rows = 20;  // rows in each memory table
  usize width = 0;       // of the terminal in characters, for these tables; 0: unlimited
};

// Everything after the progress line: the counting section if there is one, the sections, the tables of --mem. The view
// shows the samples of the profile.
std::string spe_text(const operations::SpeProfile& profile, const compat::CompatView& view,
                     const answers::CountProfile* counting, const SpeOptions& options);

// {"sampling": {"events": […], "sampling": {…}, "memory": {…}}, "counting": {…}}; "memory" is written only with --mem,
// and "counting" has no members if nothing was counted. `more` writes the members that follow.
std::string spe_json(const operations::SpeProfile& profile, const compat::CompatView& view,
                     const answers::CountProfile* counting, const SpeOptions& options, const WriteMembers& more = {});

// Writes the value of "memory" in JSON.
void write_memory(text::JsonWriter& json, const operations::SpeProfile& profile, const SpeOptions& options);

// Only the tables of --mem, which spe_text() also appends.
std::string memory_text(const operations::SpeProfile& profile, const SpeOptions& options);

// Writes records one by one: head, a line for each record, tail. CSV has a line of titles; JSON is one document
// {"records": [ {…}, … ]} with one record on each line, without keys that have no value. Runs of lines can be made in
// parallel, each by a separate RecordLines; one RecordWriter joins them.
enum class RecordFormat : u8 { csv, json };
class RecordLines {
 public:
  explicit RecordLines(RecordFormat format) : format_(format) {}
  void add(const operations::SpeRecordRow& row);
  std::string& text() { return text_; }
  // The spelling to use for rows that are added to lines of this format.
  static operations::RecordSpelling spelling(RecordFormat format);

 private:
  RecordFormat format_;
  std::string text_;
};
class RecordWriter {
 public:
  explicit RecordWriter(RecordFormat format) : format_(format) {}
  std::string_view begin();
  std::string_view before_lines();  // the text between earlier lines and the following ones; called once for each run
  std::string_view end() const;

 private:
  RecordFormat format_;
  bool first_ = true;
};

}  // namespace wperf::report
