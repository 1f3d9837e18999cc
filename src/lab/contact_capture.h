// The contact problem of one step, as the solvers of a method receive it.
#pragma once

#include "lcp/cone_problem.h"
#include "rigor/simulation.h"

namespace rigor {

struct CapturedProblem {
  ConeProblem problem;
  std::vector<std::string> names;  // by block: "crate–ground", or the name of a joint
};

/// The rows of a step of `h` seconds from the given state, all islands together. Empty if nothing touches. Error if the method
/// solves constraints itself, since it has no such problem; all other methods work.
CapturedProblem capture_problem(const World& world, const Method& method, double time, double h);

/// The same problem with contacts only: equations of joints are eliminated by a Schur complement, limits become contacts without friction. Error, naming the block,
/// for rows that a friction-contact problem cannot express: motors with bounded force, rolling and spinning friction.
ConeProblem contacts_only(const CapturedProblem& captured);

}  // namespace rigor
