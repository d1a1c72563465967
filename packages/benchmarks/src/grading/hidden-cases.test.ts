import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { hiddenCases, pickledText } from "./hidden-cases.ts";

/** `pickle.dumps(text, protocol=4)` of a short text. */
function pickled(text: string): Uint8Array {
  const body = new TextEncoder().encode(text);
  const [length, frame] = [Buffer.alloc(4), Buffer.alloc(8)];
  length.writeUInt32LE(body.length);
  frame.writeBigUInt64LE(BigInt(body.length + 7));
  return Buffer.concat([Buffer.of(0x80, 4, 0x95), frame, Buffer.of(0x58), length, body, Buffer.of(0x94, 0x2e)]);
}
const stored = (bytes: Uint8Array): string => deflateSync(bytes).toString("base64");

test("reads cases in JSON and cases in a compressed pickle", async () => {
  const cases = [{ input: "é", output: "9\n" }];
  expect(await hiddenCases(stored(pickled(JSON.stringify(cases))), "x")).toEqual(cases);
  expect(await hiddenCases(JSON.stringify(cases), "x")).toEqual(cases);
});

test.for([
  ["a pickle that runs a program", Buffer.from("\x80\x04cos\nsystem\n(S'true'\ntR.", "latin1")],
  ["a pickle of a list", Buffer.from("\x80\x04]\x94.", "latin1")],
  ["two texts", Buffer.from("\x80\x04\x8c\x01a\x8c\x01b.", "latin1")],
  ["a text and what is behind its end", Buffer.from("\x80\x04\x8c\x01a.x", "latin1")],
  ["a length beyond its end", Buffer.from("\x80\x04X\xff\xff\xff\xffa.", "latin1")],
  ["a length of eight bytes beyond its end", Buffer.from("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffa.", "latin1")],
  ["a text without an end", pickled("[]").subarray(0, -1)],
  ["nothing", new Uint8Array()],
] as const)("refuses %s without running it", async ([, bytes]) => {
  expect(() => pickledText(bytes)).toThrow(/pickle/u);
  await expect(hiddenCases(stored(bytes), "lcb/1")).rejects.toMatchObject({
    code: "data_invalid",
    message: expect.stringContaining("lcb/1: private_test_cases cannot be read: ") as string,
  });
});

test("rejects an invalid zlib stream and one that unpacks without end", async () => {
  await expect(hiddenCases("AAAA", "x")).rejects.toMatchObject({ code: "data_invalid" });
  const bomb = deflateSync(new Uint8Array(300 << 20)).toString("base64");
  await expect(hiddenCases(bomb, "x")).rejects.toMatchObject({ code: "data_invalid" });
});

const python = ((): string | null => {
  try {
    return execFileSync("python3", ["-c", "print('python3')"], { encoding: "utf8" }).trim();
  } catch {
    return null;
  }
})();

test("reads Python's pickled texts, short and long, in every protocol with frames", ({ skip }) => {
  if (python === null) return skip("there is no python3");
  const program =
    "import pickle, base64, json\nprint(json.dumps([[t[:9], len(t), base64.b64encode(pickle.dumps(t, protocol=p)).decode()] for p in range(2, 6) for t in ('', 'aé', 'x' * 300, 'é\\U0001f600' * 50000)]))";
  const texts = JSON.parse(execFileSync(python, ["-c", program], { encoding: "utf8", maxBuffer: 1 << 26 })) as [
    string,
    number,
    string,
  ][];
  expect(texts).toHaveLength(16);
  for (const [start, length, packed] of texts) {
    const text = pickledText(Buffer.from(packed, "base64"));
    expect([Array.from(text).slice(0, 9).join(""), Array.from(text).length]).toEqual([start, length]);
  }
});
