/* What the machine allows: the same steps as runic's, in plain C over libcrypto and zlib, one thread, with no
 * record, no index and one fixed key.
 *
 *   floors nothing               process start
 *   floors record FOLDER         standard input as one sealed object and a line in a ref log; three fsyncs
 *   floors seal INPUT OUTPUT     SHA-256 of each line, deflate 6 and AES-256-GCM in pieces of 256 KiB; fsync
 *   floors unseal INPUT          the reverse: tag, inflate, SHA-256 of each line
 *   floors copy INPUT OUTPUT     copy, fsync, rename, fsync of the folder
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <libgen.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 256 << 10, NONCE = 12, TAG = 16 };

static const unsigned char key[32] = {7, 1, 8, 2};
static EVP_MD_CTX *digest;
static const EVP_MD *sha256;
static EVP_CIPHER_CTX *cipher;
static unsigned char sink;

static void need(int holds, const char *what) {
  if (holds) return;
  perror(what);
  exit(1);
}

static size_t read_all(int file, void *buffer, size_t count) {
  size_t have = 0;
  while (have < count) {
    ssize_t got = read(file, (char *)buffer + have, count - have);
    need(got >= 0, "read");
    if (got == 0) break;
    have += (size_t)got;
  }
  return have;
}

static void write_all(int file, const void *buffer, size_t count) {
  const char *next = buffer;
  while (count > 0) {
    ssize_t wrote = write(file, next, count);
    need(wrote > 0, "write");
    next += wrote;
    count -= (size_t)wrote;
  }
}

static int create_beside(const char *path, char *temporary, size_t size) {
  snprintf(temporary, size, "%s.new", path);
  int file = open(temporary, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  need(file >= 0, temporary);
  return file;
}

static void put_in_place(int file, const char *temporary, const char *path) {
  need(fsync(file) == 0, "fsync");
  close(file);
  need(rename(temporary, path) == 0, "rename");
  char *copy = strdup(path);
  int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY);
  need(folder >= 0 && fsync(folder) == 0, "fsync");
  close(folder);
  free(copy);
}

static void hash(const void *bytes, size_t count, unsigned char out[32]) {
  EVP_DigestInit_ex2(digest, sha256, NULL);
  EVP_DigestUpdate(digest, bytes, count);
  EVP_DigestFinal_ex(digest, out, NULL);
}

static void hash_lines(const char *bytes, size_t count) {
  unsigned char out[32];
  const char *end = bytes + count;
  while (bytes < end) {
    const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
    if (!feed) feed = end;
    hash(bytes, (size_t)(feed - bytes), out);
    sink ^= out[0];
    bytes = feed + 1;
  }
}

static size_t deflate_piece(const void *bytes, size_t count, unsigned char *out, size_t room) {
  static z_stream *stream;
  if (!stream) {
    stream = calloc(1, sizeof *stream);
    need(stream && deflateInit(stream, 6) == Z_OK, "deflate");
  }
  deflateReset(stream);
  stream->next_in = (void *)bytes;
  stream->avail_in = (unsigned)count;
  stream->next_out = out;
  stream->avail_out = (unsigned)room;
  need(deflate(stream, Z_FINISH) == Z_STREAM_END, "deflate");
  return room - stream->avail_out;
}

/* nonce, ciphertext, tag */
static size_t seal_piece(uint64_t number, const unsigned char *bytes, size_t count, unsigned char *out) {
  int part, rest;
  memset(out, 0, NONCE);
  memcpy(out + 4, &number, sizeof number);
  need(EVP_EncryptInit_ex(cipher, NULL, NULL, NULL, out) == 1 &&
           EVP_EncryptUpdate(cipher, out + NONCE, &part, bytes, (int)count) == 1 &&
           EVP_EncryptFinal_ex(cipher, out + NONCE + part, &rest) == 1 &&
           EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, TAG, out + NONCE + count) == 1,
       "seal");
  return NONCE + count + TAG;
}

static void open_piece(const unsigned char *sealed, size_t count, unsigned char *out) {
  int part;
  need(EVP_DecryptInit_ex(cipher, NULL, NULL, NULL, sealed) == 1 &&
           EVP_DecryptUpdate(cipher, out, &part, sealed + NONCE, (int)count) == 1 &&
           EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, TAG, (void *)(sealed + NONCE + count)) == 1 &&
           EVP_DecryptFinal_ex(cipher, out + part, &part) == 1,
       "unseal");
}

static void use_cipher(int seals) {
  cipher = EVP_CIPHER_CTX_new();
  need(EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, NULL, seals) == 1, "cipher");
}

static void seal(const char *input, const char *output) {
  char temporary[4096];
  int in = open(input, O_RDONLY), out = create_beside(output, temporary, sizeof temporary);
  need(in >= 0, input);
  use_cipher(1);
  size_t room = compressBound(PIECE) + 64, have = 0;
  char *lines = malloc(PIECE);
  unsigned char *small = malloc(room), *sealed = malloc(room);
  for (uint64_t number = 0;; number++) {
    have += read_all(in, lines + have, PIECE - have);
    if (have == 0) break;
    char *feed = memrchr(lines, '\n', have);
    size_t count = feed ? (size_t)(feed - lines) + 1 : have;
    hash_lines(lines, count);
    size_t length = deflate_piece(lines, count, small, room);
    uint32_t lengths[2] = {(uint32_t)length, (uint32_t)count};
    write_all(out, lengths, sizeof lengths);
    write_all(out, sealed, seal_piece(number, small, length, sealed));
    memmove(lines, lines + count, have - count);
    have -= count;
  }
  put_in_place(out, temporary, output);
}

static void unseal(const char *input) {
  int in = open(input, O_RDONLY);
  need(in >= 0, input);
  use_cipher(0);
  size_t room = compressBound(PIECE) + 64;
  unsigned char *sealed = malloc(room), *small = malloc(room);
  char *lines = malloc(PIECE);
  z_stream stream = {0};
  need(inflateInit(&stream) == Z_OK, "inflate");
  uint32_t lengths[2];
  while (read_all(in, lengths, sizeof lengths) == sizeof lengths) {
    need(lengths[0] + NONCE + TAG <= room && lengths[1] <= PIECE, "lengths");
    size_t whole = lengths[0] + NONCE + TAG;
    need(read_all(in, sealed, whole) == whole, "short");
    open_piece(sealed, lengths[0], small);
    inflateReset(&stream);
    stream.next_in = small;
    stream.avail_in = lengths[0];
    stream.next_out = (unsigned char *)lines;
    stream.avail_out = lengths[1];
    need(inflate(&stream, Z_FINISH) == Z_STREAM_END, "inflate");
    hash_lines(lines, lengths[1]);
  }
}

static void copy(const char *input, const char *output) {
  static char buffer[PIECE];
  char temporary[4096];
  int in = open(input, O_RDONLY), out = create_beside(output, temporary, sizeof temporary);
  need(in >= 0, input);
  for (size_t count; (count = read_all(in, buffer, sizeof buffer)) > 0;) write_all(out, buffer, count);
  put_in_place(out, temporary, output);
}

static void record(const char *folder) {
  static char line[PIECE];
  static unsigned char small[PIECE + 4096], sealed[PIECE + 8192];
  unsigned char name[32];
  char path[4096], temporary[4096 + 8], entry[160];
  size_t count = read_all(STDIN_FILENO, line, sizeof line);
  use_cipher(1);
  size_t length = seal_piece(1, small, deflate_piece(line, count, small, sizeof small), sealed);
  hash(sealed, length, name);
  int end = snprintf(path, sizeof path, "%s/", folder);
  for (int i = 0; i < 32; i++) end += snprintf(path + end, sizeof path - (size_t)end, "%02x", name[i]);
  int object = create_beside(path, temporary, sizeof temporary);
  write_all(object, sealed, length);
  put_in_place(object, temporary, path);
  snprintf(temporary, sizeof temporary, "%s/log", folder);
  int log = open(temporary, O_CREAT | O_WRONLY | O_APPEND, 0600);
  need(log >= 0, temporary);
  write_all(log, entry, (size_t)snprintf(entry, sizeof entry, "%s\n", path + strlen(folder) + 1));
  need(fsync(log) == 0, "fsync");
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (!strcmp(what, "nothing")) return 0;
  digest = EVP_MD_CTX_new();
  sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  if (!strcmp(what, "record") && count == 3) record(words[2]);
  else if (!strcmp(what, "seal") && count == 4) seal(words[2], words[3]);
  else if (!strcmp(what, "unseal") && count == 3) unseal(words[2]);
  else if (!strcmp(what, "copy") && count == 4) copy(words[2], words[3]);
  else {
    fprintf(stderr, "floors: see the head of floors.c\n");
    return 2;
  }
  return 0;
}
