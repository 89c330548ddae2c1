#!/bin/bash
# Builds what a run needs into $UML_BUILD (./build): Linux as a program, with virtual time, and flows.
#
#   ./build.sh KERNEL      the sources of Linux: a folder, or an archive of one
#
# In a folder it sets HZ and builds there; an archive is unpacked into the build first.
set -euo pipefail
[[ $# -eq 1 && -e $1 ]] || { echo "usage: ./build.sh KERNEL" >&2; exit 2; }
sources=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
build=$(realpath -m "${UML_BUILD:-$here/build}")
mkdir -p "$build"
cc -O2 -Wall -Wextra -o "$build/flows" "$here/flows.c" -lm

if [[ ! -d $sources ]]; then
    mkdir -p "$build/sources"
    tar -C "$build/sources" --strip-components=1 -xf "$sources"
    sources=$build/sources
fi
cd "$sources"
# The configuration cannot set it: one value stands here.
sed -i '/^config HZ$/,/default/s/default .*/default 1000/' arch/um/Kconfig
# Room for the registers of newer processors (AMX): 6.1 has the 2696 bytes of AVX-512, and stops without more.
sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 16384)/' arch/x86/um/user-offsets.c
export ARCH=um
make --silent defconfig
scripts/kconfig/merge_config.sh -m .config "$here/kernel.config" > /dev/null
make --silent olddefconfig
for wanted in $(grep -o '^CONFIG.*' "$here/kernel.config") CONFIG_HZ=1000; do
    grep -qx "$wanted" .config || { echo "$sources has no $wanted" >&2; exit 1; }
done
make --silent --jobs="$(nproc)" linux
cp linux "$build/linux"
