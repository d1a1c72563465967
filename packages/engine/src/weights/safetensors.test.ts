import { LaconicError } from "@laconic/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeSafetensors, encodeSafetensors } from "./safetensors.ts";

const tensors = new Map([
  ["a", { shape: [2, 2], values: Float32Array.of(1, -2, 3.5, 0) }],
  ["b.weight", { shape: [1], values: Float32Array.of(7) }],
]);

function craft(header: unknown, data: Uint8Array, claimed?: bigint): Uint8Array {
  const json = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const file = new Uint8Array(8 + json.length + data.length);
  new DataView(file.buffer).setBigUint64(0, claimed ?? BigInt(json.length), true);
  file.set(json, 8);
  file.set(data, 8 + json.length);
  return file;
}

test("names may hold quotes, colons and backslashes", () => {
  const odd = new Map([[String.raw`a":"\ "`, { shape: [1], values: Float32Array.of(7) }]]);
  expect(decodeSafetensors(encodeSafetensors(odd, { "k:": ':"' }), "x").tensors).toEqual(odd);
});

test("reads back what it wrote", () => {
  const { tensors: read, metadata } = decodeSafetensors(encodeSafetensors(tensors, { steps: "3" }), "x");
  expect(read).toEqual(tensors);
  expect(metadata).toEqual({ format: "pt", steps: "3" });
});

test.each([
  ["F16", Uint8Array.of(0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0x00, 0x7c), [1, -2, 2 ** -24, Infinity]],
  ["BF16", Uint8Array.of(0x80, 0x3f, 0x00, 0xc0), [1, -2]],
  ["F64", new Uint8Array(Float64Array.of(0.5, -1).buffer), [0.5, -1]],
] as const)("%s is widened", (dtype, data, expected) => {
  const file = craft({ t: { dtype, shape: [expected.length], data_offsets: [0, data.length] } }, data);
  expect([...(decodeSafetensors(file, "x").tensors.get("t")?.values ?? [])]).toEqual([...expected]);
});

test("F16 keeps every half, and rounds others to the nearest", () => {
  const halves = Uint16Array.from({ length: 1 << 16 }, (_, i) => i).filter((half) => (half & 0x7fff) <= 0x7c00);
  const file = craft(
    { t: { dtype: "F16", shape: [halves.length], data_offsets: [0, halves.byteLength] } },
    new Uint8Array(halves.buffer),
  );
  const { tensors: all } = decodeSafetensors(file, "x");
  const written = encodeSafetensors(all, {}, "F16");
  expect(decodeSafetensors(written, "x").tensors).toEqual(all);
  const sorted = [...(all.get("t")?.values ?? [])].filter(Number.isFinite).toSorted((a, b) => a - b);
  fc.assert(
    fc.property(fc.double({ min: -65504, max: 65504, noNaN: true }), (value) => {
      const one = new Map([["t", { shape: [1], values: Float64Array.of(value) }]]);
      const [read = Number.NaN] =
        decodeSafetensors(encodeSafetensors(one, {}, "F16"), "x").tensors.get("t")?.values ?? [];
      const nearest = sorted.reduce((best, half) => Math.min(best, Math.abs(half - value)), Infinity);
      expect(Math.abs(read - value)).toBe(nearest);
    }),
    { numRuns: 50 },
  );
});

describe("damaged files name the file and what is wrong", () => {
  const entry = { dtype: "F32", shape: [1], data_offsets: [0, 4] };
  const four = new Uint8Array(4);
  test.each([
    ["too few bytes", new Uint8Array(5), "5 bytes are too few"],
    ["a header longer than the file", craft({}, four, 1n << 40n), "header claims 1099511627776 bytes, the limit is 6"],
    ["a header beyond the format's ceiling", craft({}, four, (1n << 64n) - 1n), "header claims 18446744073709551615"],
    ["a header that is no JSON", craft("{oops", four), "not JSON"],
    ["a header that is not UTF-8", craft("{}", four).with(8, 0xff), "not JSON"],
    ["a header that is a list", craft([1], four), "not an object"],
    ["metadata that is no text", craft({ __metadata__: { a: 1 }, t: entry }, four), "metadata is malformed"],
    [
      "a tensor that is named twice",
      craft(`{"t":${JSON.stringify(entry)},"t":${JSON.stringify(entry)}}`, four),
      "repeats a key",
    ],
    [
      "an escaped name that is another's",
      craft(
        String.raw`{"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"\u0074":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}`,
        four,
      ),
      "repeats a key",
    ],
    [
      "a dtype that is given twice",
      craft(`{"t":{"dtype":"F16",${JSON.stringify(entry).slice(1)}}`, four),
      "repeats a key",
    ],
    ["an entry that is no object", craft({ t: 7 }, four), "tensor t: the header entry is not an object"],
    ["an unknown dtype", craft({ t: { ...entry, dtype: "I8" } }, four), "tensor t: dtype I8 is not supported"],
    ["a dtype that every object has", craft({ t: { ...entry, dtype: "toString" } }, four), "dtype toString"],
    ["a negative shape", craft({ t: { ...entry, shape: [-1] } }, four), "tensor t: the shape is malformed"],
    [
      "a shape that does not fill",
      craft({ t: { ...entry, shape: [3] } }, four),
      "tensor t: 3 values of F32 do not fill 4",
    ],
    [
      "negative offsets",
      craft({ t: { ...entry, data_offsets: [-4, 0] } }, four),
      "tensor t: the offsets are malformed",
    ],
    ["three offsets", craft({ t: { ...entry, data_offsets: [0, 4, 8] } }, four), "tensor t: the offsets are malformed"],
    ["backward offsets", craft({ t: { ...entry, data_offsets: [4, 0] } }, four), "do not fill -4 bytes"],
    [
      "data that was cut off",
      craft({ t: { ...entry, shape: [2], data_offsets: [0, 8] } }, four),
      "ends at byte 8, the file has 4",
    ],
    ["overlapping tensors", craft({ t: entry, u: entry }, four), "tensor u: its data overlaps"],
    ["a gap", craft({ t: { ...entry, data_offsets: [4, 8] } }, new Uint8Array(8)), "tensor t: there is a gap"],
    ["bytes behind the last tensor", craft({ t: entry }, new Uint8Array(5)), "tensors fill 4 bytes, the file has 5"],
  ])("%s", (_, file, message) => {
    const read = (): unknown => decodeSafetensors(file, "model.safetensors");
    expect(read).toThrow(message);
    expect(read).toThrow("model.safetensors");
    expect(read).toThrow(LaconicError);
  });

  test("no changed byte of a header does more than that", () => {
    const file = encodeSafetensors(tensors);
    const headerEnd = file.length - 20;
    const outcome = (changed: Uint8Array): unknown => {
      try {
        decodeSafetensors(changed, "x");
        return "read";
      } catch (error) {
        return LaconicError.is(error) ? error.code : error;
      }
    };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: headerEnd - 1 }), fc.integer({ min: 0, max: 255 }), (index, byte) => {
        expect(["read", "weights_invalid"]).toContain(outcome(file.with(index, byte)));
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
