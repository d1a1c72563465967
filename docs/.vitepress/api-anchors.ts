import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Anchors of headings as the site generates them: `### CostScope`, `### costOf()`. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of text.matchAll(/^#{1,6} (.*)$/gmu)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    let unique = slug;
    for (let i = 1; anchors.has(unique); i++) unique = `${slug}-${i}`;
    anchors.add(unique);
  }
  return anchors;
}

/**
 * Removes anchor numbers that typedoc adds to types whose lower-case name equals a member's, although the page has only
 * one such heading.
 */
export function mendApiAnchors(folder: string): void {
  if (!existsSync(folder)) return;
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"));
  const texts = new Map(paths.map((path) => [join(folder, path), readFileSync(join(folder, path), "utf8")]));
  const anchors = new Map([...texts].map(([path, text]) => [path, anchorsOf(text)]));
  for (const [path, text] of texts) {
    const mended = text.replaceAll(/\]\(([^)#\s]*)#([\w-]+)-\d+\)/gu, (link, target: string, slug: string) => {
      const known = anchors.get(target === "" ? path : join(dirname(path), target));
      const numbered = /#([^)]*)\)$/u.exec(link)?.[1] ?? "";
      return known === undefined || known.has(numbered) || !known.has(slug) ? link : `](${target}#${slug})`;
    });
    if (mended !== text) writeFileSync(path, mended);
  }
}
