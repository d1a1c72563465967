import { createHash, timingSafeEqual } from "node:crypto";

/** Compares a key that was given with the one that is wanted, in a time that tells neither its letters nor its length. */
export function isSameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
