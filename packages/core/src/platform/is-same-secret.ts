import { createHash, timingSafeEqual } from "node:crypto";

/** Compares in a time that reveals neither content nor length. */
export function isSameSecret(input: string, secret: string): boolean {
  return timingSafeEqual(digest(input), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
