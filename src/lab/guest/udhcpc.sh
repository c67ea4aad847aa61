#!/bin/sh
# udhcpc's own script does all but one thing: it leaves option 12 alone.
case $1 in
  bound | renew) [ -z "$hostname" ] || hostname "$hostname" ;;
esac
exec /bin/sh /etc/udhcpc/default.script "$@"
