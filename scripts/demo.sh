#!/bin/sh
# Shows the program at work: demo.sh BINARY
set -eu

runic=$1
"$runic" version
