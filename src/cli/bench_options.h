// What `rigor bench` was asked for.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace rigor::cli {

struct BenchOptions {
  std::vector<std::string> what;                        // scenes, or a benchmark of its own; empty: the anchor scenes
  std::string method;                                   // preset; empty: the scene's own
  std::vector<std::string> changes;                     // key=value
  std::string against;                                  // names of peers, separated by commas
  std::string threads, steps, rounds, peer_iterations;  // as typed; empty: not given
  bool json = false;
};

/// Manifolds and broad phase alone.
void bench_collision(const BenchOptions& options);
/// Steps of bodies that sleep, beside the same bodies awake.
void bench_sleep(const BenchOptions& options);
/// A body of small and of large piles.
void bench_growth(const BenchOptions& options);
void bench_sizes(const BenchOptions& options);
/// The experiments of Bender and Schmitt.
void bench_joints(const BenchOptions& options);
/// Whole steps. The exit code: failure when no run ended as it should.
int bench_scenes(const BenchOptions& options);

}  // namespace rigor::cli
