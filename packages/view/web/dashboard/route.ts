/** Page and settings: `#/run/ID/episodes?text=x&kind=training`. */
export interface Route {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, readonly string[]>>;
}

/** Parses an address after `#`; an empty path is the run list. */
export function parseRoute(hash: string): Route {
  const [, path = "", search = ""] = /^#?\/?([^?]*)\??(.*)$/su.exec(hash) ?? [];
  const settings = new URLSearchParams(search);
  const query = Object.fromEntries([...settings.keys()].map((name) => [name, settings.getAll(name)]));
  const parts = path.split("/").flatMap((part) => (part === "" ? [] : [decoded(part)]));
  return { path: parts.length === 0 ? ["runs"] : parts, query };
}

export function formatRoute({ path, query }: Route): string {
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(query))
    for (const value of values) if (value !== "") search.append(name, value);
  const text = search.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

export function one(route: Route, name: string): string {
  return all(route, name)[0] ?? "";
}

export function all({ query }: Route, name: string): readonly string[] {
  return query[name] ?? [];
}

/** Route with changed settings; empty text or lists remove a setting. */
export function changed(route: Route, changes: Readonly<Record<string, string | readonly string[]>>): Route {
  const query: Record<string, readonly string[]> = { ...route.query };
  for (const [name, value] of Object.entries(changes)) {
    const values = (typeof value === "string" ? [value] : value).filter((text) => text !== "");
    if (values.length === 0) delete query[name];
    else query[name] = values;
  }
  return { ...route, query };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
