import { createHash, type Hash } from "node:crypto";

/** How the hub names a content: sha256 of large files, git's blob sha1 of small ones. It is also the name in the cache. */
export type ContentId = { readonly kind: "sha256" | "git"; readonly hex: string };

/** @returns null when the text is neither a sha256 nor a sha1 in lower-case hexadecimal */
export function contentId(kind: ContentId["kind"], hex: string): ContentId | null {
  return (kind === "git" ? /^[0-9a-f]{40}$/ : /^[0-9a-f]{64}$/).test(hex) ? { kind, hex } : null;
}

/** A hash to which the content is then added. */
export function startHash({ kind }: ContentId, bytes: number): Hash {
  return kind === "sha256" ? createHash("sha256") : createHash("sha1").update(`blob ${bytes}\0`);
}
