import { readdir } from "node:fs/promises";
import { formerRunFiles, runFiles } from "@laconic/core/run-folder";

/** What an audit has to do with a file of a run folder. */
export interface FileCoverage {
  readonly file: string;
  /** `covered`: what it says is computed again; `partly`: some of it; `uncovered`: it is not looked at. */
  readonly state: "covered" | "partly" | "uncovered";
  /** By what it is covered, and why not. */
  readonly why: string;
}

type Covered = Omit<FileCoverage, "file">;

/** Each file that a run may write, so that a new one has to be named here too. */
const byFile: Readonly<Record<keyof typeof runFiles, Covered>> = {
  config: { state: "covered", why: "every figure is computed from its settings; unknown ones are refused" },
  manifest: { state: "uncovered", why: "it says who made the run, and that cannot be computed" },
  environment: { state: "uncovered", why: "it describes the machine, which only that machine could confirm" },
  metrics: { state: "covered", why: "every number but those named as not auditable" },
  timing: { state: "uncovered", why: "it is what a clock said" },
  episodes: {
    state: "partly",
    why: "tokens, ledger, grades, rewards and updates; not that tokens were drawn by the seed, nor what they spell, nor that supervised examples are those of their file",
  },
  evaluations: { state: "partly", why: "all but perplexities, where the episodes behind it are recorded" },
  test: { state: "covered", why: "from the episodes of the test problems" },
  testEpisodes: { state: "partly", why: "as the other episodes" },
  probe: { state: "uncovered", why: "`laconic probe` measured it apart from the run, and keeps no episodes" },
  dropped: { state: "uncovered", why: "episodes that no update read" },
  warnings: { state: "uncovered", why: "sentences about the metrics, which are computed again" },
  samplers: { state: "uncovered", why: "who answered and how often it was asked; no figure is computed from it" },
  changes: { state: "covered", why: "settings before and after, against each other and the configuration" },
  warmStart: { state: "uncovered", why: "supervised steps before the training are not recorded one by one" },
  checkpoints: {
    state: "covered",
    why: "checksums, prices, weights and the optimiser's moments; of what a critic learned the checksums alone",
  },
  opponents: {
    state: "uncovered",
    why: "weights of past selves; who was drawn and what they wrote is taken as recorded",
  },
  parts: { state: "covered", why: "they are the beginnings of the files of rows and episodes, and read as those are" },
  beginning: { state: "covered", why: "its checksums; the weights are moved from it, and taken as they are" },
};

const unknown: Covered = { state: "uncovered", why: "it is made from the files above, or is not the run's" };

/**
 * What an audit says of each file and folder that lies in a run folder.
 * @param hasWeights - whether weights were computed again at all
 */
export async function coverageOf(directory: string, hasWeights: boolean): Promise<readonly FileCoverage[]> {
  const known = new Map<string, Covered>(
    Object.entries(byFile).map(([key, covered]) => [runFiles[key as keyof typeof runFiles], covered]),
  );
  for (const [key, name] of Object.entries(formerRunFiles))
    known.set(name, key === "warmStart" ? byFile.warmStart : byFile.episodes);
  if (!hasWeights)
    known.set(runFiles.checkpoints, {
      state: "partly",
      why: "checksums and prices; weights and moments were left out",
    });
  const names = await readdir(directory);
  return names.toSorted().map((file) => ({ file, ...(known.get(file) ?? unknown) }));
}
