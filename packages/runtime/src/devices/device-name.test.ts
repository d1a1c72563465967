import { expect, test } from "vitest";
import { parseDeviceName } from "./known-devices.ts";

test.each([
  ["auto", { name: "auto", indices: null }],
  ["cuda", { name: "cuda", indices: null }],
  ["cuda:1", { name: "cuda", indices: [1] }],
  ["cuda:2,0", { name: "cuda", indices: [2, 0] }],
])("%s", (text, expected) => {
  expect(parseDeviceName(text)).toEqual(expected);
});

test.each([
  ["cuda:", "numbers of GPUs, as in cuda:0 or cuda:0,1"],
  ["cuda:a", "numbers of GPUs"],
  ["cuda:0,", "numbers of GPUs"],
  ["cuda:-1", "numbers of GPUs"],
  ["cuda:1,1", "GPU 1 comes twice"],
  ["cuda:01,1", "GPU 1 comes twice"],
])("%s is refused", (text, message) => {
  expect(() => parseDeviceName(text)).toThrow(
    expect.objectContaining({ code: "device_unavailable", message: expect.stringContaining(message) as string }),
  );
});
