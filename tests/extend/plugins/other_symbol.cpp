// Its symbol 'rigor_plugin' is something else.
extern "C" __attribute__((visibility("default"))) const unsigned rigor_plugin[16] = {1, 2, 3};
