// A library without RIGOR_PLUGIN.
extern "C" int something_else() { return 1; }
