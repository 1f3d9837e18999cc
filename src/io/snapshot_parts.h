// The parts of snapshot files.
#pragma once

#include <string>
#include <string_view>

#include "rigor/snapshot_file.h"
#include "state/bytes.h"
#include "world/world_image.h"

namespace rigor {

/// The definitions of a world.
void put_world(ByteWriter& out, const World& world);
World get_world(ByteReader& in);

/// Parameters by name.
void put_settings(ByteWriter& out, const Settings& settings);
Settings get_settings(ByteReader& in);

void put_joint(ByteWriter& out, const JointDef& def);
JointDef get_joint(ByteReader& in);

/// The payload without magic number, checksum and compression; fuzzers start here.
std::string write_snapshot_payload(const SavedRun& run);
SavedRun read_snapshot_payload(std::string_view payload);

}  // namespace rigor
