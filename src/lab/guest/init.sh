#!/bin/busybox sh
# /init of the QEMU VM: busybox and a few programs of the host, enough to be a machine and run boot.sh.
/bin/busybox mkdir -p /bin /sbin /usr/bin /usr/sbin /proc /sys /dev /run /tmp
/bin/busybox --install -s
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /run
for module in $(cat /lib/modules/order); do insmod "/lib/modules/$module"; done
for _ in $(seq 100); do
  [ -e /sys/class/net/eth0 ] && break
  sleep 0.05
done
hostname localhost
stty -echo </dev/console 2>/dev/null
# The second serial port is the way in: a shell of its own session for whoever comes, and the next one when it is left.
shells() {
  while [ -c /dev/ttyS1 ]; do
    setsid sh -c 'exec sh -i <>/dev/ttyS1 >&0 2>&1'
    printf '\004' >/dev/ttyS1
    sleep 1
  done
}
# Beside the boot as a part of a pipe: what is started with `&` ignores Ctrl-C, and so does all that it starts.
exec 3<&0
shells </dev/null | {
  sh /etc/oooi-lab/boot.sh <&3
  poweroff -f
}
