// The options of `rigor bench`.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace rigor::cli {

struct BenchOptions {
  std::vector<std::string> what;                        // scenes, or the name of a benchmark; empty: the anchor scenes
  std::string method;                                   // preset; empty: the scene's own
  std::vector<std::string> changes;                     // key=value
  std::string against;                                  // names of peers, separated by commas
  std::string threads, steps, rounds, peer_iterations;  // as typed; empty: not given
  std::string worlds;                                   // likewise
  bool equal_error = false;                             // for batches
  bool json = false;
};

/// Measures manifolds and broad phase alone.
void bench_collision(const BenchOptions& options);
/// Measures steps of sleeping bodies, beside the same bodies awake.
void bench_sleep(const BenchOptions& options);
/// Measures the cost per body in small and large piles.
void bench_growth(const BenchOptions& options);
void bench_sizes(const BenchOptions& options);
/// Measures bytes per body and per contact.
void bench_memory(const BenchOptions& options);
/// Repeats the experiments of Bender and Schmitt.
void bench_joints(const BenchOptions& options);
/// Measures batches of small worlds.
void bench_batches(const BenchOptions& options);
/// Measures whole steps. The exit code is a failure if no run succeeded.
int bench_scenes(const BenchOptions& options);

}  // namespace rigor::cli
