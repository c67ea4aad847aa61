#!/bin/sh
# Turns a process in fresh mount, UTS, PID and network namespaces into a machine of its own: what its DHCP client and
# the client's scripts write (resolv.conf, hostname, leases) stays inside and vanishes with it.
#
#   namespace.sh <directory with vm.env, ca.crt, boot.sh, udhcpc.sh>
set -e

mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/etc /mnt/work
mkdir /mnt/etc/oooi-lab
cp "$1"/* /mnt/etc/oooi-lab/
mount -t overlay -o lowerdir=/etc,upperdir=/mnt/etc,workdir=/mnt/work overlay /etc

# The host's own resolver, its cache and its helpers must not answer for the machine. The files are made anew: in the lab
# of an ordinary user those of the host belong to somebody who does not exist there, and cannot be written to.
rm -f /etc/resolv.conf /etc/nsswitch.conf /etc/hosts /etc/hostname
: >/etc/resolv.conf
echo 'hosts: files dns' >/etc/nsswitch.conf
echo '127.0.0.1 localhost' >/etc/hosts
echo localhost >/etc/hostname
[ ! -e /sbin/resolvconf ] || mount --bind /dev/null /sbin/resolvconf

for directory in /var/lib/dhcp /var/lib/dhcpcd; do
  [ ! -d "$directory" ] || mount -t tmpfs tmpfs "$directory"
done
# /sys shows the interfaces of the namespace it was mounted in.
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=755 tmpfs /run
hostname localhost
exec /bin/sh /etc/oooi-lab/boot.sh
