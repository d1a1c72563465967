import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startFakeHub } from "@laconic/hub/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { sumsCsv, writeSums } from "../../test/sums.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { expectRefused, laconic, outputOf } from "../../test/laconic.ts";

const csv = sumsCsv(20);

test("a team trains on a file or a pinned hub data set and is tested on its split", async () => {
  const folder = await temporaryFolder();
  const hub = await startFakeHub("acme/sums", { "sums.csv": { bytes: new TextEncoder().encode(csv) } });
  onTestFinished(() => hub.close());
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("LACONIC_DATA", join(folder, "nothing"));
  vi.stubEnv("HF_HOME", folder);
  vi.stubEnv("HF_HUB_OFFLINE", "");
  vi.stubEnv("HF_ENDPOINT", hub.endpoint);
  const train = { evaluation: { every: 1, problems: 100, transcripts: 1 } };
  const { file, config } = await writeSums(folder, { rows: 20, actorTokens: 4, train });
  const [onFile, onHub] = [join(folder, "on-file"), join(folder, "on-hub")];
  const trained = await laconic("train", config, "--run", onFile);
  expect(trained).toMatchObject({ code: 0, out: expect.stringContaining("on 5 test problems") as string });
  expect(trained.err).toContain("data/hint: 1 steps");
  const evaluated = await laconic("eval", onFile, "--json");
  expect([evaluated.code, JSON.parse(evaluated.out)]).toEqual([0, expect.objectContaining({ problems: 5 })]);
  expect((await laconic("eval", onFile)).out).toContain("tokens per episode, 5 test problems, one sample each, seed 0");

  await outputOf("train", config, "task.data.train=hub:acme/sums/*.csv", "--run", onHub);
  expect(JSON.parse(await readFile(join(onHub, "config.json"), "utf8"))).toMatchObject({
    task: { data: { train: `hub:acme/sums@${hub.commit}/*.csv` } },
  });
  const inputs = async (run: string): Promise<unknown> =>
    (JSON.parse(await readFile(join(run, "manifest.json"), "utf8")) as { inputs: unknown }).inputs;
  expect(await inputs(onHub)).toEqual(await inputs(onFile));

  await writeFile(file, csv.replace("What is 0 + 0?,0", "What is 0 + 0?,zero"));
  await expectRefused(
    ["train", config, "--run", join(folder, "damaged")],
    'sums.csv row 2: the gold "zero" is not a number',
  );
  await writeFile(file, csv.replace("What is 0 + 0?,0", "What is 0 + 0?,1"));
  await expectRefused(["train", "--resume", onFile], /data: (?:training|validation) problems was "/u);
});
