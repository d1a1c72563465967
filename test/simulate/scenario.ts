import { LaconicError, type Random } from "../../packages/core/src/index.ts";
import { sha256, type FileSystem } from "../../packages/core/src/files/index.ts";
import { checkFiles } from "../../packages/trainer/src/run/checkpoint.ts";
import type { Fault, FaultRange } from "./faults.ts";
import type { SimulatedServer } from "./machine.ts";
import { type Disk, diskRoot } from "./disk.ts";
import type { World } from "./world.ts";
import { Violation, type Ended, type Program } from "./program.ts";

export type Files = ReadonlyMap<string, Uint8Array>;

export interface Scenario<Plan = unknown> {
  readonly title: string;
  readonly faults: FaultRange;
  /** Relative share of seeds over several scenarios; larger for fast ones. */
  readonly share: number;
  readonly keyHosts?: readonly string[];
  /** Answers `fetch`; none by default. */
  server?(world: World): SimulatedServer;
  /** Plans a seed's work and its files without faults, before the machine starts. */
  plan?(random: Random): Promise<Plan>;
  /**
   * Does the work, and repeats it after each unplanned end.
   * @param random - differs by seed, apart from the faults
   * @throws Violation
   */
  play(world: World, random: Random, plan: Plan): Promise<void>;
}

export const runFolder: string = `${diskRoot}/runs/run`;

/** Max programs until one completes: each fault stops at most one. */
const maxPrograms = 12;

export interface RestartOptions {
  between?(ended: Ended<unknown>): void;
  refused?(error: LaconicError): boolean;
}

/** Starts programs until one completes. @returns null after a valid error */
export async function untilDone<T>(
  world: World,
  start: (attempt: number) => Promise<Ended<T>>,
  { between = () => undefined, refused = () => false }: RestartOptions = {},
): Promise<T | null> {
  for (let attempt = 0; attempt < maxPrograms; attempt++) {
    const ended = await start(attempt);
    between(ended);
    if (ended.how === "done") return ended.value;
    if (ended.how === "killed") continue;
    world.disk.fillUntil(0); // the disk is freed
    const error = ours(ended.error);
    if (refused(error)) return null;
    if (world.faults.met.length === 0)
      throw new Violation(`nothing was wrong, and it ended by ${error.code}: ${error.message}`);
  }
  throw new Violation(`it does not come to its end, ${maxPrograms} programs long`);
}

/** Restarts a program until all is over. @throws the error of a failed program */
export async function restarted(
  world: World,
  isOver: () => boolean,
  main: (program: Program) => Promise<void>,
): Promise<void> {
  while (!isOver()) {
    const ended = await world.start(main);
    if (ended.how === "failed") throw ended.error;
  }
}

/** Reads the result with the programs' code and without faults. @throws Violation if that fails */
export async function looked<T>(world: World, read: () => Promise<T>): Promise<T> {
  world.calm();
  const ended = await world.start(read);
  if (ended.how === "done") return ended.value;
  if (ended.how === "failed" && ended.error instanceof Violation) throw ended.error;
  throw new Violation(`what is left cannot be read: ${ended.how === "failed" ? String(ended.error) : ended.how}`);
}

/** Checks for a LaconicError with a location. @throws Violation for other errors */
function ours(error: unknown): LaconicError {
  if (!LaconicError.is(error)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Violation(`an error that is not ours: ${text.split("\n").slice(0, 6).join(" | ")}`);
  }
  const hasPlace = Object.keys(error.detail).length > 0 || error.message.includes("/");
  if (!hasPlace) throw new Violation(`an error without a place: ${error.code}: ${error.message}`);
  return error;
}

/** Whether a read failed: a resume then uses an older checkpoint and reports it. */
export function hasMisread({ faults: { met } }: World): boolean {
  return met.some((fault) => fault.kind === "error" && fault.of === "read");
}

export function hasMet({ faults: { met } }: World, kind: Fault["kind"]): boolean {
  return met.some((fault) => fault.kind === kind);
}

export function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Violation(what);
}

/** Whether a file rotted: readers may then refuse it by name. */
export function hasRotted({ faults: { met } }: World): boolean {
  return met.some((fault) => (fault.kind === "kill" || fault.kind === "power") && fault.rots !== undefined);
}

export function filesOf(disk: Disk, path: string): Map<string, Uint8Array> {
  return new Map([...disk.files(path)].map(([name, { bytes }]) => [name, bytes]));
}

/** Null if missing. */
export function textOf(disk: Disk, path: string): string | null {
  const node = disk.find(path);
  return node?.kind === "file" ? new TextDecoder().decode(node.bytes) : null;
}

export function rowsOf<Row>(disk: Disk, path: string): Row[] {
  const text = textOf(disk, path) ?? "";
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

/** Checks that the checkpoint in LATEST matches its manifest. @throws Violation */
export async function latestLoads(disk: Disk, run: string): Promise<void> {
  const name = textOf(disk, `${run}/checkpoints/LATEST`)?.trim();
  if (name === undefined) return;
  const failed = await checkFiles(readOnly(disk), `${run}/checkpoints/${name}`).then(() => null, String);
  expectThat(failed === null, `LATEST names ${name}, which does not load: ${failed}`);
}

function readOnly(disk: Disk): FileSystem {
  const bytes = (path: string): Uint8Array => disk.file(path).bytes;
  const reading: Pick<FileSystem, "read" | "digest"> = {
    read: async (path) => bytes(path),
    digest: async (path) => ({ bytes: bytes(path).length, sha256: sha256(bytes(path)) }),
  };
  return reading as FileSystem;
}
