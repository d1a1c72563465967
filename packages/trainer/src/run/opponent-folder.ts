import { LaconicError } from "@laconic/core";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { runFiles } from "@laconic/core/run-folder";
import { loadWeights, policiesIn, saveWeights, type Models } from "./checkpoint.ts";
import { checkFiles, completeSteps, stateIn } from "./find-checkpoint.ts";

/** Past selves of a run that trains against them: their weights, in a folder each, by name. */
export class OpponentFolder {
  readonly #fs: FileSystem;
  readonly #run: string;
  readonly #folder: string;

  /** @param run - the run's folder */
  constructor(fs: FileSystem, run: string) {
    [this.#fs, this.#run, this.#folder] = [fs, run, joinPath(run, runFiles.opponents)];
  }

  /** Keeps weights as those of a past self. @param name - `step-` and the step */
  async keep(name: string, models: Models): Promise<void> {
    const step = Number(name.slice("step-".length));
    await this.#fs.makeDirectory(this.#folder);
    await saveWeights(this.#fs, this.#run, joinPath(runFiles.opponents, name), { models: policiesIn(models), step });
  }

  /** Loads those of a past self into the policies. @throws LaconicError `checkpoint_corrupt` naming its folder */
  async load(name: string, models: Models): Promise<void> {
    const folder = joinPath(this.#folder, name);
    const saved = await checkFiles(this.#fs, folder).catch((error: unknown) => {
      throw new LaconicError(
        "checkpoint_corrupt",
        `${folder}: the weights of an opponent are missing or damaged (${(error as Error).message}); put the folder back, or start a new run`,
        { folder },
        error,
      );
    });
    await loadWeights(folder, saved, policiesIn(models));
  }

  /** Gives up those that no checkpoint names: another than the last may have to be gone on from. */
  async prune(checkpoints: string): Promise<void> {
    const named = new Set<string>();
    for (const step of await completeSteps(this.#fs, checkpoints)) {
      const { opponents = [] } = await stateIn(this.#fs, joinPath(checkpoints, step));
      for (const { name } of opponents) named.add(name);
    }
    for (const name of await this.#fs.list(this.#folder))
      if (!named.has(name)) await this.#fs.remove(joinPath(this.#folder, name));
  }
}
