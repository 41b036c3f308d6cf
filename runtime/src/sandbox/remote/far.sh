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

# Keeps what comes from a pipe in files named by their first offset, the newest LIMIT bytes at least.
spool() {
  stream=$1 limit=$2 start=0 size=0 kept=0
  piece=$((limit / 8))
  [ "$piece" -ge 65536 ] || piece=65536
  [ "$piece" -le 4194304 ] || piece=4194304
  : >"$stream.0"
  exec <"$stream.pipe"
  while :; do
    dd bs=65536 count=$((piece / 65536)) 2>/dev/null >>"$stream.$start" || {
      # There is no room. The process goes on, and what it writes is lost.
      : >"$stream.lost"
      cat >/dev/null
      break
    }
    before=$size
    size=$(stat -c %s "$stream.$start")
    [ "$size" -gt "$before" ] || break
    [ "$size" -ge "$piece" ] || continue
    start=$((start + size)) size=0
    kept="$kept $start"
    : >"$stream.$start"
    set -- $kept
    while [ $# -gt 1 ] && [ $((start - $2)) -ge "$limit" ]; do
      rm -f "$stream.$1"
      shift
    done
    kept=$*
  done
  : >"$stream.end"
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

# Tells whether the present folder, without links, is in one of the sandbox's.
within_roots() {
  while IFS= read -r root; do
    case $(pwd -P)/ in "${root%/}"/*) return 0 ;; esac
  done <"$folder/roots"
  return 1
}

# Finds a program as `env` will: in the folders of PATH, or where its name says.
find_program() {
  case $1 in
    */*) set -- "$1" "$1" ;;
    *)
      IFS=:
      for place in $2; do
        if [ -f "${place:-.}/$1" ] && [ -x "${place:-.}/$1" ]; then
          unset IFS
          return 0
        fi
      done
      unset IFS
      answer missing "there is no program of this name in the folders of PATH ($2)"
      return 1
      ;;
  esac
  if [ ! -e "$1" ]; then
    answer missing 'there is no such file'
  elif [ -d "$1" ]; then
    answer missing 'it is a folder'
  elif [ ! -x "$1" ]; then
    answer missing 'the file may not be executed'
  else
    return 0
  fi
  return 1
}

# start NAME BYTES STDIN LIMIT MILLISECONDS ROWS COLUMNS FOLDER PATH PROGRAM: the rest comes on the standard input.
start() {
  p=$folder/p/$1
  if ! mkdir "$p" 2>/dev/null; then
    [ -d "$p" ] && answer exists || answer broken 'its private folder cannot be written'
    return
  fi
  head -c "$2" >"$p/run"
  if [ "$(stat -c %s "$p/run")" != "$2" ]; then
    answer broken 'what to run did not arrive in full'
  elif ! cd "$8" 2>/dev/null; then
    answer missing "the folder $8 to start in cannot be entered"
  elif ! within_roots; then
    answer missing "the folder $8 to start in is outside of the sandbox's folders"
  elif [ "$6" != 0 ] && ! command -v script >/dev/null; then
    answer missing 'a terminal needs the program `script` (util-linux), and it is not there'
  elif find_program "${10}" "$9"; then
    answer "$1" >>"$folder/order"
    # The first `setsid` leads a group, so the second one forks and goes on in the background, where this shell would
    # make it and all below it deaf to interrupts.
    setsid sh -c 'exec setsid "$@"' sh sh "$0" supervise "$p" "$3" "$4" "$5" "$6" "$7" </dev/null >/dev/null 2>&1
    if await 10000 [ -s "$p/pid" ]; then answer ok; else answer broken 'it did not begin to run in 10 s'; fi
    return
  fi
  rm -rf "$p"
}

# supervise FOLDER STDIN LIMIT MILLISECONDS ROWS COLUMNS: runs one process and records how it ends.
supervise() {
  cd "$1" || exit
  answer $$ >supervisor
  answer "$3" >limit
  mkfifo 1.pipe 2.pipe 0.pipe closing
  spool 1 "$3" &
  out=$!
  spool 2 "$3" &
  err=$!
  holder= timer=
  if [ "$2" = open ]; then
    # Whoever holds both ends keeps the reader from seeing the end, until a line says that this was all.
    (exec 8<>0.pipe && read -r line <closing) &
    holder=$!
  else
    : >closed
  fi
  if [ "$4" != 0 ]; then
    setsid sh "$0" expire "$1" "$4" &
    timer=$!
  fi
  input=/dev/null
  [ "$2" != open ] || input=0.pipe
  # A shell says on its own standard error that a signal ended what it ran; that tells 137 from `kill -9`.
  exec 2>told
  if [ "$5" != 0 ]; then
    SHELL=/bin/sh script -q -e -c "exec sh '$0' terminal '$1' $5 $6" /dev/null <"$input" >1.pipe 2>2.pipe
    [ ! -s code ] || read -r code <code
    code=${code:-255}
  else
    # In a shell of its own: this one would say it where it has led the standard error of the command.
    (exec setsid sh run <"$input" >1.pipe 2>2.pipe)
    code=$?
  fi
  exec 2>/dev/null
  : >closed
  [ -z "$holder" ] || kill "$holder"
  [ -z "$timer" ] || kill -s KILL -- "-$timer"
  # What it wrote last is still on its way, unless it left somebody behind who goes on writing.
  await 300 ended
  if [ -e expired ]; then
    result=timeout
  elif [ "$code" -gt 128 ] && [ -s told ]; then
    result="signal $((code - 128))"
  elif [ "$code" -gt 128 ] && [ -e "signalled.$((code - 128))" ]; then
    # Shells keep silent about interrupts.
    result="signal $((code - 128))"
  else
    result="code $code"
  fi
  answer "$result" >exit.new
  mv exit.new exit
  wait "$out" "$err"
}

ended() { [ -e 1.end ] && [ -e 2.end ]; }

# terminal FOLDER ROWS COLUMNS: what runs inside of a terminal.
terminal() {
  trap : INT QUIT HUP TERM
  cd "$1" || exit
  stty rows "$2" cols "$3" </dev/tty
  tty >tty
  exec 3>&1 2>told
  (exec sh run 2>&3 3>&-)
  answer $? >code
}

# expire FOLDER MILLISECONDS: ends a process when its time is up.
expire() {
  pause "$2"
  : >"$1/expired"
  reach KILL "${1##*/}"
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

# write NAME BYTES END: passes on what comes on the standard input.
write() {
  known "$1" || return
  p=$folder/p/$1
  if [ -e "$p/closed" ] || ! supervised "$1"; then
    answer closed
    return
  fi
  if [ "$2" != 0 ]; then
    head -c "$2" >"$p/0.pipe" || {
      answer closed
      return
    }
  fi
  if [ "$3" = 1 ]; then
    : >"$p/closed"
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

# project NAME SOURCE: shows a folder of the app's machine; it comes as an archive on the standard input.
project() {
  p=$folder/projects/$1
  if [ -e "$p" ]; then
    [ "$(cat "$p.source"; printf x)" = "$2"x ] && answer ok || answer taken
    return
  fi
  rm -rf "$p.new"
  mkdir "$p.new"
  if tar -xf - -C "$p.new"; then
    printf %s "$2" >"$p.source"
    chmod -R a-w "$p.new"
    mv "$p.new" "$p"
    answer ok
  else
    rm -rf "$p.new"
    answer broken 'it could not be unpacked there'
  fi
}

# hold NAME: holds the sandbox while lines come on the standard input. `bye` lets go; the end of the input does, too,
# but the sandbox lingers then.
hold() {
  lease=$folder/leases/$1
  count=0
  answer $count >"$lease"
  answer ok
  while read -r word; do
    if [ "$word" = bye ]; then
      rm -f "$lease"
      end_if_last
      answer ok
      return
    fi
    count=$((count + 1))
    answer "$count" >"$lease"
  done
  rm -f "$lease"
}

end_if_last() {
  [ -z "$(ls "$folder/leases")" ] || return
  : >"$folder/ending"
  # The keeper sleeps; this wakes it.
  read -r pid <"$folder/keeper" && kill -s USR1 "$pid" 2>/dev/null
}

# keep SECONDS SILENCE: ends the sandbox when nobody has held it for so many seconds, or when it is told to. An app that
# was silent for so many seconds holds it no longer.
keep() {
  trap '' HUP INT
  trap : USR1
  trap ': >"$folder/ending"' TERM
  mkdir -p "$folder/leases" "$folder/p" "$folder/projects"
  answer $$ >"$folder/keeper"
  alone=0 seen= quiet=0
  while [ ! -e "$folder/ending" ]; do
    sleep 1 &
    wait $!
    now=$(cd "$folder/leases" && set +f && cat -- * 2>/dev/null)
    if [ -z "$now" ]; then alone=$((alone + 1)); else alone=0; fi
    if [ "$now" = "$seen" ]; then quiet=$((quiet + 1)); else quiet=0; fi
    seen=$now
    # The first app has as long to come as one that is silent.
    [ -e "$folder/held" ] || [ -z "$now" ] || : >"$folder/held"
    if [ -e "$folder/held" ] && [ "$alone" -gt "$1" ]; then break; fi
    [ "$quiet" -le "$2" ] || break
  done
  take_down
}

# Ends whatever runs, then removes the folder.
take_down() {
  trap '' TERM
  rounds=0
  while [ "$rounds" -lt 50 ]; do
    found=$(marked "HELVE_SANDBOX_PROCESS=$sandbox.")
    [ -n "$found" ] || break
    for pid in $found; do kill -s KILL "$pid" 2>/dev/null; done
    rounds=$((rounds + 1))
  done
  for pid in $(marked "HELVE_SANDBOX_KEEPER=$sandbox;"); do
    [ "$pid" = $$ ] || kill -s KILL "$pid" 2>/dev/null
  done
  chmod -R u+w "$folder" 2>/dev/null
  rm -rf "$folder"
}

# end: ends the sandbox at once, and waits until it has.
end() {
  : >"$folder/ending"
  read -r pid <"$folder/keeper" && kill -s USR1 "$pid" 2>/dev/null
  await 20000 gone
  gone && answer ok || answer broken 'it did not end in 20 s'
}

gone() { [ ! -d "$folder" ]; }

operation=$1
shift
case $operation in
  start | supervise | terminal | expire | status | list | write | resize | signal | project | ground | hold | keep | end) "$operation" "$@" ;;
  read) read_output "$@" ;;
  files) . "$folder/files.sh" ;;
  *) answer broken "there is no operation $operation" ;;
esac
