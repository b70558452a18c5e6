// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/conductors.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace wperf::pgo {

Conductors::Conductors(u32 points, std::span<const Ends> conductors)
    : conductors_(conductors.begin(), conductors.end()),
      neighbours_(points),
      is_gone_(points),
      degrees_(points),
      ground_(points) {
  for (const Ends& one : conductors_) {
    const bool is_link = one.from != kGround && one.to != kGround && one.from != one.to;
    number_of_.push_back(is_link ? connect(one.from, one.to) : kGround);
  }
  eliminate_all();
  between_.resize(connections_);
  sum_.resize(columns_.size());
  neighbours_ = {};
}

// Returns the number of the connection.
u32 Conductors::connect(u32 one, u32 other) {
  if (neighbours_[other].size() < neighbours_[one].size()) std::swap(one, other);
  for (const Link& link : neighbours_[one]) {
    if (link.point == other) return link.number;
  }
  neighbours_[one].push_back({other, connections_});
  neighbours_[other].push_back({one, connections_});
  ++degrees_[one];
  ++degrees_[other];
  return connections_++;
}

void Conductors::eliminate_all() {
  using Candidate = std::pair<u32, u32>;  // degree and point
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  for (u32 point = 0; point < degrees_.size(); ++point) candidates.push({degrees_[point], point});
  while (!candidates.empty()) {
    const auto [degree, point] = candidates.top();
    candidates.pop();
    if (is_gone_[point] || degree != degrees_[point]) continue;
    eliminate(point);
    for (const Link& link : links_of(columns_.size() - 1)) candidates.push({degrees_[link.point], link.point});
  }
}

void Conductors::eliminate(u32 point) {
  constexpr u32 kMostNeighbours = 24;  // the work for a point grows with the square
  is_gone_[point] = true;
  const auto first = static_cast<u32>(links_.size());
  for (const Link& link : neighbours_[point]) {
    if (!is_gone_[link.point]) links_.push_back(link);
  }
  const auto count = static_cast<u32>(links_.size()) - first;
  columns_.push_back({.point = point,
                      .first_link = first,
                      .first_fill = static_cast<u32>(fills_.size()),
                      .is_star = count > kMostNeighbours});
  if (columns_.back().is_star) is_exact_ = false;
  for (u32 i = 0; i < count; ++i) {
    --degrees_[links_[first + i].point];
    for (u32 j = columns_.back().is_star ? count - 1 : i + 1; j < count; ++j) {
      if (j != i) fills_.push_back(connect(links_[first + i].point, links_[first + j].point));
    }
  }
  neighbours_[point] = {};
}

std::span<const Conductors::Link> Conductors::links_of(usize column) const {
  const usize first = columns_[column].first_link;
  const usize last = column + 1 < columns_.size() ? columns_[column + 1].first_link : links_.size();
  return std::span(links_).subspan(first, last - first);
}

void Conductors::set(std::span<const double> conductances) {
  std::fill(between_.begin(), between_.end(), 0);
  std::fill(ground_.begin(), ground_.end(), 0);
  for (usize i = 0; i < conductors_.size(); ++i) {
    const auto [from, to] = conductors_[i];
    if (number_of_[i] != kGround) {
      between_[number_of_[i]] += conductances[i];
    } else if (from != to) {
      ground_[from != kGround ? from : to] += conductances[i];
    }
  }
  for (usize column = 0; column < columns_.size(); ++column) {
    const Column& here = columns_[column];
    const std::span<const Link> links = links_of(column);
    double linked = 0;
    for (const Link& link : links) linked += between_[link.number];
    const double sum = sum_[column] = ground_[here.point] + linked;
    if (sum <= 0) continue;
    usize fill = here.first_fill;
    for (usize i = 0; i < links.size(); ++i) {
      const double part = between_[links[i].number] / sum;
      ground_[links[i].point] += part * ground_[here.point];
      if (here.is_star) {
        if (i + 1 < links.size()) between_[fills_[fill++]] += part * (linked - between_[links[i].number]);
        continue;
      }
      for (usize j = i + 1; j < links.size(); ++j) between_[fills_[fill++]] += part * between_[links[j].number];
    }
  }
}

void Conductors::solve(std::span<double> currents) const {
  for (usize column = 0; column < columns_.size(); ++column) {
    if (sum_[column] <= 0) continue;
    const double part = currents[columns_[column].point] / sum_[column];
    for (const Link& link : links_of(column)) currents[link.point] += part * between_[link.number];
  }
  for (usize column = columns_.size(); column-- > 0;) {
    double& value = currents[columns_[column].point];
    if (sum_[column] <= 0) {
      value = 0;
      continue;
    }
    for (const Link& link : links_of(column)) value += currents[link.point] * between_[link.number];
    value /= sum_[column];
  }
}

}  // namespace wperf::pgo
