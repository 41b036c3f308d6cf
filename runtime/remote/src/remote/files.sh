# The far side of a remote sandbox: files. It is read by far.sh for `files OPERATION ROOT …`.
#
# Paths are absolute. A failure is one line, its name and the number of the change it is about, then bytes that say more.
umask 022
operation=$1 root=$2
shift 2
number=0

fail() {
  answer "$1 $number"
  printf %s "${2-}"
  return 1
}

# Follows all links of what exists: sets `real`.
follow() {
  real=$(readlink -f -- "$1" 2>/dev/null && printf x)
  # The line break is readlink's, the letter keeps those that belong to the name.
  real=${real%??}
  if [ -z "$real" ]; then
    fail link
  else
    inside "$real"
  fi
}

inside() {
  case $1/ in
    "${root%/}"/*) ;;
    *) fail outside ;;
  esac
}

# Finds what is at a path: sets `real`.
locate() {
  if [ -e "$1" ]; then
    follow "$1"
  elif [ -L "$1" ]; then
    # It leads nowhere, or out, or in a circle.
    follow "$1" && fail absent "$1"
  else
    head=${1%/*} missing=$1
    until [ -e "$head" ] || [ -L "$head" ] || [ -z "$head" ]; do
      missing=$head head=${head%/*}
    done
    head=${head:-/}
    follow "$head" || return
    if [ -e "$real" ] && [ ! -d "$real" ]; then
      fail not_directory
    elif [ ! -d "$real" ]; then
      fail absent "$missing"
    elif [ ! -x "$real" ]; then
      fail denied
    else
      fail absent "$missing"
    fi
  fi
}

# Finds where a path leads that need not exist: sets `real`, and `base`, the folder above it that exists.
place() {
  below= head=$1
  until [ -e "$head" ] || [ -L "$head" ]; do
    case ${head##*/} in .. | .)
      fail absent "$head"
      return
      ;;
    esac
    below=/${head##*/}$below head=${head%/*}
  done
  follow "$head" || return
  if [ -n "$below" ]; then
    base=$real
    if [ ! -d "$base" ]; then
      fail not_directory
      return
    fi
    real=${base%/}$below
  else
    base=${real%/*}
    base=${base:-/}
    # A link that leads to nothing: what is written through it comes into being there.
    [ -d "$base" ] || fail absent "$base"
  fi
}

describe() { stat -c '%f %s %Y %i-%s-%y-%z' -- "$1"; }

version() { stat -c '%i-%s-%y-%z' -- "$1" 2>/dev/null; }

# Tells whether something is a regular file that can be read.
regular() {
  if [ -d "$1" ]; then
    fail directory
  elif [ ! -f "$1" ]; then
    fail special "$(stat -c %f -- "$1")"
  elif [ ! -r "$1" ]; then
    fail denied
  fi
}

# list ROOT PATH LIMIT
list_names() {
  if [ ! -d "$1" ]; then
    fail not_directory
    return
  fi
  if ! cd "$1" 2>/dev/null || [ ! -r . ]; then
    fail denied
    return
  fi
  answer ok
  count=0
  set +f
  for name in .[!.]* ..?* *; do
    if [ -L "$name" ]; then
      kind=l
    elif [ -f "$name" ]; then
      kind=f
    elif [ -d "$name" ]; then
      kind=d
    elif [ -p "$name" ]; then
      kind=p
    elif [ -S "$name" ]; then
      kind=s
    elif [ -c "$name" ]; then
      kind=c
    elif [ -b "$name" ]; then
      kind=b
    elif [ -e "$name" ]; then
      kind=o
    else
      continue
    fi
    count=$((count + 1))
    [ "$count" -le "$2" ] || break
    printf '%s%s\000' "$kind" "$name"
  done
}

# read PATH OFFSET MAX
read_bytes() {
  answer "ok $(stat -c %s -- "$1")"
  {
    # Whole blocks are sought, the rest is read away.
    if [ "$2" -ge 65536 ]; then
      dd if="$1" bs=65536 skip=$(($2 / 65536)) 2>/dev/null
    else
      cat -- "$1"
    fi
  } 2>/dev/null | tail -c "+$(($2 % 65536 + 1))" | head -c "$3"
}

# Reads what nobody wants: an engine may lose the answer of who leaves something unread.
unread() { head -c "$1" >/dev/null; }

# stage PATH NONCE BYTES: takes new contents from the standard input, into a file beside their place.
stage() {
  place "$1" || {
    unread "$3"
    return
  }
  if [ -d "$real" ]; then
    unread "$3"
    fail directory
    return
  elif [ -e "$real" ] && [ ! -f "$real" ]; then
    unread "$3"
    fail special "$(stat -c %f -- "$real")"
    return
  fi
  new=${base%/}/.helve-$2
  if ! (: >"$new") 2>/dev/null; then
    unread "$3"
    fail denied
    return
  fi
  if ! head -c "$3" | dd of="$new" bs=65536 conv=fsync 2>/dev/null; then
    rm -f -- "$new"
    fail full
  elif [ "$(stat -c %s -- "$new")" != "$3" ]; then
    rm -f -- "$new"
    fail broken 'the new contents did not arrive in full'
  else
    if [ -f "$real" ]; then
      chmod "$(stat -c %a -- "$real")" "$new"
      # Only a privileged user can give files away.
      chown "$(stat -c %u:%g -- "$real")" "$new" 2>/dev/null
    fi
    answer ok
    printf %s "$new"
  fi
}

# Makes the folders above a path: sets `made`, the topmost of them.
make_above() {
  made= above=${1%/*}
  until [ -d "${above:-/}" ]; do
    made=$above above=${above%/*}
  done
  [ -z "$made" ] || mkdir -p -- "${1%/*}" 2>/dev/null || fail denied
}

# Removes the folders that were made above a path.
unmake_above() {
  [ -n "$2" ] || return 0
  above=${1%/*}
  while rmdir -- "$above" 2>/dev/null; do
    [ "$above" != "$2" ] || break
    above=${above%/*}
  done
}

# Checks when a change may be made: CONDITION VERSION.
allowed() {
  case $1 in
    absent) if [ -e "$real" ] || [ -L "$real" ]; then fail exists; fi ;;
    unchanged) [ "$(version "$real")" = "$2" ] || fail changed ;;
  esac
}

# Makes changes, each five words (KIND PATH OTHER CONDITION VERSION), all or none.
change() {
  [ $# -gt 0 ] || return 0
  local real base made backup target kind
  number=$((number + 1)) kind=$1 backup= made=
  case $kind in
    write)
      place "$2" && allowed "$4" "$5" || return
      target=$real
      if [ -f "$target" ]; then
        backup=${target%/*}/.helve-$nonce.$number
        ln -- "$target" "$backup" 2>/dev/null || cp -p -- "$target" "$backup" 2>/dev/null || {
          fail denied
          return
        }
      fi
      make_above "$target" || return
      # A link is made only where nothing is, in one step; some file systems know none.
      if [ "$4" = absent ] && ln -- "$3" "$target" 2>/dev/null; then
        rm -f -- "$3"
      elif [ "$4" = absent ] && { [ -e "$target" ] || [ -L "$target" ]; }; then
        unmake_above "$target" "$made"
        fail exists
        return
      elif ! mv -fT -- "$3" "$target" 2>/dev/null; then
        unmake_above "$target" "$made"
        [ -z "$backup" ] || rm -f -- "$backup"
        fail denied
        return
      fi
      ;;
    remove)
      locate "$2" || return
      target=$real
      if [ -d "$target" ]; then
        allowed "$4" "$5" || return
        results="$results$(describe "$target")
"
        if ! rmdir -- "$target" 2>/dev/null; then
          if [ -z "$(ls -A -- "$target" 2>/dev/null)" ]; then fail denied; else fail not_empty; fi
          return
        fi
      else
        # The name goes, not what a link of that name leads to.
        target=$(name_of "$2" && printf x)
        target=${target%x}
        allowed "$4" "$5" || return
        results="$results$(describe "$real")
"
        backup=${target%/*}/.helve-$nonce.$number
        mv -fT -- "$target" "$backup" 2>/dev/null || {
          backup=
          fail denied
          return
        }
      fi
      ;;
    rename)
      locate "$2" && allowed "$4" "$5" || return
      backup=$(name_of "$2" && printf x)
      backup=${backup%x}
      place "$3" || return
      target=$real
      if [ -e "$target" ] || [ -L "$target" ]; then
        fail exists
        return
      fi
      make_above "$target" || return
      mv -T -- "$backup" "$target" 2>/dev/null || {
        unmake_above "$target" "$made"
        fail denied
        return
      }
      ;;
  esac
  [ "$kind" = remove ] || results="$results$(describe "$target")
"
  shift 5
  if change "$@"; then
    [ "$kind" = rename ] || [ -z "$backup" ] || rm -f -- "$backup"
    return 0
  fi
  if [ -n "$backup" ] && [ "$kind" = rename ]; then
    mv -T -- "$target" "$backup"
  elif [ -n "$backup" ]; then
    mv -fT -- "$backup" "$target"
  elif [ "$kind" = remove ]; then
    mkdir -- "$target"
  else
    rm -f -- "$target"
  fi 2>/dev/null
  unmake_above "$target" "$made"
  return 1
}

# Prints a path of which all but the last name is followed.
name_of() {
  above=$(readlink -f -- "${1%/*}/" && printf x)
  above=${above%??}
  printf '%s/%s' "${above%/}" "${1##*/}"
}

# apply NONCE CHANGE…
apply() {
  nonce=$1 results=
  shift
  if change "$@"; then
    answer ok
    printf %s "$results"
  fi
}

# discard FILE…: removes what was staged.
discard() {
  for file; do
    case $file in */.helve-*) rm -f -- "$file" ;; esac
  done
  answer ok
}

make_folder() {
  place "$1" || return
  if [ -d "$real" ]; then
    answer ok
  elif [ -e "$real" ]; then
    fail not_directory
  elif mkdir -p -- "$real" 2>/dev/null; then
    answer ok
  else
    fail denied
  fi
}

remove_tree() {
  locate "$1" || return
  if [ ! -d "$real" ]; then
    fail not_directory
  elif [ "$real" = "$root" ]; then
    fail root
  elif rm -rf -- "$real" 2>/dev/null; then
    answer ok
  else
    fail denied
  fi
}

pack() {
  locate "$1" || return
  if [ ! -d "$real" ]; then
    fail not_directory
    return
  fi
  cd "$real" || return
  answer ok
  # Many names make several archives, one after another.
  find . \( -type f -o -type d -o -type l \) | sort | tr '\n' '\000' | xargs -0 tar -cf - --no-recursion -- || exit 1
}

# unpack PATH NONCE: the archive comes on the standard input. It goes into a folder of its own first, so that no link
# that is there already leads it elsewhere.
unpack() {
  place "$1" || return
  if [ -e "$real" ] && [ ! -d "$real" ]; then
    fail not_directory
    return
  fi
  made=${base%/}/.helve-$2
  # What is above a root may not be writable.
  [ ! -d "$real" ] || made=${real%/}/.helve-$2
  if ! mkdir -- "$made" 2>/dev/null; then
    fail denied
    return
  fi
  if ! tar -xf - -C "$made" 2>/dev/null; then
    fail broken 'it could not be unpacked'
  elif ! (cd "$made" && find . -type d) | way_is_free; then
    fail link
  elif mkdir -p -- "$real" 2>/dev/null && cp -af -- "$made/." "$real/" 2>/dev/null; then
    answer ok
  else
    fail denied
  fi
  chmod -R u+rwX -- "$made" 2>/dev/null
  rm -rf -- "$made"
}

# Looks whether any of the folders named on the standard input is a link where it is to go.
way_is_free() {
  while read -r name; do
    [ ! -L "$real/$name" ] || return 1
  done
}

case $operation in
  resolve) locate "$1" && answer ok && printf %s "$real" ;;
  stat) locate "$1" && printf 'ok ' && describe "$real" ;;
  read) locate "$1" && regular "$real" && read_bytes "$real" "$2" "$3" ;;
  list) locate "$1" && list_names "$real" "$2" ;;
  stage | apply | discard | unpack | pack) "$operation" "$@" ;;
  create) make_folder "$1" ;;
  remove) remove_tree "$1" ;;
  *) fail broken "there is no operation $operation" ;;
esac
# What went wrong is in the answer.
exit 0
