import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

/** What is said of every answer: nothing of it is guessed, framed, or told to others. */
export const plainHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
};

/** A page of these is alone with its memory, which its threads may then share: the playground trains on all processors. */
const isolated: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** Where the playground's story model comes from, when a visitor asks for it: the hub, and the places that it sends to. */
const hubPlaces = "https://huggingface.co https://*.huggingface.co https://*.hf.co";

/**
 * What a page may load and run: files of its own site, and wasm. No text that it shows can become a script, a style, a picture
 * or a request to another machine.
 */
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
  ".map": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

/** Answers for the files of a folder, by the path of an address. */
export interface StaticFiles {
  /** @returns null for a path that is no file's; a folder's is that of its `index.html` */
  answer(path: string): Promise<Response | null>;
}

/**
 * The files that a folder holds now. A path is looked up among them and never given to the file system, so that none leads out.
 * What Vite has named after its content is kept for good, all else is asked for again.
 */
export async function staticFiles(folder: string): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        return [`/${relative(folder, file).split(sep).join("/")}`, file];
      }),
  );
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
          "content-security-policy": path.startsWith("/playground/")
            ? pagePolicy.replace("connect-src 'self'", `connect-src 'self' ${hubPlaces}`)
            : pagePolicy,
        },
      });
    },
  };
}
