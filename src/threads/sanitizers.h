// Defines RIGOR_ADDRESS_SANITIZER and RIGOR_THREAD_SANITIZER in builds with these sanitizers. GCC reports them by macros, clang by __has_feature.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define RIGOR_ADDRESS_SANITIZER
#endif
#if defined(__SANITIZE_THREAD__)
#define RIGOR_THREAD_SANITIZER
#endif
#if defined(__has_feature) && defined(__clang__)
#if __has_feature(address_sanitizer)
#define RIGOR_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define RIGOR_THREAD_SANITIZER
#endif
#endif
