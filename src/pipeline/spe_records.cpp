// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/spe_records.h"

#include <map>

#include "os/output_file.h"
#include "pipeline/spe_decoding.h"
#include "profile/spe_record_row.h"
#include "report/spe_report.h"

namespace wperf::pipeline {
namespace {

constexpr size_t kChunk = 1 << 20;

report::RecordFormat format_of(const std::string& path) {
  constexpr std::string_view kJson = ".json";
  return path.size() > kJson.size() && path.ends_with(kJson) ? report::RecordFormat::json : report::RecordFormat::csv;
}

}  // namespace

void KeptPieces::replay(const RecordSink& sink) const {
  std::map<u32, SpeStream> streams;
  for (const Kept& kept : pieces_) {
    raw::SpePiece piece = kept.piece;
    piece.bytes = kept.bytes;
    const decode::spe::Origin origin{.core = piece.core};
    streams[piece.core].feed(piece, [&](const decode::spe::Record& record) { sink(origin, record); });
  }
}

diag::Result<void> write_records(const RecordsRequest& request, const profile::SpeProfile& profile,
                                 const RecordReplay& replay) {
  WPERF_TRY(os::OutputFile file, os::OutputFile::create(request.path));
  profile::SpeRecordNamer namer(profile);
  for (u32 core = 0; core < request.midr_of_core.size(); ++core) {
    namer.set_data_sources(core, decode::spe::find_data_source_family(request.midr_of_core[core]));
  }
  report::RecordWriter writer(format_of(request.path));
  std::string text;
  writer.begin(text);
  replay([&](const decode::spe::Origin& origin, const decode::spe::Record& record) {
    profile::SpeRecordRow row = namer.row(origin, record);
    if (row.time.given && request.to_ns) row.time.value = request.to_ns(row.time.value);
    writer.add(row, text);
    if (text.size() < kChunk) return;
    file.write(text);
    text.clear();
  });
  writer.end(text);
  file.write(text);
  return file.close();
}

}  // namespace wperf::pipeline
