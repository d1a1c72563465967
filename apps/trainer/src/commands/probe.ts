import { resolve } from "node:path";
import { formatDuration } from "@laconic/core/text";
import { probeRun, probeText, type ProbeProgress } from "@laconic/view/report";
import { probeFamilies } from "@laconic/runtime";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag, runChoiceFlags, runChoiceOf } from "../cli/flags.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { showProgress, type StatusLine } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";
import { actorCap, actorSpendingFlags, timeoutFlag } from "../run/spending.ts";

export const probeCommand: Command = command({
  description: "Give a run's team other problems and teammates by families: how far its accuracy falls",
  args: {
    directory: { type: "positional", required: true, description: "Run directory" },
    problems: {
      type: "string",
      description: "Test problems, and most of a family, at most 1000",
      default: "200",
      valueHint: "n",
    },
    seed: {
      type: "string",
      description: "Seed of the changes and the sampling",
      default: "probe",
      valueHint: "text",
    },
    families: {
      type: "string",
      description: `Which of ${probeFamilies.join(", ")}, and of those in --file; all by default`,
      valueHint: "a,b",
    },
    file: {
      type: "string",
      description: "A module that exports problems of your own; family or group names the family of each",
      valueHint: "file.ts",
    },
    ...runChoiceFlags,
    actor: {
      type: "string",
      description: "Who answers in other-actor: hub:OWNER/NAME, a model folder, another run, or api:NAME@URL",
      valueHint: "model",
    },
    ...actorSpendingFlags,
    ...timeoutFlag,
    ...jsonFlag,
  },
  run: async ({ directory, problems, seed, families, file, best, sources, actor, json, ...cap }, { terminal }) => {
    const options = {
      problems: wholeNumber("problems", problems, 1, 1000),
      seed,
      ...runChoiceOf({ best, sources }),
      families: families === undefined ? null : families.split(",").map((name) => name.trim()),
      file: file ?? null,
      actor: actor ?? null,
      onEpisode: timeLeft(terminal),
    };
    const record = await probeRun(resolve(directory), options, terminal, actorCap(cap));
    terminal.status("");
    printResult(terminal, json, record, probeText);
  },
});

/** Episodes after which the time left can be told. */
const patience = 50;

/** A moving line with the time left; elsewhere a line for each family. */
function timeLeft(terminal: StatusLine): (state: ProbeProgress) => void {
  const started = performance.now();
  let last = "";
  return ({ family, episodes, planned }) => {
    const seconds = (performance.now() - started) / 1000;
    const left = formatDuration((seconds * (planned - episodes)) / episodes);
    const line = `${family}: episode ${episodes} of at most ${planned}`;
    showProgress(terminal, episodes < patience ? line : `${line}, ${left} left`, family !== last);
    last = family;
  };
}
