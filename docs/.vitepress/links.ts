import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Built page: address below the base, element ids, and addresses that it links to or loads. */
interface Page {
  readonly path: string;
  readonly ids: ReadonlySet<string>;
  readonly targets: readonly string[];
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">",
};
const plain = (text: string): string =>
  text.replaceAll(/&(?:amp|quot|#39|lt|gt);/gu, (entity) => entities[entity] ?? "");

/** `guide/index.html` is `/guide/`, `guide/start.html` is `/guide/start`. */
function addressOf(file: string): string {
  return `/${file.replace(/(^|\/)index\.html$/u, "$1").replace(/\.html$/u, "")}`;
}

function readPage(folder: string, file: string): Page {
  // Scripts and styles contain no links.
  const html = readFileSync(join(folder, file), "utf8").replaceAll(/<(script|style)\b[^>]*>.*?<\/\1>/gsu, "");
  const values = (pattern: RegExp): string[] => [...html.matchAll(pattern)].map(([, value]) => plain(value ?? ""));
  return {
    path: addressOf(file),
    ids: new Set(values(/\sid="([^"]*)"/gu)),
    targets: [...new Set(values(/\s(?:href|src|poster)="([^"]*)"/gu))],
  };
}

function wellFormed(target: string): boolean {
  return (
    URL.canParse(target) &&
    /^(https:\/\/[\w.-]+\.[a-z]+(?:[/?#]\S*)?|mailto:\S+@\S+|data:(?:,|image\/\S+))$/u.test(target)
  );
}

/** Target page and anchor of a link; null for links to other sites. */
function resolve(page: Page, target: string, base: string): { path: string; anchor: string } | null {
  if (/^[a-z]+:/iu.test(target)) return null;
  const { pathname, hash } = new URL(target, `http://site${base}${page.path.slice(1)}`);
  const inside = pathname.startsWith(base) ? `/${pathname.slice(base.length)}` : pathname;
  const path = decodeURIComponent(inside).replace(/\.html$/u, "");
  return { path: path.replace(/(^|\/)index$/u, "$1"), anchor: decodeURIComponent(hash.slice(1)) };
}

/**
 * Broken links, anchors, images and frames of a built site, and pages that neither the sidebar nor their folder's index
 * links to, as `page: target: reason`. Addresses of other sites are checked only for their form, without network
 * requests.
 */
export function linkFaults(folder: string, base: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  const read = files
    .filter((file) => file.endsWith(".html") && file !== "404.html")
    .map((file) => readPage(folder, file));
  const pages = new Map(read.map((page) => [page.path, page] as const));
  const faultOf = (page: Page, target: string): string | null => {
    const place = resolve(page, target, base);
    if (place === null) return wellFormed(target) ? null : "is no address of another site";
    const found = pages.get(place.path) ?? pages.get(`${place.path}/`);
    if (found === undefined) return files.includes(place.path.slice(1)) ? null : "is not there";
    return place.anchor === "" || found.ids.has(place.anchor) ? null : "has no such anchor";
  };
  const dead = new Map<string, string[]>();
  for (const page of read)
    for (const target of page.targets) {
      const fault = faultOf(page, target);
      if (fault !== null) dead.set(`${target}: ${fault}`, [...(dead.get(`${target}: ${fault}`) ?? []), page.path]);
    }
  const leadsTo = (path: string): ReadonlySet<string | undefined> => {
    const page = pages.get(path);
    return new Set(page?.targets.map((target) => resolve(page, target, base)?.path));
  };
  // The sidebar of the guide or an index in it shows every page except the front page.
  const shown = leadsTo("/start");
  const indexOf = (path: string): string => {
    const above = path.slice(0, path.replace(/\/$/u, "").lastIndexOf("/") + 1);
    return above === "/" || pages.has(above) ? above : indexOf(above);
  };
  const lost = read
    .map(({ path }) => path)
    .filter((path) => !/^\/(playground\/)?$/u.test(path) && !shown.has(path) && !leadsTo(indexOf(path)).has(path));
  const told = ([fault, at]: readonly [string, readonly string[]]): string =>
    `${at[0]}${at.length > 1 ? ` and ${at.length - 1} more pages` : ""}: ${fault}`;
  return [...[...dead].map(told), ...lost.map((path) => `${path}: no sidebar and no index leads there`)];
}
