import { LaconicError, type Random } from "../../packages/core/src/index.ts";
import { sha256, type FileSystem } from "../../packages/core/src/files/index.ts";
import { checkFiles } from "../../packages/trainer/src/run/checkpoint.ts";
import type { Fault, FaultRange } from "./faults.ts";
import type { SimulatedServer } from "./machine.ts";
import { type Disk, diskRoot } from "./disk.ts";
import type { World } from "./world.ts";
import { Violation, type Ended, type Program } from "./program.ts";

/** Files by their paths from the disk's root. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** Something that is done on a simulated machine, and what has to hold however it goes. */
export interface Scenario<Plan = unknown> {
  /** For people. */
  readonly title: string;
  readonly faults: FaultRange;
  /** Of all seeds that are played over several scenarios, in proportion: those that are played fast have more. */
  readonly share: number;
  /** Hosts that may be sent the key. */
  readonly keyHosts?: readonly string[];
  /** What answers `fetch`; none is asked by default. */
  server?(world: World): SimulatedServer;
  /** What a seed does, and the files that are left where nothing goes wrong: before the machine starts. */
  plan?(random: Random): Promise<Plan>;
  /**
   * Does it, over again after each end that is none of its own.
   * @param random - what differs from seed to seed beside the faults
   * @throws Violation
   */
  play(world: World, random: Random, plan: Plan): Promise<void>;
}

export const runFolder: string = `${diskRoot}/runs/run`;

/** Programs that may be needed until one comes to the end: each fault stops one at most. */
const maxPrograms = 12;

/** What is done between programs, and which errors end them all. */
export interface RestartOptions {
  between?(ended: Ended<unknown>): void;
  /** Whether an error is the right end of all. */
  refused?(error: LaconicError): boolean;
}

/** Starts programs until one is done. @returns null where an error was the right end */
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
    world.disk.fillUntil(0); // somebody makes room
    const error = ours(ended.error);
    if (refused(error)) return null;
    if (world.faults.met.length === 0)
      throw new Violation(`nothing was wrong, and it ended by ${error.code}: ${error.message}`);
  }
  throw new Violation(`it does not come to its end, ${maxPrograms} programs long`);
}

/** Starts a program again whenever it ends or is killed, until it is over. @throws what a program ends by */
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

/** Looks at what is left by the programs' own means, while nothing goes wrong. @throws Violation where that fails */
export async function looked<T>(world: World, read: () => Promise<T>): Promise<T> {
  world.calm();
  const ended = await world.start(read);
  if (ended.how === "done") return ended.value;
  if (ended.how === "failed" && ended.error instanceof Violation) throw ended.error;
  throw new Violation(`what is left cannot be read: ${ended.how === "failed" ? String(ended.error) : ended.how}`);
}

/** An error of ours, with a code and a place. @throws Violation for any other */
function ours(error: unknown): LaconicError {
  if (!LaconicError.is(error)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Violation(`an error that is not ours: ${text.split("\n").slice(0, 6).join(" | ")}`);
  }
  const hasPlace = Object.keys(error.detail).length > 0 || error.message.includes("/");
  if (!hasPlace) throw new Violation(`an error without a place: ${error.code}: ${error.message}`);
  return error;
}

/** Whether a file could not be read once: who resumes then goes back to an older checkpoint, and says so. */
export function hasMisread({ faults: { met } }: World): boolean {
  return met.some((fault) => fault.kind === "error" && fault.of === "read");
}

export function hasMet({ faults: { met } }: World, kind: Fault["kind"]): boolean {
  return met.some((fault) => fault.kind === kind);
}

export function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Violation(what);
}

/** Whether something that rots was turned: readers may refuse then, by name. */
export function hasRotted({ faults: { met } }: World): boolean {
  return met.some((fault) => (fault.kind === "kill" || fault.kind === "power") && fault.rots !== undefined);
}

/** The bytes of a folder's files by their paths. */
export function filesOf(disk: Disk, path: string): Map<string, Uint8Array> {
  return new Map([...disk.files(path)].map(([name, { bytes }]) => [name, bytes]));
}

/** Null where it is not there. */
export function textOf(disk: Disk, path: string): string | null {
  const node = disk.find(path);
  return node?.kind === "file" ? new TextDecoder().decode(node.bytes) : null;
}

/** Rows of a file of lines, without an end that is torn. */
export function rowsOf<Row>(disk: Disk, path: string): Row[] {
  const text = textOf(disk, path) ?? "";
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

/** The checkpoint that LATEST names has the files that its manifest says. @throws Violation */
export async function latestLoads(disk: Disk, run: string): Promise<void> {
  const name = textOf(disk, `${run}/checkpoints/LATEST`)?.trim();
  if (name === undefined) return;
  const failed = await checkFiles(readOnly(disk), `${run}/checkpoints/${name}`).then(() => null, String);
  expectThat(failed === null, `LATEST names ${name}, which does not load: ${failed}`);
}

/** The disk as it is, without events. */
function readOnly(disk: Disk): FileSystem {
  const bytes = (path: string): Uint8Array => disk.file(path).bytes;
  const reading: Pick<FileSystem, "read" | "digest"> = {
    read: async (path) => bytes(path),
    digest: async (path) => ({ bytes: bytes(path).length, sha256: sha256(bytes(path)) }),
  };
  return reading as FileSystem;
}
