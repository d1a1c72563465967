/** Where one is: `#/run/ID/episodes?text=x&kind=training`. Everything that a view can be set to stands in it. */
export interface Route {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, readonly string[]>>;
}

/** Reads the part of an address after `#`; what makes no sense is the list of runs. */
export function parseRoute(hash: string): Route {
  const [path, search] = splitOnce(hash.replace(/^#?\/?/u, ""), "?");
  const given = new URLSearchParams(search);
  const query = Object.fromEntries([...given.keys()].map((name) => [name, given.getAll(name)]));
  const parts = path.split("/").flatMap((part) => (part === "" ? [] : [decoded(part)]));
  return { path: parts.length === 0 ? ["runs"] : parts, query };
}

/** The address of a route; empty values are left out. */
export function formatRoute({ path, query }: Route): string {
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(query))
    for (const value of values) if (value !== "") search.append(name, value);
  const text = search.toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** First value of a name, or nothing. */
export function one(route: Route, name: string): string {
  return all(route, name)[0] ?? "";
}

/** All values of a name. */
export function all({ query }: Route, name: string): readonly string[] {
  return query[name] ?? [];
}

/** The same place with some settings changed; an empty text or list takes one out. */
export function changed(route: Route, changes: Readonly<Record<string, string | readonly string[]>>): Route {
  const query: Record<string, readonly string[]> = { ...route.query };
  for (const [name, value] of Object.entries(changes)) {
    const values = (typeof value === "string" ? [value] : value).filter((each) => each !== "");
    if (values.length === 0) delete query[name];
    else query[name] = values;
  }
  return { ...route, query };
}

function splitOnce(text: string, at: string): readonly [string, string] {
  const index = text.indexOf(at);
  return index === -1 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
