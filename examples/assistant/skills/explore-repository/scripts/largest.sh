#!/bin/sh
# Lists the largest files below the working folder with their sizes in bytes, the largest first.
find . -type f ! -path '*/.git/*' ! -path '*/target/*' -exec wc -c {} + |
  awk '$2 != "total" { print $1, $2 }' | sort -rn | head -n "${1:-10}"
