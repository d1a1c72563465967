import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { root } from "../../processes.ts";

/** Where the site is published: its links lead to the one that is served here. */
const published = "https://laconic-ai.github.io/laconic";

/** What of markdown-it is used; typedoc brings it. */
interface Renderer {
  render(text: string): string;
}

/** Answers `/README` with the README as a repository's page shows it: as wide, without scripts, pictures from the repository. */
export async function readmePage(page: Page, address: string): Promise<void> {
  const docs = createRequire(join(root, "docs/package.json"));
  const file = createRequire(docs.resolve("typedoc")).resolve("markdown-it");
  const { default: MarkdownIt } = (await import(pathToFileURL(file).href)) as {
    default: new (options: object) => Renderer;
  };
  const text = await readFile(join(root, "README.md"), "utf8");
  const body = new MarkdownIt({ html: true }).render(text).replaceAll(published, address);
  const style =
    "body{max-width:830px;margin:32px auto;padding:0 16px;font:16px/1.5 sans-serif}img{max-width:100%}pre,code{background:#eee}";
  const html = `<!doctype html><meta name="viewport" content="width=device-width"><title>README</title><style>${style}</style>${body}`;
  await page.route(`${address}/README`, (route) =>
    route.fulfill({ contentType: "text/html; charset=utf-8", body: html }),
  );
  await page.route(`${address}/docs/public/*`, (route) =>
    route.fulfill({ path: join(root, new URL(route.request().url()).pathname) }),
  );
}
