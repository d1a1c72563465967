// Writes changesets to a package's CHANGELOG.md without their commits.

export function getReleaseLine({ summary }) {
  const [first, ...rest] = summary.trim().split("\n");
  return [`- ${first.trimEnd()}`, ...rest.map((line) => (line.trim() === "" ? "" : `  ${line.trimEnd()}`))].join("\n");
}

export function getDependencyReleaseLine(_, updated) {
  const names = updated
    .filter(({ oldVersion }) => oldVersion !== "0.0.0")
    .map(({ name, newVersion }) => `\`${name}\` ${newVersion}`);
  return names.length === 0 ? "" : `- Goes with ${names.join(", ")}.`;
}
