import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { pickledText } from "../formats/pickled-text.ts";
import { hiddenCases } from "../hidden-cases.ts";
import { readRow } from "../row-schema.ts";
import { livecodebench } from "./livecodebench.ts";

const cases = [{ input: "3\n", output: "9\n", testtype: "stdin" }];
/** `pickle.dumps(text, protocol=4)` of a short text. */
function pickled(text: string): Uint8Array {
  const body = new TextEncoder().encode(text);
  const [length, frame] = [Buffer.alloc(4), Buffer.alloc(8)];
  length.writeUInt32LE(body.length);
  frame.writeBigUInt64LE(BigInt(body.length + 7));
  return Buffer.concat([Buffer.of(0x80, 4, 0x95), frame, Buffer.of(0x58), length, body, Buffer.of(0x94, 0x2e)]);
}
const stored = (bytes: Uint8Array): string => deflateSync(bytes).toString("base64");

const row = {
  question_title: "Square",
  question_content: "Print the square of n.",
  platform: "atcoder",
  question_id: "abc1_a",
  contest_id: "abc1",
  contest_date: "2025-02-01T00:00:00",
  starter_code: "",
  difficulty: "easy",
  public_test_cases: JSON.stringify(cases),
  private_test_cases: stored(pickled(JSON.stringify([{ ...cases[0], input: "é" }]))),
  metadata: "{}",
};

test("a program that reads stdin, and a class to complete", async () => {
  const read = readRow(livecodebench.row, row);
  expect(read).toMatchObject({
    problem: {
      id: "livecodebench/abc1_a",
      question: expect.stringMatching(/^Print the square of n\.\n\nThe program reads its input from stdin/u) as string,
      grading: { kind: "program", entryPoint: null, shown: [{ input: "3\n", output: "9\n" }] },
      metadata: { platform: "atcoder", difficulty: "easy", date: "2025-02-01" },
    },
  });
  expect(await hiddenCases(row.private_test_cases, "x")).toEqual([{ input: "é", output: "9\n" }]);
  expect(await hiddenCases(row.public_test_cases, "x")).toEqual([{ input: "3\n", output: "9\n" }]);
  const starter_code = "class Solution:\n    def square(self, n: int) -> int:\n        ";
  const method = { ...row, starter_code, metadata: '{"func_name": "square"}' };
  expect(readRow(livecodebench.row, method)).toMatchObject({
    problem: { question: expect.stringContaining("class Solution:") as string, grading: { entryPoint: "square" } },
  });
});

test.for([
  [{ public_test_cases: "[" }, "public_test_cases: "],
  [{ public_test_cases: '[{"input": 3}]' }, "public_test_cases: 0.input"],
  [{ private_test_cases: "\u0080\u0004" }, "private_test_cases: expected base64"],
  [{ metadata: '{"func_name": "a.b"}' }, "metadata: func_name"],
  [{ starter_code: "class Solution: ..." }, "metadata: names no func_name"],
  [{ question_id: "" }, "question_id: "],
  [{ contest_date: "1 February 2025" }, "contest_date: expected a date"],
] as const)("%j is refused by its key", ([change, reason]) => {
  expect(readRow(livecodebench.row, { ...row, ...change })).toMatchObject({
    reason: expect.stringContaining(reason) as string,
  });
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
] as const)("%s is refused, and run by nobody", async ([, bytes]) => {
  expect(() => pickledText(bytes)).toThrow(/pickle/u);
  await expect(hiddenCases(stored(bytes), "lcb/1")).rejects.toMatchObject({
    code: "data_invalid",
    message: expect.stringContaining("lcb/1: private_test_cases cannot be read: ") as string,
  });
});

test("what is no zlib stream, or unpacks without end, is refused", async () => {
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

test("texts that Python pickles, short and long, in every protocol with its frames", ({ skip }) => {
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
