// What Lighthouse says of pages that are served already: a score for each category, and the audits below 0.9.
//   npx laconic playground --port 4599 &  npx laconic view RUNS --port 4600 &
//   npx tsx bench/src/pages/lighthouse.ts http://127.0.0.1:4599/ http://127.0.0.1:4600/
// Lighthouse comes from npm when it is asked for: 150 packages that nothing else here needs. CHROME_PATH names the browser.
import { execFileSync } from "node:child_process";
import { machine, print } from "../measure.ts";
import { readWords } from "../options.ts";

const lighthouse = "lighthouse@12.8.2";
const categories = ["performance", "accessibility", "best-practices", "seo"];

interface Report {
  readonly categories: Readonly<
    Record<
      string,
      { readonly score: number; readonly auditRefs: readonly { readonly id: string; readonly weight: number }[] }
    >
  >;
  readonly audits: Readonly<Record<string, { readonly score: number | null }>>;
}

const urls = readWords();
print("machine", machine());
for (const url of urls) {
  const report = JSON.parse(
    execFileSync(
      "npx",
      [
        "--yes",
        lighthouse,
        url,
        "--quiet",
        "--output=json",
        `--only-categories=${categories.join(",")}`,
        "--chrome-flags=--headless=new --no-sandbox",
      ],
      { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 2 ** 28 },
    ),
  ) as Report;
  const scores = Object.entries(report.categories).map(([name, { score }]) => [name, Math.round(100 * score)] as const);
  const below = Object.values(report.categories)
    .flatMap(({ auditRefs }) => auditRefs)
    .filter(({ id, weight }) => weight > 0 && (report.audits[id]?.score ?? 1) < 0.9)
    .map(({ id }) => id);
  print("lighthouse", { path: new URL(url).pathname, ...Object.fromEntries(scores), below });
}
