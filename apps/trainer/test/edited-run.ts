import { createHash } from "node:crypto";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { gzipMember, membersIn, runFiles } from "@laconic/core/run-folder";
import { silenceRates } from "@laconic/core/ledger";
import { wilsonInterval } from "@laconic/core/numeric";
import { nodeFileSystem, sha256Of } from "@laconic/trainer";
import { episodeMembers, writeEpisodeMembers } from "@laconic/trainer/testing";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

export type Loose = ReturnType<typeof JSON.parse>;

export async function copyOfRun(run: string): Promise<string> {
  const copy = join(await temporaryFolder(), "run");
  await cp(run, copy, { recursive: true });
  return copy;
}

export async function editStep(run: string, step: number, edit: (content: Loose) => void): Promise<void> {
  const members = await episodeMembers(nodeFileSystem, run);
  for (const { head, content } of members) if (head.step === step && head.kind === "step") edit(content);
  await writeEpisodeMembers(nodeFileSystem, run, members);
}

/** Changes the lines of a file; lines for which `edit` returns false are deleted. */
export async function editLines(run: string, file: string, edit: (line: Loose) => void | false): Promise<void> {
  const lines = (await readFile(join(run, file), "utf8")).trimEnd().split("\n");
  const retained = lines.map((line): Loose => JSON.parse(line)).filter((line) => edit(line) !== false);
  await writeFile(join(run, file), retained.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

export async function editJson(path: string, edit: (json: Loose) => void): Promise<void> {
  const json: Loose = JSON.parse(await readFile(path, "utf8"));
  edit(json);
  await writeFile(path, JSON.stringify(json));
}

export function editNumbers(packed: Loose, edit: (values: number[]) => void): void {
  const [size, bytes] = packed.f32 === undefined ? [8, packed.f64] : [4, packed.f32];
  const buffer = Buffer.from(bytes as string, "base64");
  const values = Array.from({ length: buffer.length / size }, (_, i) =>
    size === 4 ? buffer.readFloatLE(4 * i) : buffer.readDoubleLE(8 * i),
  );
  edit(values);
  delete packed.f32;
  packed.f64 = Buffer.from(Float64Array.from(values).buffer).toString("base64");
}

export async function editEvaluation(
  run: string,
  split: "validation" | "test",
  step: number,
  edit: (content: Loose) => void,
): Promise<void> {
  const file = join(run, split === "test" ? runFiles.testEpisodes : runFiles.episodes);
  const bytes = await readFile(file);
  const parts: Uint8Array[] = [];
  for await (const { head, from, length } of membersIn(async (index, most) => bytes.subarray(index, index + most))) {
    const member = bytes.subarray(from, from + length);
    if (head?.kind !== "evaluation" || head.step !== step) {
      parts.push(member);
      continue;
    }
    const content: Loose = JSON.parse(gunzipSync(member).toString());
    edit(content);
    parts.push(gzipMember(gzipSync(`${JSON.stringify(content)}\n`), head));
  }
  await writeFile(file, Buffer.concat(parts));
}

/** Updates every checksum of a run folder, as a careful forger would. */
export async function reseal(run: string): Promise<void> {
  const config: Loose = JSON.parse(await readFile(join(run, runFiles.config), "utf8"));
  let name = "";
  await editJson(join(run, runFiles.manifest), (manifest) => {
    manifest.config = { sha256: sha256Of(config), settings: config };
    name = manifest.run = sha256Of({ config: manifest.config.sha256, inputs: manifest.inputs });
  });
  for (const folder of await readdir(join(run, runFiles.checkpoints))) {
    if (!folder.startsWith("step-")) continue;
    const checkpoint = join(run, runFiles.checkpoints, folder);
    const digestOf = (bytes: Uint8Array): Loose => ({
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    });
    const manifest: Loose = JSON.parse(await readFile(join(checkpoint, "manifest.json"), "utf8"));
    manifest.run = name;
    for (const file of Object.keys(manifest.files))
      manifest.files[file] = digestOf(await readFile(join(checkpoint, file)));
    for (const file of Object.keys(manifest.traces))
      manifest.traces[file] = digestOf(await rowsUpTo(join(run, file), manifest.step));
    await writeFile(join(checkpoint, "manifest.json"), JSON.stringify(manifest));
  }
}

async function rowsUpTo(file: string, step: number): Promise<Uint8Array> {
  const bytes = await readFile(file);
  if (!file.endsWith(".gz")) {
    const rows = bytes.toString().trimEnd().split("\n");
    return Buffer.from(rows.map((row) => (JSON.parse(row).step <= step ? `${row}\n` : "")).join(""));
  }
  const parts: Uint8Array[] = [];
  for await (const { head, from, length } of membersIn(async (index, most) => bytes.subarray(index, index + most)))
    if (head && head.step <= step) parts.push(bytes.subarray(from, from + length));
  return Buffer.concat(parts);
}

export async function remeasure(run: string): Promise<void> {
  const rows = new Map<number, Loose>();
  const measured = (content: Loose): Loose => {
    const episodes: Loose[] = content.played.map(({ episode }: Loose) => content.episodes[episode]);
    const grades: number[] = content.played.flatMap(({ task }: Loose) => task ?? []);
    const right = grades.reduce((sum, grade) => sum + grade, 0);
    const calls: Loose[] = episodes.flatMap(({ ledger }) => ledger.calls);
    const unscored = content.played.length - grades.length;
    return {
      problems: content.played.length,
      accuracy: right / grades.length,
      interval: wilsonInterval(right, grades.length),
      tokens: calls.reduce((sum, call) => sum + call.writtenTokens, 0) / episodes.length,
      silence: silenceRates(episodes.flatMap(({ utterances }) => utterances.map((i: number) => content.utterances[i]))),
      scoring: { scored: grades.length, undecided: unscored, invalid: 0, error: 0 },
    };
  };
  for (const { head, content } of await episodeMembers(nodeFileSystem, run))
    if (head.kind === "evaluation") rows.set(head.step, measured(content));
  await editLines(run, runFiles.evaluations, (row) => void Object.assign(row, rows.get(row.step)));
  const test: Loose = JSON.parse(gunzipSync(await readFile(join(run, runFiles.testEpisodes))).toString());
  await editJson(join(run, runFiles.test), (row) => Object.assign(row, measured(test)));
  for (const folder of await readdir(join(run, runFiles.checkpoints)))
    if (folder.startsWith("step-"))
      await editJson(join(run, runFiles.checkpoints, folder, "state.json"), (state) => {
        for (const key of ["before", "after"]) Object.assign(state[key] ?? {}, rows.get(state[key]?.step));
        state.best.accuracy = rows.get(state.best.step)?.accuracy ?? state.best.accuracy;
      });
}
