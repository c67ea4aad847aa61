#!/bin/sh
# udhcpc's own script does all but one thing: it leaves option 12 alone.
case $1 in
  bound | renew) [ -z "$hostname" ] || echo "$hostname" >/proc/sys/kernel/hostname ;;
esac
exec /bin/sh /etc/udhcpc/default.script "$@"
