import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

/** Path of Chromium; null if not found. */
export const chromium: string | null =
  [process.env["LACONIC_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
    (path) => path !== undefined && existsSync(path),
  ) ?? null;

/** Without `unsafe-eval`, only WebAssembly can be compiled. */
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

const isolation = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
} as const;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
  ".json": "application/json",
};

export interface PageOptions {
  readonly query: string;
  readonly options?: unknown;
  readonly flags?: readonly string[];
  readonly isolated?: boolean;
}

/** Serves a built page, opens it in headless Chromium, and returns its worker's result. @throws Error of the worker */
export async function inChromium<T>(
  folder: string,
  { query, options = {}, flags = [], isolated = false }: PageOptions,
): Promise<T> {
  let said = (_text: string): void => undefined;
  const received = new Promise<string>((resolve) => (said = resolve));
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://page").pathname;
    if (request.method === "POST") {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => said(Buffer.concat(parts).toString()));
      return void response.end();
    }
    const file = join(folder, normalize(path === "/" ? "/index.html" : path));
    const body = path === "/options.json" ? Promise.resolve(JSON.stringify(options)) : readFile(file);
    body.then(
      (content) =>
        response
          .writeHead(200, {
            "content-type": types[extname(file)] ?? "application/octet-stream",
            "content-security-policy": policy,
            ...(isolated && isolation),
          })
          .end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = await mkdtemp(join(tmpdir(), "laconic-chromium-"));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?${query}`;
  const rootFlags = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const own = ["--headless", "--disable-dev-shm-usage", "--no-first-run", `--user-data-dir=${profile}`];
  const browser = spawn(chromium as string, [...own, ...rootFlags, ...flags, address], {
    stdio: "ignore",
    detached: true,
  });
  const ended = new Promise<string>((resolve) =>
    browser.once("exit", (code) => resolve(JSON.stringify({ error: `Chromium ended with code ${code}` }))),
  );
  try {
    const { result, error } = JSON.parse(await Promise.race([received, ended])) as { result?: T; error?: string };
    if (error !== undefined) throw new Error(error);
    return result as T;
  } finally {
    if (browser.exitCode === null && browser.pid !== undefined) process.kill(-browser.pid, "SIGKILL");
    await ended;
    server.closeAllConnections();
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
