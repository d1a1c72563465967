import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { linkFaults } from "../docs/.vitepress/links.ts";
import { recipes } from "../docs/.vitepress/sidebar.ts";
import { repository } from "../scripts/lib/names.mjs";
import { readText, repositoryFiles, root } from "./workspace.ts";

const pages = repositoryFiles().filter((path) => path.endsWith(".md") && !path.startsWith(".changeset/"));

/** Without what is code: there brackets are no links, and `#` begins a comment. */
function prose(path: string): string {
  const text = readText(path).replaceAll(/^(```|~~~)[^]*?^\1/gmu, "");
  return text.replaceAll(/`[^`\n]*`/gu, (code) => code.replaceAll(/[[\]()]/gu, " "));
}

/** The places of a page as GitHub names them. */
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

function faultOf(page: string, target: string): string | null {
  if (target.startsWith(repository)) return "is not public yet: link to the file";
  if (/^[a-z]+:/iu.test(target)) return URL.canParse(target) && !target.startsWith("http://") ? null : "is malformed";
  const [path = "", anchor = ""] = target.split("#");
  if (path.startsWith("/")) return existsSync(join(root, "docs/public", path)) ? null : "is no file of docs/public";
  const file = path === "" ? page : normalize(join(dirname(page), path));
  if (made.test(file)) return null;
  if (!existsSync(join(root, file))) return "is not there";
  if (anchor === "" || statSync(join(root, file)).isDirectory()) return anchor === "" ? null : "is a folder";
  return anchorsOf(file).has(anchor) ? null : "has no such heading";
}

test("every link and picture of every page has a target, also on GitHub", () => {
  const faults = pages.flatMap((page) =>
    [...prose(page).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/gu)].flatMap(([, target = ""]) => {
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

describe("the check of the built site", () => {
  function faultsOf(files: Readonly<Record<string, string>>, base = "/"): readonly string[] {
    const folder = mkdtempSync(join(tmpdir(), "laconic-site-"));
    try {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      return linkFaults(folder, base);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const start = `<h1 id="start">Start</h1><a href="/guide/">guide</a>`;
  const site = { "index.html": `<a href="/start#start">x</a>`, "start.html": start };

  test("passes a complete site", () => {
    const guide = `<a href="./a#b&amp;c">a</a> <a href="#here" id="here">x</a> <img src="/p.svg"> <a href="https://x.org/a?b#c">x</a>`;
    const whole = { ...site, "guide/index.html": guide, "guide/a.html": `<p id="b&amp;c">`, "p.svg": "<svg/>" };
    expect(faultsOf(whole)).toEqual([]);
  });

  test.each([
    [`<a href="./b">b</a>`, "/guide/: ./b: is not there"],
    [`<a href="/start#end">b</a>`, "/guide/: /start#end: has no such anchor"],
    [`<a href="#end">b</a>`, "/guide/: #end: has no such anchor"],
    [`<img src="/p.svg">`, "/guide/: /p.svg: is not there"],
    [`<iframe src="/playground/index.html">`, "/guide/: /playground/index.html: is not there"],
    [`<a href="http://x.org">b</a>`, "/guide/: http://x.org: is no address of another site"],
    [`<a href="javascript:alert(1)">b</a>`, "/guide/: javascript:alert(1): is no address of another site"],
  ])("finds %s", (guide, fault) => {
    expect(faultsOf({ ...site, "guide/index.html": guide })).toEqual([fault]);
  });

  test("finds an unlinked page", () => {
    const lost = { ...site, "guide/index.html": "", "guide/a.html": `<a href="/guide/a">myself</a>` };
    expect(faultsOf(lost)).toEqual(["/guide/a: no sidebar and no index leads there"]);
  });

  test("supports a site in a folder of its host", () => {
    const below = {
      "index.html": `<a href="/laconic/start">x</a><a href="/other">y</a>`,
      "start.html": "",
    };
    expect(faultsOf(below, "/laconic/")).toEqual(["/: /other: is not there"]);
  });
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
