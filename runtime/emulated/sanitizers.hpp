// Which sanitizer this is compiled for: g++ and clang each say it in their own way.
#pragma once

#if defined(__has_feature)
#define COPSE_HAS_FEATURE(feature) __has_feature(feature)
#else
#define COPSE_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || COPSE_HAS_FEATURE(address_sanitizer)
#define COPSE_ADDRESS_SANITIZER 1
#else
#define COPSE_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__) || COPSE_HAS_FEATURE(thread_sanitizer)
#define COPSE_THREAD_SANITIZER 1
#else
#define COPSE_THREAD_SANITIZER 0
#endif
