#!/bin/sh
# Doxygen gives a comment behind "double x, y, z; /**< m */" to the last name alone: here each gets it. Lines keep their numbers.
exec perl -pe '
  if (m{^(\s+)((?:const )?\w+) (\*?\w+(?:\[\w+\])?(?:, \*?\w+(?:\[\w+\])?)+); *(/\*\*<.*\*/)\s*$}) {
    my ($indent, $type, $names, $doc) = ($1, $2, $3, $4);
    $_ = $indent . join(" ", map { "$type $_; $doc" } split(/, /, $names)) . "\n";
  }' "$1"
