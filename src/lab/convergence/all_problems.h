// Every problem of the convergence study.
#pragma once

#include "lab/convergence/convergence.h"

namespace rigor::convergence {

// mechanisms.cpp
Problem pendulum();
Problem rope_pendulum();
Problem double_pendulum();
Problem chain_of_ten();
Problem four_bar();
Problem parallelogram();
Problem slider_crank();
Problem heavy_top();
// springs_and_contacts.cpp
Problem spring();
Problem spring_force();
Problem rolling();
Problem turntable();
Problem sliding();
Problem eulers_disk();
Problem bouncing();

}  // namespace rigor::convergence
