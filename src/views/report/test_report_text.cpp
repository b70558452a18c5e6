// SPDX-License-Identifier: BSD-3-Clause
// `test` (contract 8.5). Readers search for a part of a row's name and take the first match, so the order is fixed.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "ground/text/number_text.h"
#include "ground/text/parts.h"
#include "machine/pmu/catalogue.h"
#include "views/report/tool_reports.h"

namespace wperf::report {
namespace {

constexpr std::string_view kClassNames[kEventClassCount] = {"EVT_CORE", "EVT_DSU", "EVT_DMC_CLK", "EVT_DMC_CLKDIV2"};

// Bits `low`..`low`+`width`-1 of a register.
u64 field(u64 value, unsigned low, unsigned width) {
  return (value >> low) & ((u64{1} << width) - 1);
}

u64 pmu_version(u64 id_aa64dfr0) {
  return field(id_aa64dfr0, 8, 4);
}

std::string_view pmu_version_name(u64 id_aa64dfr0) {
  switch (pmu_version(id_aa64dfr0)) {
    case 0:
      return "not implemented.";
    case 1:
      return "FEAT_PMUv3";
    case 4:
      return "FEAT_PMUv3p1";
    case 5:
      return "FEAT_PMUv3p4";
    case 6:
      return "FEAT_PMUv3p5";
    case 7:
      return "FEAT_PMUv3p7";
    case 8:
      return "FEAT_PMUv3p8";
    case 9:
      return "FEAT_PMUv3p9";
    default:
      return "unknown PMU configuration!";
  }
}

class Rows {
 public:
  explicit Rows(Table& table) : table_(table) {}
  void add(std::string name, std::string result) { table_.rows.push_back({std::move(name), std::move(result)}); }
  void add_hardware(std::string_view key, std::string result) {
    add(fmt::format("PMU_CTL_QUERY_HW_CFG [{}]", key), std::move(result));
  }
  void add_bool(std::string name, bool value) { add(std::move(name), value ? "True" : "False"); }

 private:
  Table& table_;
};

void add_request(Rows& rows, const answers::TestReport& test) {
  const auto requested = [&](EventClass event_class) { return test.requested[index_of(event_class)]; };
  rows.add_bool("request.ioctl_events [EVT_CORE]", requested(EventClass::core));
  rows.add_bool("request.ioctl_events [EVT_DSU]", requested(EventClass::dsu));
  rows.add_bool("request.ioctl_events [EVT_DMC_CLK/EVT_DMC_CLKDIV2]",
                requested(EventClass::dmc_clk) || requested(EventClass::dmc_clkdiv2));
}

std::string extended_name(pmu::Product product) {
  if (!product.has_own_events()) return {};
  std::string text = fmt::format("{} ({})", product.title(), product.name());
  for (const std::string_view part : {product.architecture(), product.pmu_architecture()}) {
    if (!part.empty()) fmt::format_to(std::back_inserter(text), ", {}", part);
  }
  return text;
}

std::string all_products() {
  std::string text;
  for (usize i = 0; i < pmu::product_count(); ++i) {
    if (i != 0) text += ',';
    text += pmu::product_at(i).name();
  }
  return text;
}

std::string all_aliases() {
  std::string text;
  for (const pmu::Alias& alias : pmu::aliases()) {
    fmt::format_to(std::back_inserter(text), "{}({}:{})", text.empty() ? "" : ",", alias.alias, alias.name);
  }
  return text;
}

void add_device(Rows& rows, pmu::Product product, const answers::TestReport& test) {
  rows.add("pmu_device.vendor_name", std::string(pmu::vendor_name(test.midr)));
  rows.add("pmu_device.product_name", std::string(product.name()));
  rows.add("pmu_device.product_name(extended)", extended_name(product));
  rows.add("pmu_device.product []", all_products());
  rows.add("pmu_device.m_product_alias", all_aliases());
  for (const EventClass event_class : kEventClasses) {
    const usize known = event_class == EventClass::core ? product.event_count() : pmu::uncore_event_count(event_class);
    rows.add(fmt::format("pmu_device.events_query(events) [{}]", kClassNames[index_of(event_class)]),
             std::to_string(test.classes[index_of(event_class)] ? known : 0));
  }
  rows.add("pmu_device.sampling.INTERVAL_DEFAULT", fmt::format("0x{:x}", test.sampling_interval));
  rows.add("pmu_device.version_name", std::string(pmu_version_name(test.id_aa64dfr0)));
}

void add_hardware(Rows& rows, const answers::TestReport& test) {
  const std::pair<std::string_view, u64> kShort[] = {
      {"arch_id", field(test.midr, 16, 4)},
      {"core_num", test.core_count},
      {"fpc_num", test.counters_fixed[index_of(EventClass::core)]},
      {"gpc_num", test.counters_free[index_of(EventClass::core)]},
      {"total_gpc_num", test.counters_total},
      {"part_id", field(test.midr, 4, 12)},
      {"pmu_ver", pmu_version(test.id_aa64dfr0)},
      {"rev_id", field(test.midr, 0, 4)},
      {"variant_id", field(test.midr, 20, 4)},
      {"vendor_id", field(test.midr, 24, 8)},
  };
  for (const auto& [key, value] : kShort) rows.add_hardware(key, text::hex(value, 4));
  rows.add_hardware("midr_value", text::hex(test.midr, 20));
  rows.add_hardware("id_aa64dfr0_value", text::hex(test.id_aa64dfr0, 20));
  rows.add_hardware("counter_idx_map", text::joined(test.counter_map, ","));
  rows.add_hardware("device_id_str", test.device_id);
}

void add_counters(Rows& rows, const answers::TestReport& test) {
  for (const EventClass event_class : kEventClasses) {
    rows.add(fmt::format("gpc_nums[{}]", kClassNames[index_of(event_class)]),
             std::to_string(test.counters_free[index_of(event_class)]));
  }
  for (const EventClass event_class : kEventClasses) {
    rows.add(fmt::format("fpc_nums[{}]", kClassNames[index_of(event_class)]),
             std::to_string(test.counters_fixed[index_of(event_class)]));
  }
}

void add_schedules(Rows& rows, const answers::TestReport& test) {
  for (const EventClass event_class : kEventClasses) {
    std::string codes, notes;
    for (const answers::ScheduledEvent& event : test.schedules[index_of(event_class)]) {
      const std::string_view comma = codes.empty() ? "" : ",";
      fmt::format_to(std::back_inserter(codes), "{}{}", comma, event.code);
      fmt::format_to(std::back_inserter(notes), "{}({})", comma, event.note);
    }
    const std::string_view name = kClassNames[index_of(event_class)];
    rows.add(fmt::format("ioctl_events[{}].index", name), std::move(codes));
    rows.add(fmt::format("ioctl_events[{}].note", name), std::move(notes));
  }
}

void add_settings(Rows& rows, const answers::TestReport& test) {
  rows.add("config.count.period", std::to_string(test.period_ms));
  rows.add("config.count.period_max", std::to_string(test.period_max_ms));
  rows.add("config.count.period_min", std::to_string(test.period_min_ms));
  rows.add("spe_device.version_name", std::string(pmu::spe_version_name(test.id_aa64dfr0)));
  if (!test.spe) return;
  rows.add("spe_device.pmbidr_el1_value", text::hex(test.pmbidr, 20));
  rows.add("spe_device.pmsidr_el1_value", text::hex(test.pmsidr, 20));
}

}  // namespace

std::vector<Block> test_report(pmu::Product product, const answers::TestReport& test) {
  Table table;
  table.columns = {{"Test Name"}, {"Result"}};
  Rows rows(table);
  add_request(rows, test);
  add_device(rows, product, test);
  add_hardware(rows, test);
  add_counters(rows, test);
  add_schedules(rows, test);
  add_settings(rows, test);
  for (const auto& [name, fact] : test.session) rows.add(name, fact);
  return {{.json_key = "Test_Results", .heading = {}, .table = std::move(table)}};
}

}  // namespace wperf::report
