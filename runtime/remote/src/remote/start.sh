# The far side of a remote sandbox: how a process starts, and what stays beside it until it has ended.

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
      answer absent "there is no program of this name in the folders of PATH ($2)"
      return 1
      ;;
  esac
  if [ ! -e "$1" ]; then
    answer absent 'there is no such file'
  elif [ -d "$1" ]; then
    answer missing 'it is a folder'
  elif [ ! -x "$1" ]; then
    answer missing 'the file may not be executed'
  else
    return 0
  fi
  return 1
}

# Takes so many bytes from the standard input before anything is answered: an engine may lose the answer of who leaves
# something unread. Sets `arrived`, the file that holds them.
arrive() {
  arrived=$folder/arrived.$$
  head -c "$1" >"$arrived"
  [ "$(stat -c %s "$arrived")" != "$1" ] || return 0
  rm -f "$arrived"
  answer broken 'what was sent did not arrive in full'
  return 1
}

# start NAME BYTES STDIN LIMIT MILLISECONDS ROWS COLUMNS FOLDER PATH PROGRAM NONCE: the rest comes on the standard input.
# Whoever asks again with the same nonce asks for the same process.
start() {
  p=$folder/p/$1
  arrive "$2" || return
  if ! mkdir "$p" 2>/dev/null; then
    rm -f "$arrived"
    [ ! -d "$p" ] || await 10000 [ -s "$p/nonce" ]
    if [ ! -d "$p" ]; then
      answer broken 'its private folder cannot be written'
    elif [ "$(cat "$p/nonce" 2>/dev/null)" = "${11}" ]; then
      began "$p"
    else
      answer exists
    fi
    return
  fi
  answer "${11}" >"$p/nonce"
  mv "$arrived" "$p/run"
  if ! cd "$8" 2>/dev/null; then
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
    began "$p"
    return
  fi
  rm -rf "$p"
}

began() {
  if await 10000 [ -s "$1/pid" ]; then answer ok; else answer broken 'it did not begin to run in 10 s'; fi
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
    : >terminal
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
