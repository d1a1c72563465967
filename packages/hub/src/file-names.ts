import { inputError, LaconicError } from "@laconic/core";

/** Rejects names that could leave their folder on any system, because repository owners choose them. */
export function checkFileName(name: string): string {
  const parts = name.split("/");
  const escapes = parts.some((part) => part === "" || part === "." || part === ".." || /^[a-z]:/i.test(part));
  if (escapes || /[\\\0]/.test(name))
    throw inputError(`expected a file name inside the folder, got ${JSON.stringify(name)}`, { file: name });
  return name;
}

export function isPattern(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** `*` and `?` match within a folder, `**` also across folders. */
export function fileMatcher(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const source = pattern.replaceAll(/\*\*\/|\*\*|\*|\?|[$()+.[\\\]^{|}]/g, (part) => {
      if (part === "**/") return "(?:.*/)?";
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      return part === "?" ? "[^/]" : `\\${part}`;
    });
    return new RegExp(`^${source}$`, "s");
  });
  return (name) => expressions.some((expression) => expression.test(name));
}

/**
 * Names that match the patterns.
 * @throws LaconicError `checkpoint_missing` for a missing plain name, or without any match
 */
export function selectFiles(names: readonly string[], patterns: readonly string[], location: string): string[] {
  const present = new Set(names);
  for (const pattern of patterns)
    if (!isPattern(pattern) && !present.has(pattern))
      throw new LaconicError("checkpoint_missing", `${location}: file ${pattern} not found`, { file: pattern });
  const selected = names.filter(fileMatcher(patterns));
  if (selected.length === 0)
    throw new LaconicError("checkpoint_missing", `${location}: no file matches ${patterns.join(", ")}`, {});
  return selected;
}
