// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/core_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "machine/pmu/catalogue.h"

namespace wperf::pmu {
namespace {

double evaluate(std::string_view postfix) {
  static constexpr NamedCount kCounts[] = {{"a", 6}, {"b", 4}, {"zero", 0}, {"huge", ~u64{0}}};
  return evaluate_postfix(postfix, kCounts);
}

TEST(Formula, Arithmetic) {
  EXPECT_DOUBLE_EQ(evaluate("a"), 6);
  EXPECT_DOUBLE_EQ(evaluate("a b +"), 10);
  EXPECT_DOUBLE_EQ(evaluate("a b -"), 2);
  EXPECT_DOUBLE_EQ(evaluate("b a -"), -2);
  EXPECT_DOUBLE_EQ(evaluate("a b *"), 24);
  EXPECT_DOUBLE_EQ(evaluate("a b / 1000 *"), 1500);
  EXPECT_DOUBLE_EQ(evaluate("  a   0.25 * "), 1.5);
  EXPECT_DOUBLE_EQ(evaluate("1 a b + -"), -9);
}

TEST(Formula, DivisionByZeroMakesTheWholeMetricZero) {
  EXPECT_EQ(evaluate("a zero /"), 0);
  EXPECT_EQ(evaluate("a zero / 5 +"), 0);
  EXPECT_EQ(evaluate("zero zero /"), 0);
  EXPECT_EQ(evaluate("a b b - /"), 0);
  EXPECT_EQ(evaluate("a unknown /"), 0);
}

TEST(Formula, WhatIsNoCountIsANumberOrZero) {
  EXPECT_DOUBLE_EQ(evaluate("unknown a +"), 6);
  EXPECT_DOUBLE_EQ(evaluate("12.5"), 12.5);
  EXPECT_DOUBLE_EQ(evaluate("5. 1 +"), 6);
  for (const char* text : {"12x", ".", ".5", "1.2.3", "nan", "inf", "0x10", "-", "A"}) {
    EXPECT_EQ(evaluate(text), 0) << text;
  }
}

TEST(Formula, DamageGivesZero) {
  for (const char* text : {"", "   ", "+", "a +", "a b", "a b + +", "a b c d", "a b ++", "a\tb +"}) {
    EXPECT_EQ(evaluate(text), 0) << text;
  }
  std::string deep;
  for (int i = 0; i < 33; ++i) deep += "1 ";
  for (int i = 0; i < 32; ++i) deep += "+ ";
  EXPECT_EQ(evaluate(deep), 0);  // deeper than the stack allows
  EXPECT_DOUBLE_EQ(evaluate(deep.substr(2, deep.size() - 4)), 32);
}

TEST(Formula, NeverInfiniteNorNan) {
  std::string product = "huge";
  for (int i = 0; i < 40; ++i) product += " huge *";
  EXPECT_EQ(evaluate(product), 0);
  EXPECT_EQ(evaluate("1 " + product + " /"), 0);
  EXPECT_EQ(evaluate(std::string(400, '9')), 0);
  EXPECT_DOUBLE_EQ(evaluate("1." + std::string(400, '0')), 1);
  EXPECT_EQ(evaluate("1." + std::string(400, '9')), 0);
  EXPECT_TRUE(std::isfinite(evaluate("huge huge *")));
}

// A second evaluator, for the infix form, by recursive descent.
class Infix {
 public:
  Infix(std::string_view text, const std::map<std::string_view, u64>& counts) : text_(text), counts_(counts) {}

  double value() {  // returns 0 after a division by zero, as in the contract
    const double result = sum();
    EXPECT_EQ(peek(), '\0') << text_.substr(position_);
    return divided_by_zero_ ? 0 : result;
  }

 private:
  char peek() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  double sum() {
    double left = product();
    for (char operation = peek(); operation == '+' || operation == '-'; operation = peek()) {
      ++position_;
      const double right = product();
      left = operation == '+' ? left + right : left - right;
    }
    return left;
  }

  double product() {
    double left = term();
    for (char operation = peek(); operation == '*' || operation == '/'; operation = peek()) {
      ++position_;
      const double right = term();
      divided_by_zero_ = divided_by_zero_ || (operation == '/' && right == 0);
      left = operation == '*' ? left * right : left / (right == 0 ? 1 : right);
    }
    return left;
  }

  double term() {
    if (peek() == '(') {
      ++position_;
      const double inner = sum();
      EXPECT_EQ(peek(), ')');
      ++position_;
      return inner;
    }
    const usize end = std::min(text_.find_first_of(" ()+-*/", position_), text_.size());
    const std::string_view word = text_.substr(position_, end - position_);
    position_ = end;
    const auto count = counts_.find(word);
    return count != counts_.end() ? static_cast<double>(count->second) : std::stod(std::string(word));
  }

  std::string_view text_;
  const std::map<std::string_view, u64>& counts_;
  usize position_ = 0;
  bool divided_by_zero_ = false;
};

TEST(Formula, EveryCataloguedPostfixEqualsItsInfix) {
  u64 random = 1;
  usize compared = 0;
  for (usize p = 0; p < product_count(); ++p) {
    for (usize m = 0; m < product_at(p).metric_count(); ++m) {
      const Metric metric = product_at(p).metric(m);
      for (int round = 0; round < 4; ++round) {
        std::vector<NamedCount> counts;
        std::map<std::string_view, u64> by_name;
        for (usize begin = 0; begin <= metric.events.size();) {
          const usize comma = std::min(metric.events.find(',', begin), metric.events.size());
          random = random * 6364136223846793005u + 1442695040888963407u;
          const u64 value = round == 0 ? 0 : random >> 34;
          counts.push_back({metric.events.substr(begin, comma - begin), value});
          by_name[counts.back().name] = value;
          begin = comma + 1;
        }
        EXPECT_DOUBLE_EQ(evaluate_postfix(metric.postfix, counts), Infix(metric.formula, by_name).value())
            << product_at(p).name() << ' ' << metric.name << ": " << metric.formula << " | " << metric.postfix;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 3000u);
}

}  // namespace

namespace {

TEST(CoreMetrics, APublishedListIsTheWholeList) {
  for (const char* name : {"neoverse-n1", "neoverse-v2", "c1-ultra"}) {
    const Product product = find_product(name).value();
    const std::vector<Metric> metrics = metrics_of(product);
    ASSERT_EQ(metrics.size(), product.metric_count());
    for (usize i = 0; i < metrics.size(); ++i) EXPECT_EQ(metrics[i].name, product.metric(i).name);
  }
  EXPECT_FALSE(find_metric_of(find_product("neoverse-v2").value(), "ll_cache_read_nonsense").has_value());
}

TEST(CoreMetrics, CoreWithoutPublishedMetricsHasCountableOnes) {
  const Product a55 = find_product("cortex-a55").value();
  ASSERT_EQ(a55.metric_count(), 0u) << "no test";
  ASSERT_TRUE(find_metric_of(a55, "ipc").has_value());
  EXPECT_EQ(find_metric_of(a55, "ipc")->formula, "inst_retired / cpu_cycles");
  for (const char* name : {"cortex-a55", "cortex-a76", "cortex-x4", "ampereone"}) {
    const Product product = find_product(name).value();
    for (const Metric& metric : metrics_of(product)) {
      for (std::string_view rest = metric.events; !rest.empty();) {
        const usize comma = std::min(rest.find(','), rest.size());
        EXPECT_TRUE(product.find_event(rest.substr(0, comma)).has_value()) << name << " " << metric.name;
        rest.remove_prefix(std::min(comma + 1, rest.size()));
      }
    }
  }
  // AmpereOne has no last-level read events.
  EXPECT_FALSE(find_metric_of(find_product("ampereone").value(), "ll_cache_read_mpki").has_value());
}

TEST(CoreMetrics, OfACoreWithoutAListOnlyWhatEveryCoreCounts) {
  const Product oryon = find_product("qualcomm-oryon").value();
  std::vector<std::string_view> names;
  for (const Metric& metric : metrics_of(oryon)) names.push_back(metric.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"ipc", "l1d_cache_miss_ratio", "l1d_cache_mpki"}));
  EXPECT_TRUE(metrics_of(architectural()).empty());
  EXPECT_FALSE(find_metric_of(architectural(), "ipc").has_value());
}

TEST(CoreMetrics, BuiltInsAreMadeOfEventsThatExist) {
  for (const BuiltInMetric& metric : built_in_metrics()) {
    EXPECT_EQ(find_built_in_metric(metric.name), &metric);
    if (!metric.definition.empty()) continue;
    for (std::string_view rest = metric.events; !rest.empty();) {
      const usize comma = std::min(rest.find(','), rest.size());
      EXPECT_TRUE(architectural().find_event(rest.substr(0, comma)).has_value()) << rest;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  EXPECT_EQ(find_built_in_metric("ipc"), nullptr);
}

}  // namespace
}  // namespace wperf::pmu
