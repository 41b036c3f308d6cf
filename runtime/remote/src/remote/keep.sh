# The far side of a remote sandbox: how long it lives.

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
  # However this ends, nothing is left.
  trap take_down EXIT
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
  # Who is about to end may still write.
  await 5000 swept
}

swept() {
  chmod -R u+w "$folder" 2>/dev/null
  rm -rf "$folder" 2>/dev/null
  gone
}

# end: ends the sandbox at once, and waits until it has.
end() {
  : >"$folder/ending"
  read -r pid <"$folder/keeper" && kill -s USR1 "$pid" 2>/dev/null
  await 20000 gone
  gone && answer ok || answer broken 'it did not end in 20 s'
}

gone() { [ ! -d "$folder" ]; }
