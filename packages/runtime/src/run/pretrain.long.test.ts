import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { chooseDevice } from "../devices/choose-device.ts";
import { pretrain, reasonerBase } from "./pretrain.ts";

const settings = { ...reasonerBase, steps: 12, batch: 4, width: 32, layers: 1, merges: 300 };

test(
  "a stopped pretraining resumes to the same weights, and a finished one continues with more steps",
  { timeout: 240_000 },
  async () => {
    const root = await temporaryFolder();
    const place = await chooseDevice("wasm", 1, () => undefined);
    const [whole, stopped] = [join(root, "whole"), join(root, "stopped")];
    const options = { folder: stopped, place, onStep: () => undefined };
    const plain = await pretrain(settings, { ...options, folder: whole });
    expect([plain.step, plain.curve.length]).toEqual([12, 1]);
    let reads = 0;
    const signal = Object.defineProperty({}, "aborted", { get: () => ++reads > 5 }) as AbortSignal;
    await expect(pretrain(settings, { ...options, signal })).rejects.toMatchObject({
      code: "aborted",
      message: expect.stringContaining("saved after step 5 of 12"),
    });
    await pretrain(settings, options);
    const weights = await Promise.all([whole, stopped].map((folder) => readFile(join(folder, "model.safetensors"))));
    expect(weights[0]?.equals(weights[1] ?? Buffer.of())).toBe(true);
    expect(await pretrain(settings, options)).toMatchObject({ begun: 0, step: 12, tokens: plain.tokens });
    const longer = await pretrain({ ...settings, steps: 14 }, options);
    expect(longer).toMatchObject({ begun: 12, step: 14 });
    expect(longer.curve.map(({ step }) => step)).toEqual([12, 14]);
    await expect(pretrain({ ...settings, batch: 5 }, options)).rejects.toThrow("was trained with other settings");
    await expect(pretrain(settings, { ...options, folder: root })).rejects.toThrow("is not a pretraining");
  },
);
