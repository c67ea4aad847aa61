#!/bin/sh
# What a machine on the VLAN does when it boots, step by step, with nothing but a DHCP client, curl and openssl. It runs
# in the namespace VMs and, as the last part of init, in the QEMU VM. Each step is told on one line:
#
#   OOOI STEP <name> <ok|fail> <milliseconds> <what was found, or what is wrong>
#
# (what else a failed step printed goes to standard error before it), then OOOI BOOTED. After that the machine obeys
# lines on standard input (`step <name>` does a step again, `look <name>` does it with little patience) and is switched
# off by the end of it.
#
# What the shell can do itself it does itself: with two hundred machines at once, starting programs is what takes the time.

lab=/etc/oooi-lab
stream=
word=
pings=0
cr=$(printf '\r')
. "$lab/vm.env"
patience=$OOOI_PATIENCE
trap '' PIPE

# Hundredths of a second is what /proc/uptime has; busybox's date has no more than seconds.
now_ms() {
  read -r uptime _ </proc/uptime
  hundredths=${uptime#*.}
  now=$((${uptime%.*} * 1000 + ${hundredths#0} * 10))
}

# A step is a function that prints what it found and fails if it is not as it should be. It runs in this shell, not in
# a subshell, because the konnectivity step leaves a file descriptor open.
step() {
  name=$1
  function=step_$name
  while [ "$function" != "${function#*-}" ]; do function=${function%%-*}_${function#*-}; done
  now_ms
  started=$now
  if "$function" >/run/step 2>&1; then verdict=ok; else verdict=fail; fi
  now_ms
  found=
  while IFS= read -r line || [ -n "$line" ]; do found=$line; done </run/step
  [ "$verdict" = ok ] || sed '$d' /run/step >&2
  echo "OOOI STEP $name $verdict $((now - started)) $found"
  [ "$verdict" = ok ]
}

step_dhcp() {
  case $OOOI_CLIENT in
    dhclient) timeout 30 dhclient -4 -1 -v eth0 ;;
    # The machine has no udev that could tell dhcpcd of its interfaces.
    dhcpcd) timeout 30 dhcpcd -4 --nodev --noipv4ll --waitip=4 eth0 ;;
    *) timeout 30 udhcpc -i eth0 -n -t 10 -T 3 -s "$lab/udhcpc.sh" ;;
  esac >/run/dhcp.log 2>&1 || { cat /run/dhcp.log; echo "no lease: $(tail -n 1 /run/dhcp.log)"; return 1; }
  address=$(ip -4 -o addr show dev eth0)
  address=${address#* inet }
  address=${address%% *}
  route=$(ip -4 route show default)
  route=${route#* via }
  route=${route%% *}
  case $address in
    */"$OOOI_PREFIX_LENGTH") ;;
    *) echo "eth0 has '$address', not an address with /$OOOI_PREFIX_LENGTH"; return 1 ;;
  esac
  [ -z "$OOOI_ADDRESS" ] || expect "address" "${address%/*}" "$OOOI_ADDRESS" || return 1
  expect "default route" "$route" "$OOOI_GATEWAY" || return 1
  echo "$address via $route"
}

# The firmware wrote into the kernel's arguments what DHCP had told it.
step_pxe() {
  expect "boot server" "$(argument oooi.server)" "$OOOI_BOOT_SERVER" || return 1
  expect "boot file" "$(argument oooi.file)" "$OOOI_BOOT_FILE" || return 1
  echo "$OOOI_BOOT_FILE of $OOOI_BOOT_SERVER, as $(argument oooi.address)"
}

argument() { tr ' ' '\n' </proc/cmdline | sed -n "s/^$1=//p"; }

# Asks for a lease as a machine would that boots now, and leaves everything here as it is.
step_lease() {
  udhcpc -i eth0 -f -q -n -t 3 -T 1 -s /bin/true >/run/lease.log 2>&1 || { echo "DHCP does not answer"; return 1; }
  sed -n 's/.*lease of \([0-9.]*\) obtained.*/\1/p' /run/lease.log
}

# dhcpcd joins option 12 and option 15 into a full name; the short one is what counts.
step_hostname() {
  read -r full </proc/sys/kernel/hostname
  expect "hostname" "${full%%.*}" "$OOOI_VM" || return 1
  echo "$full"
}

step_resolver() {
  nameserver=
  while read -r key value _; do
    [ "$key" != nameserver ] || nameserver=${nameserver:+$nameserver }$value
  done </etc/resolv.conf
  expect "nameserver in resolv.conf" "$nameserver" "$OOOI_DNS" || return 1
  # A look asks for a name that no cache can have.
  [ "$word" != look ] || elsewhere=look-$started.$OOOI_ELSEWHERE
  answer=$(getent ahostsv4 "${elsewhere:-$OOOI_ELSEWHERE}")
  answer=${answer%% *}
  expect "address of $OOOI_ELSEWHERE (forwarded)" "$answer" "$OOOI_ELSEWHERE_ADDRESS" || return 1
  echo "$nameserver, $OOOI_ELSEWHERE is $answer"
}

step_ignition() { fetch ignition "ignition.$OOOI_DOMAIN" "https://ignition.$OOOI_DOMAIN/ignition"; }

step_api() { fetch api "api.$OOOI_DOMAIN" "https://api.$OOOI_DOMAIN:6443/version"; }

# TLS sends no server name for an address; most clients inside a cluster call the API like this.
step_api_no_sni() { fetch api none "https://$OOOI_PROXY:6443/version"; }

step_oauth() { fetch oauth "oauth.$OOOI_DOMAIN" "https://oauth.$OOOI_DOMAIN/healthz"; }

step_apps() { fetch apps "console.apps.$OOOI_DOMAIN" "https://console.apps.$OOOI_DOMAIN/"; }

# The stream stays open on descriptor 7 for as long as the machine runs.
step_konnectivity() {
  host=konnectivity.$OOOI_DOMAIN
  rm -f /run/konnectivity.in
  mkfifo /run/konnectivity.in
  exec 7<>/run/konnectivity.in
  openssl s_client -quiet -connect "$host:443" -servername "$host" -verify_hostname "$host" -verify_return_error \
    -CAfile "$lab/ca.crt" </run/konnectivity.in >/run/konnectivity.out 2>/run/konnectivity.err 7>&- &
  stream=$!
  ping_stream
}

step_konnectivity_held() {
  [ -n "$stream" ] || { echo "not tried: no stream was opened"; return 1; }
  ping_stream && return 0
  # A look is the node's own: its agent dials again when the stream is lost.
  [ "$word" = look ] && kill -0 "$stream" 2>/dev/null && return 1
  [ "$word" = look ] && step_konnectivity
}

ping_stream() {
  pings=$((pings + 1))
  echo "ping $pings" >&7
  now_ms
  give_up=$((now + patience * 1000))
  while [ "$now" -lt "$give_up" ]; do
    while read -r line; do
      case $line in "pong $pings after "*)
        echo "stream open for ${line#"pong $pings after "}"
        return 0
        ;;
      esac
    done </run/konnectivity.out
    kill -0 "$stream" 2>/dev/null || break
    sleep 0.1
    now_ms
  done
  if kill -0 "$stream" 2>/dev/null; then
    echo "no answer on the stream within $patience s"
  else
    echo "the stream has ended: $(tail -n 1 /run/konnectivity.err)"
  fi
  return 1
}

# What must not work: names nobody has, server names nobody serves, and the pod network behind oooi's back.
step_isolation() {
  nobody=nobody.$OOOI_DOMAIN
  if getent ahostsv4 "$nobody"; then echo "DNS knows $nobody"; return 1; fi
  if curl -sS --max-time 5 -k --resolve "$nobody:443:$OOOI_PROXY" "https://$nobody/"; then
    echo "the proxy passed the unknown name $nobody on"
    return 1
  fi
  if curl -sS --max-time 1 -k "https://$OOOI_POD_ADDRESS:6443/version"; then
    echo "$OOOI_POD_ADDRESS on the pod network answers directly"
    return 1
  fi
  echo "unknown names refused, pod network out of reach"
}

# fetch <service that must answer> <server name it must have seen> <url>
fetch() {
  curl -sS -i --max-time $patience --cacert "$lab/ca.crt" "$3" >/run/answer || return 1
  read_answer
  expect "answer of $3" "$status" 200 || return 1
  expect "service behind $3" "$service" "$1" || return 1
  expect "server name seen by $1" "$server_name" "$2" || return 1
  echo "$3"
}

# The head of what curl -i has written.
read_answer() {
  status= service= server_name=
  while IFS= read -r line; do
    line=${line%"$cr"}
    case $line in
      HTTP/*) status=${line#* } status=${status%% *} ;;
      'lab-service: '*) service=${line#*: } ;;
      'lab-server-name: '*) server_name=${line#*: } ;;
      '') return ;;
    esac
  done </run/answer
}

# expect <what> <found> <wanted>
expect() {
  [ "$2" = "$3" ] || { echo "$1 is '$2', not '$3'"; return 1; }
}

ip link set lo up
[ "$OOOI_CLIENT" != pxe ] || step pxe
# Without an address nothing else can work, and each step would only wait for its timeout.
if step dhcp; then
  # In a crowded lab only: learnt neighbours of all namespaces share one small table of the kernel, told ones do not.
  for pair in $OOOI_NEIGHBOURS; do
    ip neigh replace "${pair%=*}" lladdr "${pair#*=}" dev eth0 nud permanent
  done
  for name in $OOOI_STEPS; do step "$name"; done
fi
echo "OOOI BOOTED"
while read -r word name; do
  case $word in
    step) step "$name" ;;
    look)
      patience=3
      export RES_OPTIONS='timeout:1 attempts:2'
      step "$name"
      patience=$OOOI_PATIENCE
      unset RES_OPTIONS
      ;;
  esac
done
