import { tryParseJson } from "@laconic/core/json";
import { joinPath, type FileSystem } from "@laconic/core/files";

/** How names of event files begin. */
export const eventPrefix = "events.out.tfevents.";

/** Bytes by event file. */
export type EventFiles = Readonly<Record<string, number>>;

/** Where a checkpoint of the run left the event files. */
interface Position {
  readonly step: number;
  readonly files: EventFiles;
}

/** More checkpoints are hardly kept, and a run that goes on from an older one is told anew. */
const maxPositions = 50;

/** Remembers where checkpoints left the event files of a folder, in a file beside them, and cuts them back to one. */
export class EventPositions {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #file: string;

  constructor(fs: FileSystem, folder: string) {
    this.#fs = fs;
    this.#folder = folder;
    this.#file = joinPath(folder, "positions.json");
  }

  /** Forgets those of later steps: what led to them is done anew. */
  async keep(step: number, files: EventFiles): Promise<void> {
    const held = (await this.#stored()).filter((each) => each.step < step).slice(1 - maxPositions);
    const rows: readonly Position[] = [...held, { step, files }];
    await this.#fs.write(`${this.#file}.tmp`, `${JSON.stringify(rows)}\n`);
    await this.#fs.rename(`${this.#file}.tmp`, this.#file);
  }

  /** @returns the event files as the checkpoint of the step left them; null, with nothing done, where they are not there */
  async cutTo(step: number): Promise<EventFiles | null> {
    const { files } = (await this.#stored()).find((each) => each.step === step) ?? {};
    if (!files) return null;
    const found = Object.entries(files).map(([name, bytes]) => [joinPath(this.#folder, name), bytes] as const);
    for (const [file, bytes] of found)
      if (!(await this.#fs.exists(file)) || (await this.#fs.size(file)) < bytes) return null;
    for (const [file, bytes] of found) await this.#fs.truncate(file, bytes);
    await this.removeOthers(files);
    return files;
  }

  /** Removes event files that an earlier process left, but for some. */
  async removeOthers(kept: EventFiles): Promise<void> {
    const isOther = (name: string): boolean => name.startsWith(eventPrefix) && kept[name] === undefined;
    for (const name of await this.#fs.list(this.#folder))
      if (isOther(name)) await this.#fs.remove(joinPath(this.#folder, name));
  }

  async #stored(): Promise<readonly Position[]> {
    if (!(await this.#fs.exists(this.#file))) return [];
    const text = new TextDecoder().decode(await this.#fs.read(this.#file));
    const found = tryParseJson(text);
    return Array.isArray(found) ? found.filter(isPosition) : []; // without, everything is told anew
  }
}

function isPosition(value: unknown): value is Position {
  const { step, files } = (value ?? {}) as { readonly step?: unknown; readonly files?: unknown };
  const isFile = ([name, bytes]: [string, unknown]): boolean =>
    name.startsWith(eventPrefix) && !/[\\/]/u.test(name) && Number.isInteger(bytes) && (bytes as number) >= 0;
  return Number.isInteger(step) && typeof files === "object" && files !== null && Object.entries(files).every(isFile);
}
