// Everything that an application needs.
#pragma once

#include "rigor/body.h"
#include "rigor/contacts.h"
#include "rigor/error.h"
#include "rigor/events.h"
#include "rigor/forces.h"
#include "rigor/ids.h"
#include "rigor/joints.h"
#include "rigor/mass_properties.h"
#include "rigor/material.h"
#include "rigor/math.h"
#include "rigor/method.h"
#include "rigor/queries.h"
#include "rigor/registry.h"
#include "rigor/shape.h"
#include "rigor/simulation.h"
#include "rigor/world.h"
