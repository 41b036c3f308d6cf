#!/bin/sh
# Builds the sandbox of the oracle and starts a worker in it, as its first process and without capabilities. Runs below
# `unshare`, in namespaces of its own. Everything that a line could damage is a tmpfs that vanishes with the namespace.
#
#   sandbox.sh ROOT STAGE GIT_EXEC_PATH WORKER_ARGUMENT…
#
# ROOT is an empty folder to mount on. STAGE holds `bin/` (the programs of the lines), `local/` (those that only say which
# they are), `oracle/` (the worker, setpriv) and `rec.so`.
set -eu
root=$1 stage=$2 git_path=$3
shift 3

mount -t tmpfs -o mode=755,size=16m oracle "$root"
cd "$root"
mkdir -p usr/bin usr/local/bin usr/lib etc dev w home/u tmp rec out oracle proc old

read_only() { # FROM TO
    mkdir -p "$2"
    mount --rbind "$1" "$2"
    mount -o remount,bind,ro,nosuid "$2"
}
for folder in usr/lib usr/lib32 usr/lib64 usr/libx32 usr/local/lib; do
    if [ -d "/$folder" ]; then read_only "/$folder" "$folder"; fi
done
for folder in lib lib32 lib64 libx32; do
    if [ -L "/$folder" ]; then ln -s "usr/$folder" "$folder"; elif [ -d "/$folder" ]; then read_only "/$folder" "$folder"; fi
done
case $git_path in
/usr/lib/* | '') ;;
*) read_only "$git_path" ".$git_path" ;;
esac
read_only "$stage/bin" usr/bin
read_only "$stage/local" usr/local/bin
read_only "$stage/oracle" oracle
ln -s usr/bin bin

for device in null zero full random urandom tty; do
    : >"dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mount -t proc -o ro,nosuid,nodev,noexec proc proc

cp "$stage/rec.so" rec.so
echo /rec.so >etc/ld.so.preload
for file in ld.so.cache; do if [ -e "/etc/$file" ]; then cp "/etc/$file" "etc/$file"; fi; done
printf 'root:x:0:0::/home/u:/bin/bash\n' >etc/passwd
printf 'root:x:0:\n' >etc/group
printf 'passwd: files\ngroup: files\nhosts: files\n' >etc/nsswitch.conf

mount -t tmpfs -o mode=755,size=32m w w
mount -t tmpfs -o mode=755,size=8m home home/u
mount -t tmpfs -o mode=1777,size=8m tmp tmp
mount -t tmpfs -o mode=755,size=8m rec rec
mount -t tmpfs -o mode=755,size=8m out out
# A mount point cannot be removed or replaced.
dd if=/dev/zero of=rec/log bs=4096 count=300 2>/dev/null
: >out/stdout
mount --bind rec/log rec/log
mount --bind out/stdout out/stdout
mount -o remount,bind,ro out
mount -o remount,bind,ro "$root"

pivot_root . old
PATH=/old/usr/bin:/old/bin:/old/usr/sbin:/old/sbin
cd /
umount -l /old
exec /oracle/setpriv --bounding-set=-all --inh-caps=-all --no-new-privs /oracle/worker "$@"
