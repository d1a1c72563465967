/** The known name with the fewest edits, if close enough for a typo. */
export function nearestName(name: string, knownNames: readonly string[]): string | undefined {
  const ranked = knownNames
    .map((text) => ({ text, edits: editDistance(name, text) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best && best.edits <= Math.max(2, Math.floor(name.length / 3)) ? best.text : undefined;
}

/** Advice on an unknown name: the nearest known one, or all. */
export function nameHint(name: string, knownNames: readonly string[]): string {
  const near = nearestName(name, knownNames);
  return near === undefined ? `use one of: ${knownNames.join(", ")}` : `did you mean ${near}?`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
