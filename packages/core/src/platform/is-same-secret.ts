import { createHash, timingSafeEqual } from "node:crypto";

/** Compares in a time that reveals neither content nor length. */
export function isSameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
