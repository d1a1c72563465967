// What a changeset is in a package's CHANGELOG.md: its text, without the commit that brought it.

/** A changeset's line: its text, further lines indented to be part of it. */
export function getReleaseLine({ summary }) {
  const [first, ...rest] = summary.trim().split("\n");
  return [`- ${first.trimEnd()}`, ...rest.map((line) => (line.trim() === "" ? "" : `  ${line.trimEnd()}`))].join("\n");
}

/** The line about packages of this repository that it goes with; a first release has none before it. */
export function getDependencyReleaseLine(_, updated) {
  const names = updated
    .filter(({ oldVersion }) => oldVersion !== "0.0.0")
    .map(({ name, newVersion }) => `\`${name}\` ${newVersion}`);
  return names.length === 0 ? "" : `- Goes with ${names.join(", ")}.`;
}
