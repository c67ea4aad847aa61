# With sockets from descriptor 3 on: serves as a user who may bind none of the ports, and changes what is served.
# usage: sh passed.sh <number of sockets> <names, the last one's is "lonely">
oooi=$HERE/../../../bin/oooi
infra=$WORK/infra.yaml
cp "$HERE/../../../config/samples/standalone.yaml" "$infra"
chmod 777 "$WORK"

serve='export LISTEN_PID=$$; exec "$0" up -f "$1" --state-dir "$2" --log-level warn'
LISTEN_FDS=$1 LISTEN_FDNAMES=$2 setpriv --reuid=65534 --clear-groups --bounding-set=-all \
  sh -c "$serve" "$oooi" "$infra" "$WORK/state" 2>"$WORK/log" &
pid=$!

ready() {
  for _ in $(seq 600); do
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
