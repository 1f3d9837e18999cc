// A plugin of another version of the interface.
#include "rigor/extend/plugin.h"

static void add_all(rigor::extend::Registrar&) {}
extern "C" RIGOR_PLUGIN_EXPORT const rigor::extend::PluginInfo rigor_plugin;
const rigor::extend::PluginInfo rigor_plugin = {.abi = rigor::extend::kAbi + 1, .add_all = add_all};
