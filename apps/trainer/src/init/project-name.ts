import { basename, resolve } from "node:path";

/** As npm takes it: lower case, nothing that a URL would escape, with or without a scope. */
const valid = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/u;

/** Names that npm keeps for itself, and those of what a project installs: npm would take it for the package. */
const taken: ReadonlySet<string> = new Set(["node_modules", "favicon.ico", "laconic", "tsx", "typescript"]);

const longest = 214;

/** Why npm would refuse a name of a package; null for one that it takes. */
export function nameProblem(name: string): string | null {
  if (name.length > longest) return `it has ${name.length} characters, at most ${longest} are allowed`;
  if (taken.has(name) || name.startsWith("@laconic/")) return "it is another package's";
  return valid.test(name) ? null : "npm allows lower-case letters, digits and . _ - behind a letter or digit";
}

/** A name that npm takes, as close to the folder's as can be. */
export function nameOf(folder: string): string {
  const name = basename(resolve(folder))
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9._~-]+/gu, "-")
    .replaceAll(/^[._-]+|[._-]+$/gu, "")
    .slice(0, longest - "-team".length);
  if (nameProblem(name) === null) return name;
  return nameProblem(`${name}-team`) === null && name !== "" ? `${name}-team` : "laconic-team";
}
