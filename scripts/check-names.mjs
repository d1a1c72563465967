// npm run check:names: asks the npm registry about every package that pages, templates and messages name. Fails on a
// package of our scope in another repository, and on a package that no manifest here names.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endChecks, tell } from "./lib/checks.mjs";
import { publishedFolders } from "./lib/pack.mjs";
import { repository, scope } from "./lib/names.mjs";
import { root } from "./lib/root.mjs";
import { run } from "./lib/run.mjs";

const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.(md|ts|tsx|mjs|json)$/u.test(file) && !/\.test\.|(^|\/)test\/|CHANGELOG/u.test(file));
const manifests = [...publishedFolders(), root, ...["docs", "examples", "bench"].map((name) => join(root, name))].map(
  (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
);
const ours = new Set(manifests.map(({ name }) => name));
const known = new Set(
  manifests.flatMap(({ dependencies, devDependencies, peerDependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies, ...optionalDependencies }),
  ),
);

const places = new Map();
const note = (word, file) => {
  const name = word.replace(/(?<=.)@[\w.^-]+$/u, "");
  if (/^(@[\w-]+\/)?[a-z][\w.-]*$/u.test(name) && !places.has(name)) places.set(name, file);
};
for (const file of files) {
  const text = readFileSync(join(root, file), "utf8");
  for (const [, word] of text.matchAll(/\b(?:npx|bunx|npm exec|npm create)(?: -[\w-]+)* ([-@\w./^]+)/gu))
    note(word, file);
  for (const [, words] of text.matchAll(/\b(?:npm (?:install|i)|pnpm add|yarn add)((?: [-@\w./^]+)+)/gu))
    for (const word of words.trim().split(" ")) note(word, file);
}

for (const [name, file] of places) {
  const problem = await problemOf(name);
  tell(`${name} (${file})`, problem === null ? [] : [problem]);
}
endChecks();

async function problemOf(name) {
  const isOurs = name.startsWith(`${scope}/`);
  if (isOurs && !ours.has(name)) return "no package here has this name";
  if (!isOurs && !known.has(name) && !existsSync(join(root, "node_modules", ".bin", name)))
    return "no manifest here names it: users would get a stranger's package";
  const { code, text } = await run("npm", ["view", name, "repository.url", "--json"]);
  if (code !== 0) return isOurs && text.includes("E404") ? null : text.trim().split("\n")[0];
  return isOurs && !text.includes(repository.replace("https://", "")) ? `belongs to ${text.trim()}` : null;
}
