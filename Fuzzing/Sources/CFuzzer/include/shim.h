// The engine that `-sanitize=fuzzer` links in declares this in no header that is installed.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one_input)(const uint8_t *data, size_t size));
