// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/clickhouse_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "app/push/clickhouse_table.h"
#include "formats/profiles/fleet_profile.h"
#include "ground/packing/deflate.h"
#include "ground/text/hash.h"
#include "ground/text/json_writer.h"
#include "views/exports/exported_profile.h"

namespace wperf::push {
namespace {

using stacks::StackProfile;

constexpr usize kMostOfRequest = 16 << 20;  // before compression
constexpr double kNsPerSecondOfRows = 1e9;

class RowWriter {
 public:
  RowWriter(const StackProfile& profile, const std::vector<request::PushLabel>& labels, const ProfileTime& time)
      : profile_(profile), names_(profile) {
    text::JsonWriter json(of_profile_);
    json.begin_object();
    json.integer("time", time.begin_unix_ns / u64{1'000'000'000});
    json.key("seconds");
    json.shortest(static_cast<double>(time.end_unix_ns - std::min(time.begin_unix_ns, time.end_unix_ns)) /
                  kNsPerSecondOfRows);
    json.integer("missing", profile.losses.missing());
    write_labels(labels, json);
    json.end_object();
  }

  std::string rows() {
    struct Weight {
      u64 samples = 0, period = 0;
    };
    // Adds up cores and thread numbers, because they are unrelated on different hosts.
    std::map<std::tuple<u32, std::string_view, u32>, Weight> weights;
    for (const stacks::StackSample& sample : profile_.samples) {
      Weight& weight = weights[{sample.event, names_.thread(sample.task), sample.node}];
      weight.samples += sample.count;
      weight.period += sample.period;
    }
    u64 number = 0;
    for (const auto& [key, weight] : weights) {
      const auto& [event, thread, node] = key;
      std::string row;
      text::JsonWriter json(row);
      json.begin_object();
      json.integer("row", number++);
      json.string("event", profile_.events[event].name);
      json.string("thread", thread);
      json.integer("samples", weight.samples);
      json.integer("period", weight.period);
      json.end_object();
      // The contents of an object, without its braces.
      const auto inner = [](std::string_view object) { return object.substr(1, object.size() - 2); };
      rows_ += fmt::format("{},{},{}}}\n", inner(row), inner(of_profile_), stack_of(node));
    }
    return std::move(rows_);
  }

 private:
  void write_labels(const std::vector<request::PushLabel>& labels, text::JsonWriter& json) const {
    std::vector<request::PushLabel> others;
    for (const request::PushLabel& label : labels) {
      if (is_label_column(label.name)) {
        json.string(label.name, label.value);
      } else if (label.name != kKindLabel) {
        others.push_back(label);
      }
    }
    json.begin_array("label_names");
    for (const request::PushLabel& label : others) json.string(label.name);
    json.end_array();
    json.begin_array("label_values");
    for (const request::PushLabel& label : others) json.string(label.value);
    json.end_array();
  }

  // As columns, outermost frame first.
  std::string stack_of(u32 node) const {
    std::vector<u32> places;
    for (u32 at = node; at != stacks::kNothing && profile_.nodes[at].place != stacks::kNothing;
         at = profile_.nodes[at].parent) {
      places.push_back(profile_.nodes[at].place);
    }
    std::reverse(places.begin(), places.end());
    std::string out;
    text::JsonWriter json(out);
    json.begin_object();
    const auto column = [&](std::string_view name, auto write) {
      json.begin_array(name);
      for (const u32 place : places) write(place, profile_.places[place].function);
      json.end_array();
    };
    column("functions", [&](u32, u32 function) { json.string(names_.function(function)); });
    column("modules", [&](u32, u32 function) {
      const stacks::StackModule& module = profile_.modules[profile_.functions[function].module];
      json.string(module.is_nowhere ? std::string_view() : std::string_view(module.name));
    });
    column("files", [&](u32 place, u32) { json.string(names_.line(place).file); });
    column("lines", [&](u32 place, u32) { json.integer(names_.line(place).line); });
    column("marks", [&](u32, u32 function) { json.integer(marks_of(profile_.functions[function])); });
    json.end_object();
    return fmt::format("\"stack\":{},{}", text::fnv1a(out), std::string_view(out).substr(1, out.size() - 2));
  }

  static u32 marks_of(const stacks::StackFunction& function) {
    using namespace profiles;
    return (function.is_inlined ? kInlinedFrame : 0) | (function.is_known || function.is_inlined ? 0 : kNamelessFrame) |
           (function.is_kernel ? kKernelFrame : 0);
  }

  const StackProfile& profile_;
  exports::Names names_;
  std::string of_profile_, rows_;
};

}  // namespace

std::string clickhouse_rows(const StackProfile& profile, const std::vector<request::PushLabel>& labels,
                            const ProfileTime& time) {
  return RowWriter(profile, labels, time).rows();
}

std::vector<Upload> clickhouse_uploads(std::string_view rows) {
  const std::string number = fmt::format("{{\"profile\":\"{}\",", uuid_of(rows));
  std::vector<Upload> uploads;
  std::string text;
  const auto close = [&] {
    uploads.push_back({.path = std::string(kInsertPath),
                       .content_type = "application/x-ndjson",
                       .content_encoding = "gzip",
                       .body = packing::deflated(text, packing::Form::gzip)});
    text.clear();
  };
  while (!rows.empty()) {
    const usize end = std::min(rows.find('\n'), rows.size() - 1) + 1;
    if (!text.empty() && text.size() + end > kMostOfRequest) close();
    text += number;
    text += rows.substr(0, end);
    rows.remove_prefix(end);
  }
  if (!text.empty()) close();
  return uploads;
}

}  // namespace wperf::push
