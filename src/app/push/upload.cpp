// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/upload.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/push/clickhouse_rows.h"
#include "ground/packing/deflate.h"
#include "ground/text/hash.h"
#include "ground/text/protobuf.h"
#include "views/exports/exported_profile.h"

namespace wperf::push {
namespace {

using request::PushLabel;
using request::PushTarget;
using text::Message;

constexpr std::string_view kProtobuf = "application/x-protobuf";
constexpr u64 kNsPerSecond = 1'000'000'000;

const PushLabel* find(const std::vector<PushLabel>& labels, std::string_view name) {
  const auto found = std::find_if(labels.begin(), labels.end(), [&](const PushLabel& one) { return one.name == name; });
  return found != labels.end() ? &*found : nullptr;
}

std::string in_json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    static_cast<u8>(c) < ' ' ? out += fmt::format("\\u{:04x}", static_cast<u8>(c)) : out += c;
  }
  return out + '"';
}

Message label_message(const PushLabel& label) {
  Message one;
  one.text(1, label.name);
  one.text(2, label.value);
  return one;
}

// push.v1.PushRequest, in Connect's unary form.
Upload pyroscope_upload(const std::vector<PushLabel>& labels, const PackedProfile& profile) {
  Message series, sample, request;
  for (const PushLabel& label : labels) series.message(1, label_message(label));
  sample.block(1, profile.bytes);
  sample.text(2, uuid_of(profile.bytes));
  series.message(2, sample);
  request.message(1, series);
  return {.path = "/push.v1.PusherService/Push",
          .content_type = "application/proto",
          .content_encoding = {},
          .body = request.bytes()};
}

// Makes an HTML form upload with the profile and a description of its sample types.
diag::Result<Upload> ingest_upload(const std::vector<PushLabel>& labels, const PackedProfile& profile) {
  std::string name = find(labels, kServiceLabel)->value + "{";
  for (const PushLabel& label : labels) {
    if (label.value.find_first_of(",{}=\"") != std::string::npos) {
      return diag::usage_error(fmt::format("the label '{}' has a value that /ingest does not allow", label.name),
                               "/ingest does not allow , { } = and quotes in values; use --to pyroscope");
    }
    if (label.name == kServiceLabel || label.name == kKindLabel) continue;
    if (!name.ends_with('{')) name += ',';
    name += label.name + '=' + label.value;
  }
  name += '}';
  std::string types;
  for (const std::string& type : profile.sample_types) {
    types += fmt::format(R"({}{}:{{"units":"samples","aggregation":"sum","display-name":{},"sampled":false}})",
                         types.empty() ? "{" : ",", in_json(type), in_json(type));
  }
  types += types.empty() ? "{}" : "}";
  const u64 from = profile.begin_unix_ns / kNsPerSecond;
  const u64 until = std::max(from + 1, (profile.end_unix_ns + kNsPerSecond - 1) / kNsPerSecond);
  const std::string boundary = "wperf-" + uuid_of(profile.bytes);
  constexpr std::string_view kPart = "--{}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n\r\n";
  std::string body = fmt::format(kPart, boundary, "profile", "profile.pprof") + profile.bytes + "\r\n";
  body += fmt::format(kPart, boundary, "sample_type_config", "config.json") + types;
  body += fmt::format("\r\n--{}--\r\n", boundary);
  return Upload{.path = fmt::format("/ingest?name={}&from={}&until={}&format=pprof&spyName=wperf",
                                    percent_encoded(name), from, until),
                .content_type = "multipart/form-data; boundary=" + boundary,
                .content_encoding = {},
                .body = std::move(body)};
}

// parca.profilestore.v1alpha1.WriteRawRequest over gRPC-Web: five bytes before the message give its length.
Upload parca_upload(const std::vector<PushLabel>& labels, const PackedProfile& profile) {
  Message set, series, sample, request;
  for (const PushLabel& label : labels) set.message(1, label_message(label));
  series.message(1, set);
  sample.block(1, profile.bytes);
  series.message(2, sample);
  request.message(2, series);
  std::string body(1, '\0');
  const auto size = static_cast<u32>(request.bytes().size());
  for (int shift = 24; shift >= 0; shift -= 8) body += static_cast<char>(size >> shift);
  return {.path = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
          .content_type = "application/grpc-web+proto",
          .content_encoding = {},
          .body = body + request.bytes()};
}

Upload otlp_upload(const PackedProfile& profile) {
  return {.path = "/v1development/profiles",
          .content_type = std::string(kProtobuf),
          .content_encoding = "gzip",
          .body = packing::deflated(profile.bytes, packing::Form::gzip)};
}

}  // namespace

std::string uuid_of(std::string_view bytes) {
  constexpr u64 kSecondBasis = 0x9e3779b97f4a7c15;
  const u64 high = (text::fnv1a(bytes) & ~u64{0xf000}) | 0x4000;
  const u64 low = (text::fnv1a(bytes, kSecondBasis) & ~(u64{3} << 62)) | u64{1} << 63;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xffff, low >> 48,
                     low & 0xffff'ffff'ffff);
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                          c == '_' || c == '.' || c == '~';
    is_plain ? out += c : out += fmt::format("%{:02X}", static_cast<u8>(c));
  }
  return out;
}

std::vector<PushLabel> complete_labels(std::vector<PushLabel> labels, const std::string& program) {
  if (find(labels, kServiceLabel) == nullptr) {
    labels.insert(labels.begin(), {std::string(kServiceLabel), program.empty() ? "unknown" : program});
  }
  if (find(labels, kKindLabel) == nullptr) labels.insert(labels.begin(), {std::string(kKindLabel), "process_cpu"});
  return labels;
}

diag::Result<std::vector<Upload>> make_uploads(PushTarget target, const std::vector<PushLabel>& labels,
                                               const PackedProfile& profile) {
  switch (target) {
    case PushTarget::pyroscope:
      return std::vector{pyroscope_upload(labels, profile)};
    case PushTarget::pyroscope_ingest: {
      WPERF_TRY(Upload upload, ingest_upload(labels, profile));
      return std::vector{std::move(upload)};
    }
    case PushTarget::parca:
      return std::vector{parca_upload(labels, profile)};
    case PushTarget::clickhouse:
      return clickhouse_uploads(profile.bytes);
    case PushTarget::otlp:
      break;
  }
  return std::vector{otlp_upload(profile)};
}

namespace {

// The name of a label by the conventions of OpenTelemetry.
std::string otlp_name(const std::string& name) {
  return name == kServiceLabel ? "service.name" : name;
}

}  // namespace

PackedProfile packed_profile(exports::Source source, request::PushTarget target,
                             const std::vector<request::PushLabel>& labels, const ProfileTime& time) {
  PackedProfile packed{.bytes = {},
                       .sample_types = {},
                       .begin_unix_ns = time.begin_unix_ns,
                       .end_unix_ns = std::max(time.end_unix_ns, time.begin_unix_ns)};
  const exports::TakeBytes take = [&](std::string_view part) { packed.bytes += part; };
  source.begin_unix_ns = time.begin_unix_ns;
  if (target == request::PushTarget::otlp) {
    for (const request::PushLabel& label : labels) {
      // Only servers like Prometheus need the label of a profile's kind.
      if (label.name != kKindLabel) source.attributes.emplace_back(otlp_name(label.name), label.value);
    }
    exports::write_otlp(source, take);
    return packed;
  }
  if (target == request::PushTarget::clickhouse) {
    packed.bytes = clickhouse_rows(source.profile, labels, time);
    return packed;
  }
  for (const u32 event : exports::used_events(source.profile)) {
    const std::string name = exports::clean_text(source.profile.events[event].name);
    packed.sample_types.push_back(name + ".samples");
    packed.sample_types.push_back(name);
  }
  exports::write_pprof(source, take);
  return packed;
}

std::string program_of(const stacks::StackProfile& profile) {
  std::vector<u64> samples(profile.names.size(), 0);
  for (const stacks::StackSample& sample : profile.samples) samples[profile.tasks[sample.task].name] += sample.count;
  const auto most = std::max_element(samples.begin(), samples.end());
  if (most == samples.end() || *most == 0) return {};
  std::string name;
  for (const char c : profile.names[static_cast<usize>(most - samples.begin())]) {
    name += static_cast<u8>(c) > ' ' && static_cast<u8>(c) < 0x7f ? c : '_';
  }
  return name;
}

namespace {

// The value is also stored as the count, so that formats with only counts have it.
void add_event(stacks::StackEvent event, u32 task, u32 node, stacks::StackProfile& profile) {
  if (event.samples == 0) return;
  event.period = event.samples;
  profile.samples.push_back({.event = static_cast<u32>(profile.events.size()),
                             .task = task,
                             .core = 0,
                             .node = node,
                             .count = event.samples,
                             .period = event.samples});
  profile.events.push_back(std::move(event));
}

}  // namespace

void add_agent_cost(const AgentCost& cost, stacks::StackProfile& profile) {
  constexpr u32 kSoftware = 1, kNoType = ~u32{0};
  constexpr u64 kTaskClock = 1;
  const auto name = static_cast<u32>(profile.names.size());
  profile.names.emplace_back("wperf");
  const auto task = static_cast<u32>(profile.tasks.size());
  profile.tasks.push_back({.pid = cost.pid, .tid = cost.pid, .name = name});
  const auto module = static_cast<u32>(profile.modules.size());
  profile.modules.push_back({.name = "wperf", .path = {}, .reason = {}});
  const auto function = static_cast<u32>(profile.functions.size());
  profile.functions.push_back({.name = "wperf (the profiler)", .module = module, .is_known = true});
  const auto place = static_cast<u32>(profile.places.size());
  profile.places.push_back({.function = function});
  const auto root = static_cast<u32>(profile.nodes.size());
  profile.nodes.push_back({});
  profile.nodes.push_back({.parent = root, .place = place});
  add_event({.name = kAgentCpu, .samples = cost.cpu_ns, .type = kSoftware, .code = kTaskClock, .interval = 0}, task,
            root + 1, profile);
  add_event({.name = kAgentMemory, .samples = cost.resident_bytes, .type = kNoType, .code = 0, .interval = 0}, task,
            root + 1, profile);
}

}  // namespace wperf::push
