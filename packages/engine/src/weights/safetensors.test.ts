import { LaconicError } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { decodeSafetensors, encodeSafetensors } from "./safetensors.ts";

const tensors = new Map([
  ["a", { shape: [2, 2], values: Float32Array.of(1, -2, 3.5, 0) }],
  ["b.weight", { shape: [1], values: Float32Array.of(7) }],
]);

/** A file with the given header and data bytes. */
function craft(header: unknown, data: Uint8Array, claimed?: bigint): Uint8Array {
  const json = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const file = new Uint8Array(8 + json.length + data.length);
  new DataView(file.buffer).setBigUint64(0, claimed ?? BigInt(json.length), true);
  file.set(json, 8);
  file.set(data, 8 + json.length);
  return file;
}

test("what is written is read back", () => {
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

describe("damaged files name the file and what is wrong", () => {
  const entry = { dtype: "F32", shape: [1], data_offsets: [0, 4] };
  const four = new Uint8Array(4);
  test.each([
    ["too few bytes", new Uint8Array(5), "too few"],
    ["a header longer than the file", craft({}, four, 1n << 40n), "header claims"],
    ["a header that is no JSON", craft("{oops", four), "not JSON"],
    ["a header that is a list", craft([1], four), "not an object"],
    ["offsets outside the data", craft({ t: { ...entry, data_offsets: [0, 8] } }, four), "leave the 4 bytes"],
    ["negative offsets", craft({ t: { ...entry, data_offsets: [-4, 0] } }, four), "leave"],
    ["a shape that does not fill", craft({ t: { ...entry, shape: [3] } }, four), "do not fill"],
    ["a negative shape", craft({ t: { ...entry, shape: [-1] } }, four), "shape is malformed"],
    ["an unknown dtype", craft({ t: { ...entry, dtype: "I8" } }, four), "I8 is not supported"],
    ["overlapping tensors", craft({ t: entry, u: entry }, four), "overlaps"],
  ])("%s", (_, file, message) => {
    const read = (): unknown => decodeSafetensors(file, "model.safetensors");
    expect(read).toThrow(message);
    expect(read).toThrow("model.safetensors");
    expect(read).toThrow(LaconicError);
  });
});
