# With sockets from descriptor 3 on: serves without the capability to bind any of the ports, and changes what is served.
# usage: sh passed.sh <number of sockets> <names, the last one's is "lonely">
oooi=$HERE/../../../bin/oooi
infra=$WORK/infra.yaml
sed "s|^    cidr:.*|&\n    dnsServers: [10.0.0.53]|" "$HERE/../../../config/samples/standalone/infra.yaml" >"$infra"

serve='export LISTEN_PID=$$; exec "$0" up -f "$1" --state-dir "$2" --log-level warn'
LISTEN_FDS=$1 LISTEN_FDNAMES=$2 setpriv --bounding-set=-all --inh-caps=-all \
  sh -c "$serve" "$oooi" "$infra" "$WORK/state" 2>"$WORK/log" &
pid=$!

ready() {
  for _ in $(seq 200); do
    [ "$("$oooi" status --state-dir "$WORK/state" 2>/dev/null | grep -c ' ready')" = "$1" ] && return
    sleep 0.1
  done
  cat "$WORK/log"
}
ask() { dig +short +tries=1 +time=10 "$@" @192.168.100.2 api.my-cluster.example.com; }

ready 3; ask; ask +tcp
sed -i 's/^    dns:/    dns:\n      enabled: false/' "$infra"
ready 2; ask +tcp >/dev/null 2>&1 && echo 'answered, though it is switched off'
sed -i '/enabled: false/d' "$infra"
ready 3; ask; ask +tcp
grep -o '"name":"lonely".*' "$WORK/log"
kill "$pid"; wait "$pid"; echo "exit $?"
