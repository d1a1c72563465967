import { expect, test } from "vitest";
import { protobufCodec } from "./protobuf-codec.ts";

// Bytes of Python's protobuf 6 from messages of the SDK's public schema (tinker_public, d595dc2).
const request =
  "0a076d6f64656c2d3710ac021a510a0c0a0a0a08010000007f510200121a0a0a616476616e7461676573120c0a0800000000000000bf180112250a0d7461726765745f746f6b656e7312140a107f5102000000000002000000000000001802220370706f2a1e0a13636c69705f686967685f7468726573686f6c6411333333333333f33f3001";
const output =
  "0a0d613a41727261795265636f7264123a12360a086c6f6770726f6273122a0a0c000000bf0000c0bf000020c01218000000000000000008000000000000000c0000000000000018011802122a12260a086c6f6770726f6273121a0a0440c0c07f121000000000000000000400000000000000180418011a130a086c6f73733a73756d11000000000000f4bf";
const sample =
  "0a1608011208090000007f5102001a08000080bf000000c00a0612040000000012080000c07f000080be1a280a10000000000000000004000000070000001210804fc3c7804fc3c7000000bf000040bf180220022005";

/** As from a socket: in a pool, at any place. */
const bytes = (hex: string): Uint8Array => Buffer.from(`00${hex}`, "hex").subarray(1);
const type = "application/x-protobuf";

test("a pass is written as the SDK writes it, forward alone by a field and not by a path", () => {
  const input = {
    data: [
      {
        model_input: { chunks: [{ type: "encoded_text", tokens: [1, 151_935] }] },
        loss_fn_inputs: {
          advantages: { data: [0, -0.5], dtype: "float32" },
          target_tokens: { data: [151_935, 2], dtype: "int64" },
        },
      },
    ],
    loss_fn: "ppo",
    loss_fn_config: { clip_high_threshold: 1.2 },
  };
  const head = { model_id: "model-7", seq_id: 300 };
  const sent = protobufCodec.request("forward", { ...head, forward_input: input });
  expect([sent.path, sent.contentType]).toEqual(["forward_backward", type]);
  expect(Buffer.from(sent.body as Uint8Array).toString("hex")).toBe(request);
  const stepped = protobufCodec.request("forward_backward", { ...head, forward_backward_input: input });
  expect(Buffer.from(stepped.body as Uint8Array).toString("hex")).toBe(request.slice(0, -4));
  const step = { model_id: "model-7", seq_id: 301, adam_params: {} };
  expect(protobufCodec.request("optim_step", step)).toEqual({
    path: "optim_step",
    contentType: "application/json",
    body: JSON.stringify(step),
  });
});

test("results are read as the SDK's server writes them, several records and bfloat16 among them", () => {
  expect(protobufCodec.reply(bytes(output), type, "forward")).toEqual({
    loss_fn_outputs: [
      { logprobs: { data: [-0.5, -1.5] } },
      { logprobs: { data: [-2.5] } },
      { logprobs: { data: [-3, null] } },
    ],
    metrics: { "loss:sum": -1.25 },
  });
  expect(protobufCodec.reply(bytes(sample), type, "asample")).toEqual({
    sequences: [
      { stop_reason: "length", tokens: [9, 151_935], logprobs: [-1, -2] },
      { stop_reason: "stop", tokens: [0] },
    ],
    prompt_logprobs: [null, -0.25],
  });
  expect(protobufCodec.accept("retrieve_future", "asample")).toBe(type);
  expect(protobufCodec.accept("retrieve_future", "optim_step")).toBe("application/json");
  expect(protobufCodec.reply(bytes("7b7d"), "application/json", "asample")).toEqual({});
});

test("a cut result is invalid, and so is a shorter one; reading never passes its end", () => {
  const read = (end: number): string | null => {
    try {
      return JSON.stringify(protobufCodec.reply(bytes(output).subarray(0, end), type, "forward"));
    } catch {
      return null;
    }
  };
  const length = output.length / 2;
  const cut = Array.from({ length: length - 1 }, (_, i) => read(i + 1));
  expect(cut).not.toContain(read(length));
  expect(cut.filter((text) => text === null).length).toBeGreaterThan(100);
});
