#pragma once

#include <vector>

#include "rigor/simulation.h"

namespace rigor {

/// How the shared residual of velocity_rows.h falls with the iterations: the constraint rows of one step from the given state, solved
/// with 1, 2, … `most` iterations, m/s or rad/s. A solver without iterations gives one number. Empty if there are no rows,
/// or if no velocity-level solver of the method's slots solves them (force-level solvers, steps that solve their rows themselves).
std::vector<double> residuals_over_iterations(const World& world, const Method& method, double time, double h,
                                              int most);

}  // namespace rigor
