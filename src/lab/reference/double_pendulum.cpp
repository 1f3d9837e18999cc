// Two uniform rods, 1 m and 1 kg each, hinged at the origin and to each other, released horizontally. Chaotic: an error
// grows by a factor of a thousand in a few seconds. Values: quadruple precision, order 20, two formulations that agree.
#include "lab/reference/all_cases.h"
#include "lab/reference/hanging_rods.h"

namespace rigor::reference {

namespace {

constexpr RodAngles<2> kSamples[] = {
    {0.2, {1.324249201198376, 1.6411743887292356}},     {0.4, {0.7360159391225252, 1.4774366549447497}},
    {0.6, {0.2773638355657445, 0.2862655030374831}},    {0.8, {-0.30549591644887186, -0.8424102318113256}},
    {1.0, {-1.207716238190638, -0.8143910230912964}},   {1.5, {-1.1503256803177753, -2.0991261317565915}},
    {2.0, {-0.08275830682057085, 0.40736207491190723}}, {2.5, {1.3445575685015414, 1.731136208051509}},
    {3.0, {1.025086012288729, 0.4957346476269754}},
};

Quantities measure_rods(const Method& method, double dt) { return measure_hanging_rods<2>(kSamples, method, dt); }

}  // namespace

Case double_pendulum() {
  return {"double-pendulum",
          "two rods, released horizontally: chaotic",
          "a second-order method at 0.1 ms holds 1e-4 rad for 3 s; later times by the energy only",
          1e-3,
          {.joint = true},
          measure_rods};
}

}  // namespace rigor::reference
