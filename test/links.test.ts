import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { recipes, sidebar } from "../docs/.vitepress/sidebar.ts";
import { repository } from "../scripts/lib/names.mjs";
import { readText, repositoryFiles, root } from "./workspace.ts";

const pages = repositoryFiles().filter((path) => path.endsWith(".md") && !path.startsWith(".changeset/"));

/** Without what is code: there brackets are no links, and `#` begins a comment. */
function prose(path: string): string {
  const text = readText(path).replaceAll(/^(```|~~~)[^]*?^\1/gmu, "");
  return text.replaceAll(/`[^`\n]*`/gu, (code) => code.replaceAll(/[[\]()]/gu, " "));
}

function anchorsOf(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose(path).matchAll(/^#{1,6} (.*)$/gmu)) {
    const words = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
      .trim()
      .toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    let unique = slug;
    for (let i = 1; anchors.has(unique); i++) unique = `${slug}-${i}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Made while the site is built, and so on no page of the repository. */
const made = /^docs\/(api\/|public\/playground\/)/u;

/** Links of Markdown, attributes of HTML, and addresses of the site in its templates. */
const linkForms = /\]\(([^)\s]+)(?: "[^"]*")?\)|(?<!:)\b(?:href|src|srcset)="([^"\s]+)"|withBase\('([^']+)'\)/gu;

function faultOf(page: string, target: string): string | null {
  if (target.startsWith(repository)) return "is not public yet: link to the file";
  if (/^[a-z]+:/iu.test(target)) return URL.canParse(target) && !target.startsWith("http://") ? null : "is malformed";
  const [path = "", anchor = ""] = target.split("#");
  if (path.startsWith("/")) return isInSite(path) ? null : "is no page or file of the site";
  const file = path === "" ? page : normalize(join(dirname(page), path));
  if (made.test(file)) return null;
  if (!existsSync(join(root, file))) return "is not there";
  if (anchor === "" || statSync(join(root, file)).isDirectory()) return anchor === "" ? null : "is a folder";
  return anchorsOf(file).has(anchor) ? null : "has no such heading";
}

function isInSite(path: string): boolean {
  const files = [`docs/public${path}`, `docs${path}.md`, `docs${path}index.md`];
  return files.some((file) => made.test(file) || existsSync(join(root, file)));
}

test("every link and picture of every page has a target, also on GitHub", () => {
  const faults = pages.flatMap((page) =>
    [...prose(page).matchAll(linkForms)].flatMap(([, markdown, attribute, inSite]) => {
      const target = markdown ?? attribute ?? inSite ?? "";
      const fault = faultOf(page, target);
      return fault === null ? [] : [`${page}: ${target}: ${fault}`];
    }),
  );
  expect(faults).toEqual([]);
});

test("JSON blocks parse", () => {
  const blocks = pages.flatMap((page) =>
    [...readText(page).matchAll(/^```(json|jsonl)\n(.*?)^```$/gmsu)].flatMap(([, kind, text = ""]) =>
      (kind === "jsonl" ? text.trim().split("\n") : [text]).map((json) => ({ page, json })),
    ),
  );
  const malformed = blocks.filter(({ json }) => {
    try {
      return JSON.parse(json) === undefined;
    } catch {
      return true;
    }
  });
  expect(blocks.length).toBeGreaterThan(0);
  expect(malformed).toEqual([]);
});

test.each(recipes)("the recipe $link starts with something to run", ({ link }) => {
  const page = readText(link.endsWith("/") ? `docs${link}index.md` : `docs${link}.md`);
  expect(page.split("\n").slice(2, 4)).toEqual(["```sh", expect.stringMatching(/^npm run -s laconic -- /u)]);
});

test("every page of the site is in the sidebar or its folder's index, and the sidebar has no other", () => {
  const listed = Object.values(sidebar()).flatMap((groups) =>
    groups.flatMap(({ items }) => items.map(({ link }) => link)),
  );
  const lost = pages.filter((page) => {
    const path = /^docs\/(?!public|index\.md)(.*?)(?:index)?(?:\.md)$/u.exec(page)?.[1];
    if (path === undefined || listed.includes(`/${path}`)) return false;
    const index = join(dirname(page), "index.md");
    return !pages.includes(index) || !readText(index).includes(`](./${basename(page)})`);
  });
  expect([lost, listed.filter((link) => !isInSite(link))]).toEqual([[], []]);
});

test("the README's figures equal the measured runs", () => {
  interface Ran {
    readonly before: { readonly accuracy: number; readonly tokens: number };
    readonly after: { readonly accuracy: number; readonly tokens: number };
  }
  const runs = JSON.parse(readText("docs/benchmarks/quickstart-seeds.json")) as readonly Ran[];
  const mean = (value: (run: Ran) => number): number => runs.reduce((sum, run) => sum + value(run), 0) / runs.length;
  const tokens = [mean(({ before }) => before.tokens), mean(({ after }) => after.tokens)] as const;
  const accuracy = [mean(({ before }) => before.accuracy), mean(({ after }) => after.accuracy)];
  const readme = readText("README.md").replaceAll(/\s+/gu, " ");
  expect(readme).toContain(`from ${tokens[0].toFixed(0)} to ${tokens[1].toFixed(1)} tokens`);
  expect(readme).toContain(`(${(tokens[0] / tokens[1]).toFixed(1)} times fewer`);
  expect(readme).toContain(
    `rises ${accuracy.map((share, i) => `${["from", "to"][i]} ${(100 * share).toFixed(1)} %`).join(" ")}`,
  );
});
