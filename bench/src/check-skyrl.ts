// What `@laconic/tinker` does on a real server: the engines' suite and parity with the local engine.
// `npm run check:skyrl -- --models FOLDER` writes the base models; `scripts/serve-skyrl.sh` starts a server of one;
// `npm run check:skyrl -- --server URL --folder FOLDER/small` runs the suite and parity, `FOLDER/relay` parity.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { probeServer, TinkerClient } from "@laconic/tinker";
import { machine } from "./measure.ts";
import { writeModels } from "./skyrl/models.ts";
import { runParity } from "./skyrl/parity.ts";
import { runSuite } from "./skyrl/suite.ts";
import { readOptions } from "./options.ts";

const { values } = readOptions({
  options: {
    models: { type: "string" },
    server: { type: "string" },
    /** Of the server's base model, on this machine. */
    folder: { type: "string" },
    out: { type: "string" },
    /** Version, commit and backend of the server, in words. */
    about: { type: "string", default: "unknown" },
    parts: { type: "string", default: "suite,parity" },
    /** Cases whose names hold it. */
    only: { type: "string", default: "" },
  },
});
const say = (text: string): void => void process.stderr.write(`${text}\n`);

if (values.models !== undefined) {
  for (const folder of await writeModels(values.models)) say(folder);
} else {
  const { server, folder, out } = values;
  if (server === undefined || folder === undefined)
    throw new Error("check-skyrl: --models FOLDER, or --server URL --folder MODEL_FOLDER");
  const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as Record<string, number>;
  const limits = {
    vocabularySize: config["vocab_size"] as number,
    contextLength: config["max_position_embeddings"] as number,
  };
  const isSmall = limits.vocabularySize === 13;
  const parts = values.parts.split(",");
  const client = await TinkerClient.connect({ baseUrl: server });
  const [first] = (await client.capabilities()).supported_models;
  if (first === undefined) throw new Error(`${server} lists no model`);
  const began = performance.now();
  const question = (text: string): void => say(`${((performance.now() - began) / 1000).toFixed(0)} s ${text}`);
  const record = await probeServer(client, {
    baseModel: first.model_name,
    vocabularySize: limits.vocabularySize,
    onQuestion: question,
  });
  client.close();
  const probeSeconds = Math.round((performance.now() - began) / 1000);
  say(JSON.stringify(record));
  // The model's name is a folder of the machine that served it.
  const found: Record<string, unknown> = {
    about: values.about,
    machine: machine(),
    record: { ...record, baseModel: isSmall ? "small" : "relay" },
    probeSeconds,
  };
  const keep = async (): Promise<void> => {
    if (out === undefined) return;
    const before = existsSync(out) ? (JSON.parse(await readFile(out, "utf8")) as Record<string, object>) : {};
    const key = isSmall ? "small" : "relay";
    await writeFile(out, `${JSON.stringify({ ...before, [key]: { ...before[key], ...found } }, null, 2)}\n`);
  };
  await keep();
  if (parts.includes("suite") && isSmall) {
    const row = (each: {
      readonly passed: boolean;
      readonly name: string;
      readonly seconds: number;
      readonly error?: string;
    }): void =>
      say(
        `${each.passed ? "ok    " : "FAILED"} ${each.name} (${each.seconds} s)${each.error === undefined ? "" : `: ${each.error}`}`,
      );
    found["suite"] = await runSuite(server, record, row, values.only);
    await keep();
  }
  if (parts.includes("parity")) {
    found["parity"] = await runParity(server, record, folder, limits);
    say(JSON.stringify(found["parity"]));
    await keep();
  }
}
