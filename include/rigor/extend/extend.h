// All interfaces for custom methods, joints and shapes. docs/write-a-method.md walks through one.
#pragma once

#include "rigor/extend/bodies.h"
#include "rigor/extend/broadphase.h"
#include "rigor/extend/integrator.h"
#include "rigor/extend/jacobian.h"
#include "rigor/extend/joint.h"
#include "rigor/extend/lcp.h"
#include "rigor/extend/manifold.h"
#include "rigor/extend/narrowphase.h"
#include "rigor/extend/registrar.h"
#include "rigor/extend/rotation.h"
#include "rigor/extend/shape.h"
#include "rigor/extend/sleep.h"
#include "rigor/extend/solver.h"
#include "rigor/extend/step.h"
#include "rigor/extend/validator.h"
