# The far side of a remote sandbox: one operation, and its answer.

operation=$1
shift
case $operation in
  start | supervise | terminal | expire | status | list | write | resize | signal | project | projected | ground | hold | keep | end) "$operation" "$@" ;;
  read) read_output "$@" ;;
  files) . "$folder/files.sh" ;;
  *) answer broken "there is no operation $operation" ;;
esac
# What went wrong is in the answer.
exit 0
