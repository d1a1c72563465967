import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thrownText, type Engine, type ModelSource } from "@laconic/core";
import { conformanceOptimizer, engineCasesFor, type EngineProfile } from "@laconic/engine/testing";
import { TinkerClient, tinkerEngine, type ServerRecord } from "@laconic/tinker";

/** One claim of the suite about the server. */
export interface SuiteRow {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly error?: string;
}

const lora = { rank: 8, alpha: 32 };
/** Of the suite's models. */
const [vocabularySize, contextLength] = [13, 48];

/** The engines' suite over a server that serves the suite's small model. Nothing is left out but what the record says cannot be. */
export async function runSuite(
  baseUrl: string,
  record: ServerRecord,
  onRow: (row: SuiteRow) => void,
  only = "",
): Promise<readonly SuiteRow[]> {
  const create = async (): Promise<Engine> => {
    const client = await TinkerClient.connect({ baseUrl, deduplicates: record.deduplicates });
    return tinkerEngine({ client, record, vocabularySize, contextLength });
  };
  const base = { kind: "folder", path: record.baseModel } as const;
  const other = await otherWeights(create, base);
  const profile: EngineProfile = {
    // A server has one base, so other weights are an adapter that was trained; seed 9 is there to be loaded into.
    source: (seed): ModelSource =>
      seed === 2 ? { kind: "adapter-folder", base, path: other } : { kind: "adapter", base, lora, seed },
    stored: (path) => ({ kind: "adapter-folder", base, path }),
    digits: 5,
    whole: false,
    clips: record.clips,
    snapshots: record.samplers === "frozen",
  };
  const rows: SuiteRow[] = [];
  for (const { name, run } of engineCasesFor(profile).filter((item) => item.name.includes(only))) {
    const began = performance.now();
    const error = await run(create).then(() => null, thrownText);
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const row = { name, passed: error === null, seconds, ...(error !== null && { error }) };
    rows.push(row);
    onRow(row);
  }
  return rows;
}

async function otherWeights(create: () => Promise<Engine>, base: { kind: "folder"; path: string }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-skyrl-"));
  const engine = await create();
  try {
    const model = await engine.createModel({ kind: "adapter", base, lora, seed: 2 });
    const sequences = [{ promptTokens: [1, 2, 3], completionTokens: [4, 5, 0] }];
    await model.forwardBackward(sequences, ({ values }) => values.map(() => -1));
    await model.optimStep({ ...conformanceOptimizer, maxGradNorm: Infinity });
    await model.save(folder);
    return folder;
  } finally {
    await engine.close();
  }
}
