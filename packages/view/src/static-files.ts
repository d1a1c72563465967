import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

/** Headers of all responses: no sniffing, frames or referrer. */
export const plainHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
};

/** Cross-origin isolation enables shared memory, so the playground trains on all cores. */
const isolated: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** Pages load only files of their site, and wasm. Text cannot become a script, style, picture or foreign request. */
export const pagePolicy: string = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Serves the files of a folder. */
export interface StaticFiles {
  /** @returns null for a path without a file; folder paths return their `index.html` */
  answer(path: string): Promise<Response | null>;
}

/**
 * Serves the current files of a folder. Paths are looked up in a list, never passed to the file system, so no path can
 * leave the folder. Vite's content-hashed files are cached forever, others revalidated.
 */
export async function staticFiles(folder: string): Promise<StaticFiles> {
  const addressOf = (file: string): string => `/${relative(folder, file).split(sep).join("/")}`;
  const files = new Map((await filesBelow(folder)).map((file) => [addressOf(file), file]));
  return {
    async answer(path) {
      const file = files.get(path.endsWith("/") ? `${path}index.html` : path);
      if (file === undefined) return null;
      const type = types[extname(file)] ?? "application/octet-stream";
      const isNamedByContent = /-[\w-]{8}\.\w+$/u.test(path);
      return new Response(await readFile(file), {
        headers: {
          ...plainHeaders,
          ...isolated,
          "content-type": type,
          "cache-control": isNamedByContent ? "public, max-age=31536000, immutable" : "no-cache",
          "content-security-policy": pagePolicy,
        },
      });
    },
  };
}
