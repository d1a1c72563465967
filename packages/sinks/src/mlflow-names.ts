/** Most characters of a name. */
const maxCharacters = 250;

/**
 * Names as every MLflow takes them, on Windows too: letters, digits, `_ - . /` and spaces, and none that would lead out of a folder.
 * Two names of ours are two there: the second of those that would be the same gets a number.
 */
export function mlflowNames(): (name: string) => string {
  const owners = new Map<string, string>();
  return (name) => {
    for (let copy = 1; ; copy++) {
      const end = copy === 1 ? "" : `_${copy}`;
      // What a cut leaves of the last part may need a character more.
      const tried = plain(plain(name).slice(0, maxCharacters - 1 - end.length) + end);
      const owner = owners.get(tried) ?? name;
      owners.set(tried, owner);
      if (owner === name) return tried;
    }
  };
}

function plain(name: string): string {
  return name
    .replaceAll(/[^\p{L}\p{Nd}_\-. /]/gu, "_")
    .split("/")
    .map((part) => (/^\.*$/u.test(part) ? `_${part.replaceAll(".", "_")}` : part))
    .join("/");
}
