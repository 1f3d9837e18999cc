// A plugin that was built with other headers.
#include "rigor/extend/plugin.h"

static void add_all(rigor::extend::Registrar&) {}
extern "C" RIGOR_PLUGIN_EXPORT const rigor::extend::PluginInfo rigor_plugin;
const rigor::extend::PluginInfo rigor_plugin = {.layout = 1, .add_all = add_all};
