// The tables that a run can record. Each has text columns, which name the object of a row, and columns of numbers.
//
//   bodies       pose and velocity of every body
//   coordinates  every coordinate of a joint that is not locked: position, velocity, the force of motor, spring, friction and limit along it, and that of
//                the motor alone
//   joints       reaction force and torque on body b about its joint frame's origin, and the errors of the joint
//   contacts     every contact point: position, normal, depth, impulse of the last step on body b
//   sensors      every component of the reading of each sensor of the scene (sensor_reader.h)
//   figures      energy, momentum, errors and solvers of the whole world; one row
//
// With e the unit vector of a coordinate in the world, its force is e · F for translations and e · T for angles, F and T being the reaction on b; the axes of
// locked coordinates are perpendicular to it. The motor's force is its share of that, by the multipliers of the last sub-step. Impulses of contacts are those of the whole step
// if the simulation records impulses, and otherwise those of the last sub-step.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/sensor_reader.h"
#include "rigor/simulation.h"

namespace rigor {

struct TableColumn {
  std::string name;
  std::string unit;  // empty if the numbers have none; "m|rad" stands for m of translations and rad of angles
};

struct RunTable {
  std::string name;
  std::vector<std::string> keys;     // names of the text columns
  std::vector<TableColumn> columns;  // numbers; the time is not one of them
};

/// Returns all tables in the order above.
std::span<const RunTable> run_tables();
/// Finds a table by its name. Throws Error at `place`, with a list of the tables, if there is none.
const RunTable& run_table(const std::string& name, const std::string& place);

/// The rows of one table. Each has a text for every key and a number for every column of the table.
struct TableRows {
  std::size_t count = 0;
  std::vector<std::string> text;
  std::vector<double> numbers;
  std::vector<std::string> units;  // by row; empty if the units of the columns hold for all rows

  void clear() { *this = {}; }
};
/// Appends the rows of a table at the present state. Without `sensors` the table of sensors stays empty.
void append_rows(const RunTable& table, const Simulation& simulation, TableRows& rows, SensorReader* sensors = nullptr);

/// Returns the force of a coordinate's motor in N or N m, after a step of h seconds. It is zero for a joint without coordinates.
double motor_force(const World& world, JointId id, int axis, double h);
/// Calls f(contact, point, position in the world, impulse on body b in N s) for every contact point.
void for_each_contact_point(
    const Simulation& simulation,
    const std::function<void(const Contact&, const ContactPoint&, const Vec3&, const Vec3&)>& f);

}  // namespace rigor
