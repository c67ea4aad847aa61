#!/bin/sh
# Turns a process in fresh mount, PID, network, UTS, IPC and control group namespaces into a machine with systemd as its first
# process. What is written inside goes to memory and vanishes with it.
#
#   boot.sh <root: an unpacked Debian> <empty directory> <files to lay over it> <checkout of oooi>
set -e

mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$2"
mkdir "$2/upper" "$2/work" "$2/root"
cp -R "$3/." "$2/upper/"
mount -t overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" overlay "$2/root"
cd "$2/root"

mkdir -p proc sys dev run tmp old usr/local/bin usr/local/lib/oooi var/log/journal etc/systemd/system
# A machine has a systemd of the distribution and the Node of the checkout.
mount --bind -o ro "$4" usr/local/lib/oooi
ln -s ../lib/oooi/bin/oooi usr/local/bin/oooi
cp usr/share/base-passwd/passwd.master etc/passwd
cp usr/share/base-passwd/group.master etc/group
: >etc/machine-id
for unit in systemd-modules-load systemd-remount-fs systemd-sysctl ldconfig; do
  ln -s /dev/null "etc/systemd/system/$unit.service"
done
for unit in dev-hugepages dev-mqueue sys-kernel-debug sys-kernel-tracing sys-fs-fuse-connections; do
  ln -s /dev/null "etc/systemd/system/$unit.mount"
done

mount -t proc proc proc
# systemd as the first process sets limits of the whole kernel. This one has nothing but its own network to set.
mount --bind proc/sys proc/sys
mount --bind proc/sys/net proc/sys/net
mount -o remount,bind,ro proc/sys
[ ! -e proc/sysrq-trigger ] || mount --bind /dev/null proc/sysrq-trigger
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for device in null:3 zero:5 full:7 random:8 urandom:9; do
  mknod -m 666 "dev/${device%:*}" c 1 "${device#*:}"
done
mknod -m 666 dev/tty c 5 0
# A service with PrivateDevices= gets a /dev of its own, with these in it.
mkdir dev/pts dev/shm dev/mqueue dev/hugepages
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s null dev/console
ln -s /proc/self/fd dev/fd
ip link set lo up

pivot_root . old
umount -l /old
cd /
exec env -i container=oooi-test PATH=/usr/local/bin:/usr/bin:/usr/sbin /usr/lib/systemd/systemd --unit=basic.target
