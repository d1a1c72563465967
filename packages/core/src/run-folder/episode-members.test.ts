import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { endsWhole, gzipMember, membersIn, type MemberHead, type MemberPlace, type ReadAt } from "./episode-members.ts";

const head = (step: number, isComplete = true): MemberHead => ({
  step,
  kind: step % 2 === 0 ? "evaluation" : "step",
  version: 2,
  isComplete,
});

/** A line that deflate cannot make much smaller, so that members are larger than what is read at once. */
function lineOf(step: number, length: number): string {
  let state = step + 1;
  const letters = Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  });
  return `${JSON.stringify({ step, text: letters.join("") })}\n`;
}

const member = (step: number, length = 50): Buffer =>
  Buffer.from(gzipMember(gzipSync(lineOf(step, length)), head(step)));

const reading =
  (file: Uint8Array): ReadAt =>
  async (from, length) =>
    file.subarray(from, from + length);

async function placesIn(file: Uint8Array, start = 0): Promise<MemberPlace[]> {
  const places: MemberPlace[] = [];
  for await (const memberPlace of membersIn(reading(file), start)) places.push(memberPlace);
  return places;
}

const steps = (places: readonly MemberPlace[]): (number | null)[] =>
  places.map((memberPlace) => memberPlace.head?.step ?? null);

test("members are found by their headers, and any gzip reads the file as lines", async () => {
  const sizes = [50, 200_000, 3, 90_000, 65_536];
  const file = Buffer.concat(sizes.map((size, step) => member(step, size)));
  const places = await placesIn(file);
  expect(places.map((memberPlace) => memberPlace.head)).toEqual(sizes.map((_, step) => head(step)));
  expect(places.map(({ isLast }) => isLast)).toEqual([false, false, false, false, true]);
  for (const [step, { from, length }] of places.entries())
    expect(gunzipSync(file.subarray(from, from + length)).toString()).toBe(lineOf(step, sizes[step] as number));
  expect(gunzipSync(file).toString()).toBe(sizes.map((size, step) => lineOf(step, size)).join(""));
  expect(steps(await placesIn(file, places[3]?.from))).toEqual([3, 4]);
  const partial = gzipMember(gzipSync("{}"), head(7, false));
  expect((await placesIn(partial))[0]?.head).toEqual(head(7, false));
});

test("entries before a truncated write are whole, and the rest is named", async () => {
  const [first, second] = [member(1), member(2, 300)];
  for (let cut = 1; cut < second.length; cut++) {
    const file = Buffer.concat([first, second.subarray(0, cut)]);
    expect(await placesIn(file)).toEqual([
      { head: head(1), from: 0, length: first.length, isLast: false },
      { head: null, from: first.length, length: cut, isLast: true },
    ]);
    expect(await endsWhole(reading(file), file.length)).toBe(false);
  }
  for (const file of [Buffer.alloc(0), first, Buffer.concat([first, second]), member(3, 500_000)])
    expect(await endsWhole(reading(file), file.length)).toBe(true);
});

test("the reader skips damaged bytes up to the next member", async () => {
  const [a, b, c] = [member(1), member(2, 150_000), member(3)];
  const foreign = Buffer.from("no member at all");
  expect(steps(await placesIn(Buffer.concat([a, foreign, b, c])))).toEqual([1, null, 2, 3]);
  const cut = Buffer.concat([a, b.subarray(0, 50_000), c]);
  expect(steps(await placesIn(cut))).toEqual([1, null, 3]);
  const lying = Buffer.from(a);
  lying.writeUInt32LE(5, 16); // shorter than its header
  expect(steps(await placesIn(Buffer.concat([lying, c])))).toEqual([null, 3]);
  expect(steps(await placesIn(foreign))).toEqual([null]);
  expect(await placesIn(Buffer.alloc(0))).toEqual([]);
});

test("rejects a gzip with extra header fields", () => {
  const named = Buffer.from(gzipSync("x"));
  named[3] = 8;
  expect(() => gzipMember(named, head(1))).toThrow("expected a gzip without header fields");
});
