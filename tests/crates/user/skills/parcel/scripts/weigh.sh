#!/bin/sh
# Adds the weights up.
sum=0
for weight in "$@"; do sum=$((sum + weight)); done
echo "$sum grams, says the scale of $(basename "$SKILL_DIR")"
