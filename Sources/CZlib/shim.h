#pragma once
// zlib's version is a string macro and its init calls are macros over `deflateInit_` and `inflateInit_`; Swift
// imports the string and calls the functions, so nothing is wrapped here.
#include <zlib.h>
