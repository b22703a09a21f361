#pragma once
// Only what Swift cannot import by itself would be wrapped here (macros with arguments, variadic functions).
// The calls that runic makes are plain functions, so nothing is.
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>
