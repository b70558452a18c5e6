// SPDX-License-Identifier: BSD-3-Clause
// A network of conductors between points, some of which are grounded. Finds the potentials of the points for given
// currents by eliminating one point after the other, points with the fewest neighbours first. The graphs of functions
// are made of nested loops and branches, so a point rarely has many neighbours when it is eliminated.
#pragma once
#include <span>
#include <vector>

#include "base/ints.h"

namespace wperf::pgo {

class Conductors {
 public:
  static constexpr u32 kGround = ~u32{0};
  struct Ends {
    u32 from = 0, to = 0;  // points, or kGround
  };
  Conductors(u32 points, std::span<const Ends> conductors);

  // Takes one conductance for each conductor, which may be 0.
  void set(std::span<const double> conductances);
  // Replaces the currents that flow into the points by the potentials of the points. If is_exact() is false, the
  // potentials are approximate but still make a good preconditioner. For points that are not connected to the ground,
  // the sum of the currents must be 0.
  void solve(std::span<double> currents) const;
  bool is_exact() const { return is_exact_; }

 private:
  // A connection of two points: an original one, or one made by eliminating a neighbour.
  struct Link {
    u32 point = 0, number = 0;  // the other point; the number of the connection
  };
  struct Column {
    u32 point = 0;
    u32 first_link = 0, first_fill = 0;
    bool is_star = false;  // only the last neighbour is connected with each other neighbour, instead of all pairs
  };
  void eliminate_all();
  void eliminate(u32 point);
  u32 connect(u32 one, u32 other);
  std::span<const Link> links_of(usize column) const;

  std::vector<Ends> conductors_;
  std::vector<u32> number_of_;  // by conductor: the connection that includes it
  std::vector<std::vector<Link>> neighbours_;
  std::vector<bool> is_gone_;    // the point was eliminated
  std::vector<u32> degrees_;     // neighbours that are not gone
  std::vector<Column> columns_;  // in the order of elimination
  std::vector<Link> links_;      // of the columns, to points that are eliminated later
  std::vector<u32> fills_;       // for each column: the connections between its neighbours
  u32 connections_ = 0;
  bool is_exact_ = true;
  std::vector<double> between_, ground_;  // conductances of connections, and of points to the ground
  std::vector<double> sum_;               // by column
};

}  // namespace wperf::pgo
