# The far side of a remote sandbox: processes. POSIX sh; the programs of BusyBox are enough.
#
# It is put into the sandbox's private folder, and run as `sh FOLDER/far.sh OPERATION ARGUMENT…`. What is asked for is
# answered on the standard output: one line that starts with `ok` or with the name of a failure, then bytes, if any.
#
#   FOLDER/order                 the names of the processes, in the order of their starts
#   FOLDER/leases/NAME           counts up while an app holds the sandbox
#   FOLDER/p/NAME/run            what is run, and in its last line the process as the app described it
#   FOLDER/p/NAME/{1,2}.OFFSET   what it wrote to a stream from this offset on; the last of them grows
#   FOLDER/p/NAME/{1,2}.end      nobody writes this stream any more
#   FOLDER/p/NAME/exit           how it ended
#   FOLDER/p/NAME/w.NONCE        what was answered to who wrote to it last
set -uf
umask 077
LC_ALL=C
export LC_ALL
folder=${0%/*}
sandbox=${folder##*/}

answer() { printf '%s\n' "$*"; }

# Sleeps for milliseconds; whole seconds where `sleep` knows no others.
pause() { sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))" 2>/dev/null || sleep $((($1 + 999) / 1000)); }

# Runs a command until it succeeds, at most for so many milliseconds; looks again ever more rarely.
await() {
  left=$1 step=10
  shift
  while ! "$@"; do
    [ "$left" -gt 0 ] || return 1
    [ "$step" -le "$left" ] || step=$left
    pause "$step"
    left=$((left - step)) step=$((step * 3 / 2))
    [ "$step" -le 250 ] || step=250
  done
}

# Lists the processes of which the environment carries a mark: whatever session or parent they have chosen since.
marked() {
  if grep -qsz . "$0"; then
    set +f
    grep -lsFz "$1" /proc/[0-9]*/environ
    set -f
  else
    set +f
    for file in /proc/[0-9]*/environ; do
      tr '\000' '\n' 2>/dev/null <"$file" | grep -qF "$1" && answer "$file"
    done
    set -f
  fi | sed 's,^/proc/,,; s,/environ$,,'
}

# Signals a process with all that descends from it.
reach() {
  mark="HELVE_SANDBOX_PROCESS=$sandbox.$2;"
  if [ -s "$folder/p/$2/pid" ]; then
    read -r leader <"$folder/p/$2/pid"
    [ -e "$folder/p/$2/exit" ] || kill -s "$1" -- "-$leader" 2>/dev/null
  else
    leader=
  fi
  rounds=0
  while :; do
    # Whatever the signal to the group has reached must not be told twice, but for the end.
    found=$(marked "$mark")
    for pid in $found; do
      if [ "$1" != KILL ] && [ -n "$leader" ] && [ ! -e "$folder/p/$2/exit" ] && [ "$(group "$pid")" = "$leader" ]; then
        continue
      fi
      kill -s "$1" "$pid" 2>/dev/null
    done
    rounds=$((rounds + 1))
    # Who forks while the list is made is in the next one.
    [ "$1" = KILL ] && [ -n "$found" ] && [ "$rounds" -lt 50 ] || break
  done
}

# Tells the process group of a process: the third field after the name, which may hold anything.
group() {
  IFS= read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
  set -- ${stat##*) }
  answer "$3"
}

# Finds the pieces of a stream: sets `first` and `last`, the offsets of the oldest and the newest, and `total`.
survey() {
  first= last=0
  set +f
  for file in "$1/$2".[0-9]*; do
    offset=${file##*.}
    case $offset in *[!0-9]*) continue ;; esac
    if [ -z "$first" ] || [ "$offset" -lt "$first" ]; then first=$offset; fi
    [ "$offset" -le "$last" ] || last=$offset
  done
  set -f
  first=${first:-0}
  size=$(stat -c %s "$1/$2.$last" 2>/dev/null)
  total=$((last + ${size:-0}))
}

# status NAME MILLISECONDS: where a process stands.
status() {
  known "$1" || return
  await "$2" finished "$1"
  line "$1"
}

known() {
  [ -s "$folder/p/$1/pid" ] && return
  answer unknown
  return 1
}

# A supervisor that is gone without a word will not write how it ended.
finished() { [ -e "$folder/p/$1/exit" ] || ! supervised "$1"; }

supervised() {
  read -r pid 2>/dev/null <"$folder/p/$1/supervisor" &&
    tr '\000' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qxF "$folder/p/$1"
}

# Answers with one line about a process: its name, exit, bytes of both streams, and itself.
line() {
  if [ -e "$folder/p/$1/exit" ]; then
    read -r exit <"$folder/p/$1/exit"
  elif supervised "$1"; then
    exit=running
  elif [ -e "$folder/p/$1/exit" ]; then
    read -r exit <"$folder/p/$1/exit"
  else
    exit=lost
  fi
  survey "$folder/p/$1" 1
  out=$total
  survey "$folder/p/$1" 2
  answer "ok $1 $out $total $exit"
  tail -n 1 "$folder/p/$1/run"
}

list() {
  answer ok
  [ -e "$folder/order" ] || return 0
  while read -r name; do
    [ ! -s "$folder/p/$name/pid" ] || line "$name"
  done <"$folder/order"
}

# read NAME STREAM OFFSET MAX MILLISECONDS: a part of what a process wrote.
read_output() {
  known "$1" || return
  p=$folder/p/$1
  await "$5" readable "$2" "$3"
  ended=0
  # In this order: what is written before the end is seen, is counted after it.
  if [ -e "$p/$2.end" ] || ! supervised "$1"; then ended=1; fi
  survey "$p" "$2"
  offset=$3 floor=$first
  read -r limit <"$p/limit"
  [ $((total - limit)) -le "$floor" ] || floor=$((total - limit))
  [ "$offset" -ge "$floor" ] || offset=$floor
  [ "$offset" -le "$total" ] || offset=$total
  piece=$first
  set +f
  for file in "$p/$2".[0-9]*; do
    start=${file##*.}
    case $start in *[!0-9]*) continue ;; esac
    if [ "$start" -le "$offset" ] && [ "$start" -gt "$piece" ]; then piece=$start; fi
  done
  set -f
  size=$(stat -c %s "$p/$2.$piece" 2>/dev/null)
  [ "$piece" != "$last" ] || size=$((total - last))
  length=$((piece + ${size:-0} - offset))
  [ "$length" -ge 0 ] || length=0
  [ "$length" -le "$4" ] || length=$4
  [ $((offset + length)) -ge "$total" ] || ended=0
  answer "ok $offset $length $total $ended"
  # The oldest piece may go at any time: whoever gets fewer bytes than were announced asks again.
  [ "$length" = 0 ] || tail -c "+$((offset - piece + 1))" "$p/$2.$piece" 2>/dev/null | head -c "$length"
}

readable() {
  survey "$p" "$1"
  [ "$total" -gt "$2" ] || [ -e "$p/$1.end" ] || ! supervised "${p##*/}"
}

# write NAME BYTES END NONCE: passes on what comes on the standard input. Whoever asks again with the same nonce asks for
# the same bytes; one writes after the other.
write() {
  arrive "$2" || return
  if known "$1"; then
    p=$folder/p/$1
    if mkdir "$p/w.$4" 2>/dev/null; then
      pass_on "$3" "$2" >"$p/w.$4/new"
      mv "$p/w.$4/new" "$p/w.$4/answer"
      # Nobody asks again for what was written before.
      ! read -r written 2>/dev/null <"$p/written" || rm -rf "$p/w.$written"
      answer "$4" >"$p/written"
    fi
    await 60000 [ -e "$p/w.$4/answer" ] && cat "$p/w.$4/answer"
  fi
  rm -f "$arrived"
}

# pass_on END BYTES
pass_on() {
  if [ -e "$p/closed" ] || ! supervised "${p##*/}"; then
    answer closed
    return
  fi
  if [ -s "$arrived" ]; then
    # Not `cat`: that of BusyBox splices, and asks the pipe once more when nobody may read it any longer.
    head -c "$2" <"$arrived" 2>/dev/null >"$p/0.pipe" || {
      answer closed
      return
    }
  fi
  if [ "$1" = 1 ]; then
    : >"$p/closed"
    # The first of these ends a line that is begun, the second the input.
    [ ! -e "$p/terminal" ] || printf '\004\004' >"$p/0.pipe"
    echo 1<>"$p/closing"
  fi
  answer ok
}

resize() {
  known "$1" || return
  if [ ! -s "$folder/p/$1/tty" ]; then
    answer closed
    return
  fi
  read -r terminal <"$folder/p/$1/tty"
  stty rows "$2" cols "$3" 2>/dev/null <"$terminal" && answer ok || answer closed
}

# signal NAME SIGNAL NUMBER
signal() {
  known "$1" || return
  : >"$folder/p/$1/signalled.$3"
  reach "$2" "$1"
  answer ok
}

# ground: what whoever opened the sandbox kept of it.
ground() {
  answer ok
  cat "$folder/ground"
}

# projected NAME SOURCE: tells whether a folder of the app's machine is shown already.
projected() {
  p=$folder/projects/$1
  if [ ! -e "$p" ]; then
    answer absent
  elif [ "$(cat "$p.source"; printf x)" = "$2"x ]; then
    answer ok
  else
    answer taken
  fi
}

# project NAME SOURCE: shows a folder of the app's machine; it comes as an archive on the standard input.
project() {
  p=$folder/projects/$1
  if [ -e "$p" ]; then
    cat >/dev/null
    projected "$@"
    return
  fi
  rm -rf "$p.new"
  mkdir "$p.new"
  # What comes behind the end of an archive is read as well.
  if { tar -xf - -C "$p.new" && cat >/dev/null; }; then
    printf %s "$2" >"$p.source"
    chmod -R a-w "$p.new"
    mv "$p.new" "$p"
    answer ok
  else
    rm -rf "$p.new"
    answer broken 'it could not be unpacked there'
  fi
}
