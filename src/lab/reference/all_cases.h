// Every reference case; each function stands in the case's own file.
#pragma once

#include "lab/reference/reference.h"

namespace rigor::reference {

Case bouncing_ball();
Case chain_of_rods();
Case collisions();
Case compound_pendulum();
Case double_pendulum();
Case bricard();
Case four_bar();
Case simple_pendulum();
Case incline();
Case heavy_top();
Case newtons_cradle();
Case painleve_rod();
Case slider_crank();
Case slip_to_roll();
Case spring_damper();
Case contact_forces();
Case contact_thresholds();

}  // namespace rigor::reference
