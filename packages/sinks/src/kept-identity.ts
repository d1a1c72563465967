import { boundedJson } from "@laconic/core";
import { joinPath, type FileSystem } from "@laconic/core/files";

/** Who a run is at a server, kept in its folder: a resumed run goes on there. */
export interface KeptIdentity {
  /** Of the run at the server. */
  readonly id: string;
  /** The last step that the server has, of each kind of thing. */
  readonly last?: Readonly<Record<string, number>>;
}

/** Reads and writes `NAME.json` of a run's folder. */
export function keptIdentity(
  fs: FileSystem,
  directory: string,
  name: string,
): { read(): Promise<KeptIdentity | null>; write(identity: KeptIdentity): Promise<void> } {
  const path = joinPath(directory, `${name}.json`);
  return {
    async read() {
      if (!(await fs.exists(path))) return null;
      try {
        const { id, last = {} } = boundedJson(new TextDecoder().decode(await fs.read(path))) as Partial<KeptIdentity>;
        return typeof id === "string" ? { id, last } : null;
      } catch {
        return null; // half-written: another run at the server, rather than none
      }
    },
    write: (identity) => fs.write(path, `${JSON.stringify(identity)}\n`),
  };
}
