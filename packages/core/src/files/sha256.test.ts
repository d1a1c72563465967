import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "./sha256.ts";

test("hashes equal the standard's examples", () => {
  expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("hashes equal Node's for any length around the blocks and any offset", () => {
  const bytes = Uint8Array.from({ length: 400 }, (_, i) => (i * 167) % 256);
  for (let length = 0; length < 300; length++) {
    const part = bytes.subarray(length % 7, (length % 7) + length);
    expect(sha256(part)).toBe(createHash("sha256").update(part).digest("hex"));
  }
});

test("a text is its UTF-8", () => expect(sha256("λ␞")).toBe(createHash("sha256").update("λ␞").digest("hex")));
