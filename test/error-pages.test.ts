import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LaconicError, type LaconicErrorCode } from "../packages/core/src/index.ts";
import { describe, expect, test } from "vitest";
import { reportError } from "../apps/trainer/src/cli/errors.ts";
import { recordingTerminal } from "../apps/trainer/src/cli/recording-terminal.ts";
import { errorPages } from "../docs/errors/codes.ts";
import { readText, repositoryFiles, root } from "./workspace.ts";

const codes = Object.keys(errorPages) as readonly LaconicErrorCode[];
const cell = (text: string): string => text.replaceAll("|", "\\|");

/** What the command line ends with when it meets the error. */
function exitOf(code: LaconicErrorCode): string {
  if (code === "aborted") return "130 after Ctrl-C and 143 after SIGTERM";
  const number = reportError(new LaconicError(code, "x"), recordingTerminal(), false);
  return `${number}: ${number === 2 ? "refused" : "failed"}`;
}

function pageOf(code: LaconicErrorCode): string {
  const { title, means, causes, more } = errorPages[code];
  const rows = causes.map(([seen, remedy]) => `| ${cell(seen)} | ${cell(remedy)} |`);
  return [
    `# \`${code}\`: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    `${means}\n\nThe command line ends with code ${exitOf(code)}. In a program it is a \`LaconicError\` whose \`code\` is \`"${code}"\`;
its \`detail\` holds the place as data.`,
    "## What the message says, and what to do",
    ["| the message has | do this |", "| --- | --- |", ...rows].join("\n"),
    ...(more === undefined ? [] : [more]),
    "[All error codes](./index.md)\n",
  ].join("\n\n");
}

// Written by `npx vitest run test/error-pages -u`, from `docs/errors/codes.ts`.
describe("pages of error codes", () => {
  test.each(codes)("%s", async (code) => {
    await expect(pageOf(code)).toMatchFileSnapshot(`../docs/errors/${code}.md`);
  });

  test("their list", async () => {
    const rows = codes.map((code) => `| [\`${code}\`](./${code}.md) | ${errorPages[code].title} |`);
    const page = [
      "# Error codes",
      `Whatever Laconic refuses or fails at is a \`LaconicError\` with one of these codes. Its message says what is wrong, where, and what to do;
\`LaconicError.is(error)\` recognises it, and \`error.detail\` holds the place as data; under \`--json\` the command line prints both. Expected outcomes (a spent budget, an answer that cannot
be read) are values, not errors.`,
      ["| code | what it is |", "| --- | --- |", ...rows, ""].join("\n"),
    ].join("\n\n");
    await expect(page).toMatchFileSnapshot("../docs/errors/index.md");
  });

  test("there is one for each code, and no other", () => {
    const declared = [...readText("packages/core/src/errors.ts").matchAll(/^ {2}\| "(\w+)"/gmu)].map(
      ([, code]) => code,
    );
    expect(new Set<string | undefined>(codes)).toEqual(new Set(declared));
    const pages = readdirSync(join(root, "docs/errors")).filter((file) => file.endsWith(".md"));
    expect(pages.toSorted()).toEqual([...codes, "index"].map((code) => `${code}.md`).toSorted());
  });
});

test("the messages that the pages show are those of the code", () => {
  const sources = repositoryFiles()
    .filter((path) => /^(packages|apps)\/[^/]+\/src\/.*\.ts$/u.test(path) && !path.endsWith(".test.ts"))
    .map((path) => readText(path).replaceAll("\\`", "`"));
  const all = sources.join("\n");
  const shown = codes.flatMap((code) =>
    errorPages[code].causes.flatMap(([seen]) => seen.split("…").map((part) => ({ code, part: part.trim() }))),
  );
  expect(shown.filter(({ part }) => part.length > 3 && !all.includes(part))).toEqual([]);
});
