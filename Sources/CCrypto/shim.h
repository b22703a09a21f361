#pragma once
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
