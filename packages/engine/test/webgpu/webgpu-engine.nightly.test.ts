import { createInlineEngine } from "../../src/index.ts";
import { engineCases } from "../../src/testing/index.ts";
import { afterAll, describe, test } from "vitest";
import { openDevice } from "./open-device.ts";

const { kernels: opened, missing } = await openDevice();
afterAll(() => opened?.dispose());

describe.sequential("the local engine on the webgpu device", () => {
  test("is available", ({ skip }) => skip(missing !== null, missing ?? ""));
  if (!opened) return;
  // The engine closes its kernels; these stay for the next case.
  const shared = { ...opened, dispose: () => undefined };
  for (const { name, run } of engineCases) test(name, () => run(async () => createInlineEngine([shared])));
});
